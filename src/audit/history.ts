/** The history of a record: from the entries of its area, and from a log for what is older than those. */
import { isSameRecord } from '../schema-type.ts';
import type { Entry } from '../storage/store.ts';
import type { AuditEntry, AuditLog, EntrySource } from './audit-log.ts';

/** Entries read at a time. */
const ENTRIES_AT_ONCE_READ = 500;

/**
 * All entries of a record, oldest first.
 *
 * @param log the log of the area, if it has one
 * @param spellings the pids under which the log may have the record
 * @throws ServiceError `audit_failed`
 */
export async function historyOf(
  source: EntrySource,
  log: AuditLog | undefined,
  iri: string,
  spellings: readonly string[],
): Promise<AuditEntry[]> {
  const entries = await storedEntries(source, iri);
  const [first] = entries;
  const older = (await log?.history(spellings, first?.time)) ?? [];
  // A record that was there before its area had entries has one that only repeats what the log ends with.
  const known = older.at(-1);
  const repeats =
    first !== undefined && known !== undefined && first.committer === null && isSameEntry(first, known);
  return [...older, ...(repeats ? entries.slice(1) : entries).map(toAuditEntry)];
}

async function storedEntries(
  { store, select = (entry) => entry }: EntrySource,
  iri: string,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let after = 0; ; ) {
    const page = await store.entries({ iris: [iri], after, limit: ENTRIES_AT_ONCE_READ });
    entries.push(...page.flatMap((entry) => select(entry) ?? []));
    if (page.length < ENTRIES_AT_ONCE_READ) return entries;
    after = page.at(-1)?.revision ?? after;
  }
}

function toAuditEntry({
  time,
  committer,
  author,
  json,
  iri: _,
  kind: __,
  className: ___,
  ...entry
}: Entry): AuditEntry {
  return { ...entry, timeStamp: time, committerId: committer, authorId: author, json: json ?? undefined };
}

function isSameEntry(entry: Pick<Entry, 'json'>, logged: AuditEntry): boolean {
  return isSameRecord(entry.json ?? undefined, logged.json);
}
