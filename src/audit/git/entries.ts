/** The entries of a record, from where the index says they are. */
import type { Threads } from '../../jobs/threads.ts';
import type { AuditEntry } from '../audit-log.ts';
import type { EntryIndex, IndexedEntry } from './entry-index.ts';
import { entryLocation, type LogLine, readContent, readLogLine, splitLog } from './layout.ts';
import type { ObjectReader } from './object-reader.ts';

/** Longer files are read as YAML in a thread. */
const LONG_YAML = 64 * 1024;

/**
 * The entries under any of these spellings of one pid, oldest first. The record of each is read when it is asked for.
 *
 * @param before only entries of an earlier time are read
 * @throws ServiceError `audit_failed`
 */
export async function* readEntries(
  pids: readonly string[],
  index: Pick<EntryIndex, 'record' | 'entries'>,
  reader: ObjectReader,
  threads: Threads,
  before?: string,
): AsyncGenerator<AuditEntry> {
  const histories = await Promise.all(
    pids.map(async (pid) => {
      const { key } = entryLocation(pid);
      const lines = await readLines(index.entries(key), index.record(key)?.log, reader);
      const entries = lines.filter(({ timeStamp }) => before === undefined || timeStamp < before);
      return entries.map((entry) => ({ ...entry, pid }));
    }),
  );
  const entries = histories.flat();
  if (pids.length > 1) entries.sort(byTime);
  for (const entry of entries) yield await readEntry(entry, reader, threads);
}

/** Entries with their lines, which are in the `.log` of the record as of its last entry. */
export async function readLines(
  entries: readonly IndexedEntry[],
  log: string | undefined,
  reader: ObjectReader,
): Promise<(IndexedEntry & LogLine)[]> {
  const lines = log === undefined ? [] : splitLog(await reader.text(log));
  return entries.map((entry, i) => ({ ...entry, ...readLogLine(lines[i] ?? '{}') }));
}

async function readEntry(
  { pid, timeStamp, committerId, authorId, deleted, yaml }: IndexedEntry & LogLine & { readonly pid: string },
  reader: ObjectReader,
  threads: Threads,
): Promise<AuditEntry> {
  const json = deleted ? undefined : await readRecord(await reader.text(yaml), threads);
  return { pid, timeStamp, committerId, authorId, json };
}

async function readRecord(yaml: string, threads: Threads): Promise<string> {
  return yaml.length < LONG_YAML ? readContent(yaml) : threads.result<string>('read YAML', yaml);
}

/** The peer leaves out microseconds that are 0; a `+` comes before a `.`, so the texts are in order all the same. */
function byTime(a: LogLine, b: LogLine): number {
  return a.timeStamp < b.timeStamp ? -1 : 1;
}
