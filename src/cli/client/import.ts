/**
 * `accession import`: records from a file, a folder or standard input into an area, in batches. The progress is noted
 * beside the source, so that an interrupted import continues when it is run again.
 */
import { appendFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ItemResult } from '../../client/client.ts';
import {
  allFormats,
  type FileFormats,
  fileKind,
  isText,
  suffixUnknown,
  type TextKind,
} from '../file-formats.ts';
import type { GivenOptions, ModuleFiles } from '../module.ts';
import { moveBeside } from '../new-file.ts';
import { PROBLEMS_FOUND, UsageError } from '../outcome.ts';
import { countText } from '../print.ts';
import { startProgress } from '../progress.ts';
import { type Notes, openNotes } from './notes.ts';
import { pidInText, reasonOf, type StoringOptions, storeOptions } from './records.ts';
import { type ImportItem, type ImportJob, importItems } from './sources.ts';
import { areaName, areaOf, schemaOf, serviceOf, urlOf } from './target.ts';

/** The limits of a batch. */
const BATCH_RECORDS = 500;
const BATCH_CHARACTERS = 1024 * 1024;

/** Reasons that are printed. */
const MOST_REASONS = 100;

type ImportOptions = StoringOptions & {
  readonly format?: string;
  readonly class?: string;
  readonly schema?: string;
  readonly dryRun?: boolean;
  readonly batch?: string;
};

/** The command, with the formats that modules read. */
export function importerOf(files: readonly ModuleFiles[]) {
  return (name: string, source: string, options: ImportOptions) =>
    importRecords(name, source, options, files);
}

async function importRecords(
  name: string,
  source: string,
  options: ImportOptions,
  files: readonly ModuleFiles[],
): Promise<number> {
  const service = serviceOf(options.url);
  const formats = allFormats(files);
  const format = options.format ?? formatOf(source, formats);
  if (format === undefined)
    throw new UsageError(`${suffixUnknown(source, formats)} Or name its format with --format.`);
  if (options.curated && options.batch !== undefined)
    throw new UsageError('--batch is for submissions: it has no effect with --curated.');
  for (const { optionFormats } of files) requireEffect(format, options, optionFormats);
  const job: ImportJob = {
    source,
    area: await areaOf(service.collection(name), options),
    className: options.class,
    schema: schemaOf(service, name, options.schema),
    contextUrl: `${urlOf(options.url)}/-/${encodeURIComponent(name)}/context.jsonld`,
    options: { ...storeOptions(options), batch: options.batch },
    onlyCheck: options.dryRun === true,
  };
  using _interrupt = reportInterrupt(job);
  const ofModule = files.find((one) => Object.hasOwn(one.formats, format));
  if (ofModule) return await (await ofModule.load()).importFile(job, format, options);
  if (!isText(format)) throw new UsageError(suffixUnknown(source, formats));
  return await importStream(job, format, `${urlOf(options.url)} ${areaName(name, options)}`);
}

