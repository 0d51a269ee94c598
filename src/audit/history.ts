/** The history of a record: from the entries of its area, and from a log for what is older than those. */
import { isSameRecord } from '../schema-type.ts';
import { scanEntries } from '../storage/scan-entries.ts';
import type { Entry } from '../storage/store.ts';
import type { AuditEntry, AuditLog, EntrySource } from './audit-log.ts';

/**
 * All entries of a record, oldest first, with memory for a few of them.
 *
 * @param log the log of the area, if it has one
 * @param spellings the pids under which the log may have the record
 * @throws ServiceError `audit_failed`
 */
export async function* historyOf(
  source: EntrySource,
  log: AuditLog | undefined,
  iri: string,
  spellings: readonly string[],
): AsyncGenerator<AuditEntry> {
  const entries = storedEntries(source, iri);
  const { value: first } = await entries.next();
  let known: AuditEntry | undefined;
  for await (const older of log?.history(spellings, first?.time) ?? []) {
    yield older;
    known = older;
  }
  if (!first) return;
  // A record that was there before its area had entries has one that only repeats what the log ends with.
  const repeats = known !== undefined && first.committer === null && isSameEntry(first, known);
  if (!repeats) yield toAuditEntry(first);
  for await (const entry of entries) yield toAuditEntry(entry);
}

/**
 * The canonical JSON of a record as it was at a time; undefined if there was none.
 *
 * @param at in the form of {@link AuditEntry.timeStamp}, with microseconds
 * @throws ServiceError `audit_failed`
 */
export async function stateAt(
  { store }: Pick<EntrySource, 'store'>,
  log: AuditLog | undefined,
  iri: string,
  spellings: readonly string[],
  at: string,
): Promise<string | undefined> {
  const [last] = await store.entries({ iris: [iri], until: at, newestFirst: true, limit: 1 });
  if (last) return last.json ?? undefined;
  const [first] = await store.entries({ iris: [iri], limit: 1 });
  let state: string | undefined;
  for await (const { timeStamp, json } of log?.history(spellings, first?.time) ?? [])
    if (timeStamp <= at) state = json;
  return state;
}

async function* storedEntries(
  { store, select = (entry) => entry }: EntrySource,
  iri: string,
): AsyncGenerator<Entry> {
  for await (const entry of scanEntries(store, { iris: [iri] })) {
    const selected = select(entry);
    if (selected) yield selected;
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
