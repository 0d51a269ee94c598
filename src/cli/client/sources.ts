/** The records of a source of texts, as the JSON texts that are sent. */
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { isJsonObject, type JsonValue, parseJson } from '#linkml/json.ts';
import type { AreaClient, StoreOptions } from '../../client/client.ts';
import { lines } from '../../client/lines.ts';
import { isServiceError } from '../../core/errors.ts';
import { recordInJsonLd } from '../../core/formats/read-json-ld.ts';
import {
  quadDocuments,
  type RecordInGraph,
  recordInTurtle,
  turtleDocuments,
} from '../../core/formats/turtle-records.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { asPosted, classNamedIn } from '../../core/schema-type.ts';
import { TEXT_FORMATS, type TextKind } from '../file-formats.ts';
import { classInPath, sourceFiles } from '../offline/source-files.ts';
import { UsageError } from '../outcome.ts';
import { readText, textChunks } from '../utf8-text.ts';
import { type RecordSource, textsIn, textsInStream } from './texts.ts';

export type ImportItem = {
  /** The JSON text of the record, or the text that could not be read. */
  readonly text: string;
  /** The class, if the record does not name it. */
  readonly className?: string | undefined;
  /** Where it is in the source. */
  readonly at: string;
  /** Why it cannot be read. */
  readonly problem?: string;
};

/** The state that the parts of an import share. */
export type ImportJob = {
  /** A file, a folder, or `-` for standard input. */
  readonly source: string;
  readonly area: AreaClient;
  readonly className: string | undefined;
  readonly schema: () => Promise<Schema>;
  /** Where the service has the JSON-LD context of the schema. */
  readonly contextUrl: string;
  readonly options: StoreOptions;
  readonly onlyCheck: boolean;
};

/** All records of a source, in order. */
export async function* importItems(format: TextKind, job: ImportJob): AsyncGenerator<ImportItem> {
  const { source, className } = job;
  if (source !== '-' && statSync(source).isDirectory()) {
    yield* folderItems(job);
    return;
  }
  const chunks = textChunks(source, 256 * 1024);
  if (format === 'ttl' || format === 'nq') {
    const schema = await job.schema();
    const documents = (format === 'ttl' ? turtleDocuments : quadDocuments)(lines(chunks));
    let count = 0;
    for await (const document of documents) {
      count += 1;
      const at = `document ${count}`;
      const item = await itemOf({ text: document, at }, 'Turtle', () => recordInTurtle(document, schema));
      yield withoutTimestamps(item, schema);
    }
    return;
  }
  if (format === 'jsonld') {
    const schema = await job.schema();
    for await (const item of textsInStream(chunks)) {
      const read = () => recordInJsonLd(item.text, schema, job.contextUrl);
      yield withoutTimestamps({ className, ...(await itemOf(item, 'JSON-LD', read)) }, schema);
    }
    return;
  }
  if (format === 'ndjson') {
    let count = 0;
    for await (const text of lines(chunks)) {
      count += 1;
      yield { text, className, at: `line ${count}` };
    }
    return;
  }
  if (format === 'json') {
    for await (const item of textsInStream(chunks)) yield { ...item, className };
    return;
  }
  const content = (await Array.fromAsync(chunks)).join('');
  for (const item of textsIn(format, content))
    yield withoutTimestamps({ ...item, className }, await job.schema());
}

/**
 * An item that is sent as JSON, though it was not read from JSON: a number in place of a date is refused, where JSON has it
 * as the seconds since 1970. The service reports everything else.
 */
function withoutTimestamps(item: ImportItem, schema: Schema): ImportItem {
  if (item.problem !== undefined) return item;
  let record: JsonValue;
  try {
    record = parseJson(item.text);
  } catch {
    return item;
  }
  const className = item.className ?? (isJsonObject(record) ? classNamedIn(schema, record) : undefined);
  if (className === undefined || !schema.classes.has(className) || !isJsonObject(record)) return item;
  const posted = asPosted(schema, className, record);
  const strict = schema.check(className, posted, { timestamps: 'refuse' });
  if (strict.valid || !schema.check(className, posted).valid) return item;
  return { ...item, problem: strict.problems.map(({ msg }) => msg).join('; ') };
}

/** The item of a document, or why it cannot be read. */
async function itemOf(
  { text, at }: RecordSource,
  expected: string,
  read: () => RecordInGraph | Promise<RecordInGraph>,
): Promise<ImportItem> {
  try {
    return { ...(await read()), at };
  } catch (error) {
    const isOurs = isServiceError(error);
    const message = (error as Error).message;
    return { text: JSON.stringify(text), at, problem: isOurs ? message : `Expected ${expected}: ${message}` };
  }
}

/** The files of a folder; folders are named for classes, as in a record directory. */
async function* folderItems({ source, className, schema }: ImportJob): AsyncGenerator<ImportItem> {
  const { recordClasses } = await schema();
  for (const { path, kind } of sourceFiles(source, TEXT_FORMATS)) {
    if (kind !== 'yaml' && kind !== 'json' && kind !== 'ndjson') continue;
    const at = relative(source, path);
    const of = className ?? classInPath(at, (name) => recordClasses.includes(name));
    let text = '';
    try {
      text = readText(path);
      for (const item of textsIn(kind, text)) {
        const found = { text: item.text, className: of, at };
        yield kind === 'yaml' ? withoutTimestamps(found, await schema()) : found;
      }
    } catch (error) {
      if (!(error instanceof UsageError || isServiceError(error))) throw error;
      yield { text: JSON.stringify(text), className: of, at, problem: error.message };
    }
  }
}
