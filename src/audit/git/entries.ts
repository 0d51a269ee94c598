/** The entries of a record, from where the index says they are. */
import type { AuditEntry } from '../audit-log.ts';
import type { EntryIndex, IndexedEntry } from './entry-index.ts';
import { entryLocation, type LogLine, readContent, readLogLine, splitLog } from './layout.ts';
import type { ObjectReader } from './object-reader.ts';

/**
 * The entries under any of these spellings of one pid, oldest first.
 *
 * @param before only entries of an earlier time are read
 * @throws ServiceError `audit_failed`
 */
export async function readEntries(
  pids: readonly string[],
  index: Pick<EntryIndex, 'record' | 'entries'>,
  reader: ObjectReader,
  before?: string,
): Promise<AuditEntry[]> {
  const histories = await Promise.all(
    pids.map(async (pid) => {
      const { key } = entryLocation(pid);
      const lines = await readLines(index.entries(key), index.record(key)?.log, reader);
      const entries = lines.filter(({ timeStamp }) => before === undefined || timeStamp < before);
      return Promise.all(entries.map((entry) => readEntry(pid, entry, reader)));
    }),
  );
  const entries = histories.flat();
  return pids.length > 1 ? entries.sort(byTime) : entries;
}

/** Entries with their lines, which stand in the `.log` of the record as of its last entry. */
export async function readLines(
  entries: readonly IndexedEntry[],
  log: string | undefined,
  reader: ObjectReader,
): Promise<(IndexedEntry & LogLine)[]> {
  const lines = log === undefined ? [] : splitLog(await reader.text(log));
  return entries.map((entry, i) => ({ ...entry, ...readLogLine(lines[i] ?? '{}') }));
}

async function readEntry(
  pid: string,
  { timeStamp, committerId, authorId, deleted, yaml }: IndexedEntry & LogLine,
  reader: ObjectReader,
): Promise<AuditEntry> {
  const json = deleted ? undefined : readContent(await reader.text(yaml));
  return { pid, timeStamp, committerId, authorId, json };
}

/** The peer leaves out microseconds that are 0; a `+` comes before a `.`, so the texts are in order all the same. */
function byTime(a: AuditEntry, b: AuditEntry): number {
  return a.timeStamp < b.timeStamp ? -1 : 1;
}