/** Reports at Ctrl-C whether the records are stored, and ends as without it. */
function reportInterrupt({ source, onlyCheck }: ImportJob): Disposable {
  const again = source === '-' ? '' : ' Run the same command again to continue.';
  const report = () => {
    process.stderr.write(
      onlyCheck ? '\nInterrupted.\n' : `\nInterrupted: what was sent is stored.${again}\n`,
    );
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', report);
  return { [Symbol.dispose]: () => process.off('SIGINT', report) };
}

/** @throws UsageError for an option that would be ignored */
function requireEffect(
  format: string,
  options: GivenOptions,
  optionFormats: ModuleFiles['optionFormats'],
): void {
  for (const [name, formats] of Object.entries(optionFormats)) {
    if (options[name] === undefined || formats.includes(format)) continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${flag} has no effect on ${format}: it is for ${formats.join(', ')}.`);
  }
}

function formatOf(source: string, formats: FileFormats): string | undefined {
  if (source === '-') return 'ndjson';
  if (statSync(source).isDirectory()) return 'yaml';
  return fileKind(source, formats);
}

/** How many records of a source are done, how many of them are refused, and the bytes of these. */
type Done = { readonly done: number; readonly refused: number; readonly bytes: number };

async function importStream(job: ImportJob, format: TextKind, where: string): Promise<number> {
  const notes = notesOf(job, where);
  const noted = notes.read();
  const rejects = openRejects(job, noted);
  const items = importItems(format, job);
  const stored = await storeItems(job, items, notes, rejects, noted?.done).catch((error: unknown) => {
    // Standard input cannot be imported again from where it ended.
    if (job.source === '-') rejects.end();
    throw error;
  });
  const path = rejects.end();
  notes.remove();
  if (stored === 0 && rejects.count === 0) process.stderr.write(`${job.source} has no records\n`);
  const verb = job.onlyCheck ? 'valid' : 'stored';
  const refused = `${rejects.count} refused${path === undefined ? '' : `, in ${path}`}`;
  process.stderr.write(`${countText(stored, 'record')} ${verb}, ${refused}\n`);
  return rejects.count > 0 ? PROBLEMS_FOUND : 0;
}

/** Stores items in batches. @returns how many are stored */
async function storeItems(
  job: ImportJob,
  items: AsyncIterable<ImportItem>,
  notes: Notes<Done>,
  rejects: Rejects,
  done = 0,
): Promise<number> {
  using progress = startProgress('records');
  let seen = 0;
  let stored = 0;
  let batch: ImportItem[] = [];
  let size = 0;
  if (done > 0) process.stderr.write(`continuing after ${countText(done, 'record')}\n`);
  const send = async () => {
    for (const [index, result] of (await sendItems(job, batch)).entries()) {
      if (result.status < 300) stored += 1;
      else rejects.add(batch[index] as ImportItem, result);
    }
    progress.advance(batch.length);
    notes.write({ done: seen, refused: rejects.count, bytes: rejects.bytes });
    batch = [];
    size = 0;
  };
  for await (const item of items) {
    seen += 1;
    if (seen <= done) continue;
    // A batch is of one class, or of records that name theirs.
    const full = batch.length === BATCH_RECORDS || size + item.text.length > BATCH_CHARACTERS;
    if (batch.length > 0 && (full || batch[0]?.className !== item.className)) {
      seen -= 1;
      await send();
      seen += 1;
    }
    batch.push(item);
    size += item.text.length;
  }
  if (batch.length > 0) await send();
  return stored;
}

/** Sends readable items; the others are refused as they are. */
async function sendItems(
  { area, options, onlyCheck }: ImportJob,
  items: readonly ImportItem[],
): Promise<ItemResult[]> {
  const readable = items.filter(({ problem }) => problem === undefined);
  const texts = readable.map(({ text }) => text);
  const className = items[0]?.className;
  const results = onlyCheck
    ? await area.validateMany(texts, className)
    : await area.putMany(texts, className, options);
  let next = 0;
  return items.map(({ problem }) =>
    problem === undefined ? (results[next++] as ItemResult) : { status: 400, detail: problem },
  );
}

/** The notes of progress beside a file; none for standard input and dry runs. */
function notesOf({ source, onlyCheck }: ImportJob, where: string) {
  if (source === '-' || onlyCheck) return openNotes<Done>(undefined, '');
  const { mtimeMs, size } = statSync(source);
  const what = JSON.stringify([resolve(source), mtimeMs, size, where]);
  return openNotes<Done>(`${source.replace(/\/+$/, '')}.import-progress`, what);
}

type Rejects = ReturnType<typeof openRejects>;

/**
 * Refused records, one JSON text a line, to be mended and imported; the reasons go to standard error. An import that
 * continues adds to those of the interrupted run, and a dry run writes none.
 */
function openRejects({ source, onlyCheck }: ImportJob, noted: Done = { done: 0, refused: 0, bytes: 0 }) {
  const path = source === '-' ? 'rejected.ndjson' : `${source.replace(/\/+$/, '')}.rejected.ndjson`;
  const part = `${path}.part`;
  let { refused: count, bytes } = noted;
  if (bytes > 0 && existsSync(part)) truncateSync(part, bytes);
  else if (!onlyCheck) {
    rmSync(part, { force: true });
    bytes = 0;
  }
  let shown = 0;
  return {
    get count() {
      return count;
    },
    get bytes() {
      return bytes;
    },
    add(item: ImportItem, result: ItemResult) {
      if (!onlyCheck) {
        const line = Buffer.from(`${item.text}\n`);
        appendFileSync(part, line);
        bytes += line.length;
      }
      count += 1;
      shown += 1;
      const pid = pidInText(item.text);
      if (shown > MOST_REASONS) return;
      process.stderr.write(`${item.at}${pid === undefined ? '' : ` (${pid})`}: ${reasonOf(result)}\n`);
    },
    /** @returns the file, if there are any */
    end(): string | undefined {
      if (shown > MOST_REASONS) process.stderr.write(`… and ${shown - MOST_REASONS} more\n`);
      return !onlyCheck && existsSync(part) ? moveBeside(part, path) : undefined;
    },
  };
}
