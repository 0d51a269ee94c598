/** `accession export`: all records of an area as a file, a folder, or on standard output. */

import { createWriteStream, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { AreaClient } from '../../client/client.ts';
import { type JsonObject, parseJson } from '../../json.ts';
import type { Schema } from '../../schema/schema.ts';
import { classNamedIn, schemaTypeIn, withoutType } from '../../schema-type.ts';
import { filePath } from '../../storage/record-dir/file-names.ts';
import { columnsOf, headerOf } from '../../tables/columns.ts';
import { csvRow } from '../../tables/csv.ts';
import { writeRow } from '../../tables/rows.ts';
import { columnHelp } from '../../tables/template.ts';
import { type SheetText, writeXlsx } from '../../tables/xlsx-write.ts';
import { writeYaml } from '../../yaml/write.ts';
import { type Given, UsageError } from '../command.ts';
import { kindOf } from '../offline/source-files.ts';
import { counted, write } from '../print.ts';
import { type Progress, startProgress } from '../progress.ts';
import type { ExportFormat } from './formats.ts';
import { areaName, areaOf, schemaOf, type Target, targetOf } from './target.ts';
import { quadsOf, turtleDocuments } from './triples.ts';

/** What a format is written from. */
type Job = {
  readonly area: AreaClient;
  readonly matching: string | undefined;
  readonly className: string | undefined;
  /** The schema of the collection, opened when it is needed. */
  readonly schema: () => Promise<Schema>;
  readonly schemaAddress: string | undefined;
  readonly to: Output;
  readonly progress: Progress;
};

type Output = {
  readonly path: string | undefined;
  write(text: string | Uint8Array): Promise<void>;
  end(): Promise<void>;
};

/** Run by the table of commands. */
export async function exportRecords(given: Given): Promise<number> {
  const target = targetOf(given, ['COLLECTION']);
  const [name = '', path] = target.args;
  const format = formatOf(given.text('format') as ExportFormat | undefined, path);
  const area = areaOf(target.service.collection(name), given);
  const progress = startProgress('records', await totalOf(area));
  const to = openOutput(format === 'yaml' ? undefined : path);
  const schemaAddress = given.text('schema') ?? (await addressOf(target, name));
  let opened: Promise<Schema> | undefined;
  const schema = () => {
    opened ??= schemaOf(target, name, given.text('schema'));
    return opened;
  };
  const job: Job = {
    area,
    matching: given.text('matching'),
    className: given.text('class'),
    schema,
    schemaAddress,
    progress,
    to: { ...to, path },
  };
  try {
    const count = await WRITERS[format](job);
    await to.end();
    progress.end();
    process.stderr.write(`${counted(count, 'record')} exported from ${areaName(name, given)}\n`);
  } catch (error) {
    progress.end();
    // What is left would look like a whole export.
    if (path !== undefined && format !== 'yaml') rmSync(path, { force: true });
    throw error;
  }
  return 0;
}

async function totalOf(area: AreaClient): Promise<number | undefined> {
  if (!process.stderr.isTTY) return undefined;
  return (await area.page({ size: 1 })).total;
}

async function addressOf({ service }: Target, collection: string): Promise<string | undefined> {
  const { collections } = await service.server();
  return collections.find(({ name }) => name === collection)?.schema;
}

function formatOf(given: ExportFormat | undefined, path: string | undefined): ExportFormat {
  if (given !== undefined) return given;
  if (path === undefined) return 'ndjson';
  if (path.toLowerCase().endsWith('.nq')) return 'nq';
  const kind = kindOf(path);
  if (kind === undefined || kind === 'yaml') return 'yaml';
  return kind;
}

const WRITERS: Readonly<Record<ExportFormat, (job: Job) => Promise<number>>> = {
  async ndjson({ to, ...job }) {
    let count = 0;
    for await (const text of texts(job)) {
      await to.write(`${text}\n`);
      count += 1;
    }
    return count;
  },
  async json({ to, ...job }) {
    let count = 0;
    for await (const text of texts(job)) {
      await to.write(`${count === 0 ? '[' : ','}\n${text}`);
      count += 1;
    }
    await to.write(count === 0 ? '[]\n' : '\n]\n');
    return count;
  },
  async ttl({ area, matching, className, to, progress }) {
    if (className !== undefined) throw new UsageError('--class does not go with Turtle.');
    let count = 0;
    for await (const document of turtleDocuments(area.exportTurtle({ matching }))) {
      await to.write(`${document}\n\n`);
      count += 1;
      progress.advance(1);
    }
    return count;
  },
  async nq({ area, matching, className, to, progress }) {
    if (className !== undefined) throw new UsageError('--class does not go with N-Quads.');
    let count = 0;
    for await (const document of turtleDocuments(area.exportTurtle({ matching }))) {
      await to.write(quadsOf(document, count));
      count += 1;
      progress.advance(1);
    }
    return count;
  },
  async csv({ to, ...job }) {
    const { className } = job;
    if (className === undefined)
      throw new UsageError('A CSV file has the records of one class: use --class.');
    const schema = await job.schema();
    const columns = columnsOf(schema, className);
    await to.write(csvRow(columns.map(headerOf)));
    let count = 0;
    for await (const text of texts(job)) {
      await to.write(csvRow(writeRow(withoutType(parseJson(text) as JsonObject), columns)));
      count += 1;
    }
    return count;
  },
  async xlsx({ to, ...job }) {
    const schema = await job.schema();
    const rows = new Map<string, string[][]>();
    let count = 0;
    for await (const { text, className } of recordTexts(job)) {
      const columns = columnsOf(schema, className);
      const sheet = rows.get(className) ?? [columns.map(headerOf)];
      sheet.push(writeRow(withoutType(parseJson(text) as JsonObject), columns));
      rows.set(className, sheet);
      count += 1;
    }
    const sheets = [...rows].map(
      ([name, cells]): SheetText => ({ name, rows: cells, columns: columnsOf(schema, name).map(columnHelp) }),
    );
    const empty = job.className === undefined ? [] : [{ name: job.className, rows: [] }];
    await to.write(writeXlsx(sheets.length > 0 ? sheets : empty));
    return count;
  },
  async yaml({ to, schemaAddress, ...job }) {
    const { path } = to;
    if (path === undefined) throw new UsageError('YAML is written to a folder: give its path.');
    if (existsSync(path) && !existsSync(join(path, '.dumpthings.yaml'))) {
      throw new UsageError(`${path} exists and is not a folder of records.`);
    }
    mkdirSync(path, { recursive: true });
    const description = [
      'type: records',
      'version: 1',
      `schema: ${schemaAddress}`,
      'format: yaml',
      'idfx: digest-md5',
    ];
    writeFileSync(join(path, '.dumpthings.yaml'), `# RecordDir Config\n${description.join('\n')}\n`);
    let count = 0;
    for await (const { text, className } of recordTexts(job)) {
      const record = withoutType(parseJson(text) as JsonObject);
      const file = join(path, filePath('digest-md5', className, String(record.pid)));
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, writeYaml(record));
      count += 1;
    }
    return count;
  },
};

/** The records of the area, those of one class if one is given. */
async function* texts({ area, matching, className, schema, progress }: Source): AsyncGenerator<string> {
  const known = className === undefined ? undefined : await schema();
  for await (const text of area.exportLines({ matching })) {
    progress.advance(1);
    if (known === undefined || classIn(text, known) === className) yield text;
  }
}

/** The same with the class of each. */
async function* recordTexts(source: Source): AsyncGenerator<{ text: string; className: string }> {
  const schema = await source.schema();
  for await (const text of texts(source)) yield { text, className: classIn(text, schema) };
}

type Source = Omit<Job, 'to' | 'schemaAddress'>;

/** The name of the class of a record. */
function classIn(text: string, schema: Schema): string {
  const record = parseJson(text) as JsonObject;
  return classNamedIn(schema, record) ?? String(schemaTypeIn(record) ?? '');
}

function openOutput(path: string | undefined): Omit<Output, 'path'> {
  if (path === undefined) {
    return {
      write: async (text) => write(typeof text === 'string' ? text : Buffer.from(text)),
      end: async () => {},
    };
  }
  const stream = createWriteStream(path);
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  return {
    async write(text) {
      if (failure) throw failure;
      if (stream.write(text)) return;
      // Resolves for an error, too, which the next write reports.
      await new Promise<void>((done) => {
        const go = () => {
          stream.off('drain', go).off('close', go);
          done();
        };
        stream.once('drain', go).once('close', go);
      });
    },
    async end() {
      stream.end();
      await finished(stream);
    },
  };
}
