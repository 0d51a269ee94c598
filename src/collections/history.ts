/**
 * The history of curated records, and of the configuration: who changed what and when, and former states
 * (specification 1).
 */
import type { AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { type Difference, recordDifferences } from '../audit/record-diff.ts';
import { CONFIGURATION_PID } from '../config/record.ts';
import { ServiceError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { resolvePid } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import { asDefined, classNamedIn, schemaTypeInWords } from '../schema-type.ts';
import type { Entry, RecordStore } from '../storage/store.ts';
import type { Collection } from './collection.ts';

/** One change of a record, as it is answered. */
export type HistoryEntry = {
  readonly pid: string;
  readonly time_stamp: string;
  /** Null if another program made the change. */
  readonly committer_id: string | null;
  readonly author_id: string | null;
  readonly deleted: boolean;
  /** The differences from the entry before. */
  readonly changes: Difference[];
  /** The record after the change; null for a delete. */
  readonly record: JsonValue;
};

/** All changes of a curated record, oldest first. @throws ServiceError `prefix_unknown` */
export async function recordHistory(collection: Collection, pid: string): Promise<HistoryEntry[]> {
  return withChanges(await entriesOf(collection, pid));
}

/**
 * The canonical JSON of a curated record as it was at a time; undefined if there was none.
 *
 * @param at microseconds and `+00:00`, so that it compares with the time stamps of entries
 */
export async function formerState(
  collection: Collection,
  pid: string,
  at: string,
): Promise<string | undefined> {
  return (await entriesOf(collection, pid)).findLast(({ timeStamp }) => timeStamp <= at)?.json;
}

/** A former state and its class, to be stored again. @throws ServiceError `record_missing`, `class_unknown` */
export async function formerRecord(
  collection: Collection,
  pid: string,
  at: string,
): Promise<{ readonly className: string; readonly record: JsonObject }> {
  const json = await formerState(collection, pid, at);
  if (json === undefined) {
    throw new ServiceError('record_missing', `The record '${pid}' did not exist at that time.`);
  }
  const record = parseJson(json) as JsonObject;
  const className = classOfFormer(collection, record);
  return { className, record: asDefined(collection.schema, className, record) };
}

/** All changes of the configuration, oldest first, with every secret masked. */
export async function configurationHistory(log: AuditLog): Promise<HistoryEntry[]> {
  return withChanges(await log.history([CONFIGURATION_PID])).map(masked);
}

/** Which changes of an area; all that is given has to be true of them. */
export type ActivityQuery = {
  readonly pid?: string | undefined;
  readonly author?: string | undefined;
  readonly className?: string | undefined;
  /** Times in the form of entries, both inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Only changes before this revision. */
  readonly before?: number | undefined;
  readonly size: number;
};

/** One change in the activity of an area. */
export type ActivityEntry = HistoryEntry & {
  readonly revision: number;
  readonly class: string;
  /** In which role the committer made the change; null if another program made it. */
  readonly role: Entry['role'];
};

/** A page of changes, newest first; `next` is the `before` of the next page, null on the last one. */
export type Activity = { readonly items: ActivityEntry[]; readonly next: number | null };

/** Entries read at a time, and characters of records on a page: the rest comes with the next page. */
const ENTRIES_AT_ONCE = 10;
const MOST_CHARACTERS = 4_000_000;

/**
 * The changes in an area, newest first.
 *
 * @throws ServiceError `prefix_unknown`
 */
export async function activityOf(
  store: RecordStore,
  schema: Schema,
  query: ActivityQuery,
): Promise<Activity> {
  const { pid, size, before: start, ...rest } = query;
  const selection = definedOf({ ...rest, iris: pid === undefined ? undefined : [resolvePid(schema, pid)] });
  const items: ActivityEntry[] = [];
  let before = start;
  let characters = 0;
  for (;;) {
    const limit = Math.min(ENTRIES_AT_ONCE, size - items.length + 1);
    const page = await store.entries({
      ...selection,
      ...(before !== undefined && { before }),
      newestFirst: true,
      limit,
    });
    for (const entry of page) {
      if (items.length >= size || characters > MOST_CHARACTERS)
        return { items, next: items.at(-1)?.revision ?? null };
      items.push(await activityEntry(store, entry));
      characters += entry.json?.length ?? 0;
      before = entry.revision;
    }
    if (page.length < limit) return { items, next: null };
  }
}

async function activityEntry(store: RecordStore, entry: Entry): Promise<ActivityEntry> {
  const { iri, revision, className, role } = entry;
  const [former] = await store.entries({ iris: [iri], before: revision, newestFirst: true, limit: 1 });
  const parsed = (json: string | null | undefined) => (json ? parseJson(json) : undefined);
  const record = parsed(entry.json);
  return {
    revision,
    pid: entry.pid,
    class: className,
    time_stamp: entry.time,
    committer_id: entry.committer,
    author_id: entry.author,
    role,
    deleted: record === undefined,
    changes: recordDifferences(parsed(former?.json), record),
    record: record ?? null,
  };
}

/** The same changes for the owner of a zone, who does not learn which curators made some of them. */
export function forOwner({ items, next }: Activity, userId: string): Activity {
  const shown = (id: string | null) => (id === userId ? id : null);
  return {
    items: items.map((item) => ({
      ...item,
      committer_id: shown(item.committer_id),
      author_id: shown(item.author_id),
    })),
    next,
  };
}

function definedOf<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}

function entriesOf(collection: Collection, given: string): Promise<AuditEntry[]> {
  const iri = resolvePid(collection.schema, given);
  return collection.history(iri, pidSpellings(collection.schema, given));
}

/** Entries are kept under the pid as it was written: a CURIE, of any prefix, and its URI are one record. */
function pidSpellings(schema: Schema, given: string): string[] {
  const iri = resolvePid(schema, given);
  const found = new Set([given, iri]);
  for (const [prefix, namespace] of schema.prefixes) {
    if (iri.startsWith(namespace)) found.add(`${prefix}:${iri.slice(namespace.length)}`);
  }
  return [...found];
}

function classOfFormer({ schema, name }: Collection, record: JsonObject): string {
  const className = classNamedIn(schema, record);
  if (className !== undefined) return className;
  throw new ServiceError(
    'class_unknown',
    `The record cannot be restored: it has ${schemaTypeInWords(record)}, expected that of a class of the collection '${name}'.`,
  );
}

function withChanges(entries: readonly AuditEntry[]): HistoryEntry[] {
  let before: JsonValue | undefined;
  return entries.map(({ pid, timeStamp, committerId, authorId, json }) => {
    const after = json === undefined ? undefined : parseJson(json);
    const changes = recordDifferences(before, after);
    before = after;
    return {
      pid,
      time_stamp: timeStamp,
      committer_id: committerId,
      author_id: authorId,
      deleted: after === undefined,
      changes,
      record: after ?? null,
    };
  });
}

/** Secrets and hashes of secrets; that one has changed is still visible. */
const SECRET_KEY = 'representation';
const MASK = '***';

function masked(entry: HistoryEntry): HistoryEntry {
  return { ...entry, changes: entry.changes.map(maskDifference), record: mask(entry.record) };
}

function maskDifference(difference: Difference): Difference {
  const secret = difference.path.endsWith(`/${SECRET_KEY}`);
  const hide = (value: JsonValue) => (secret ? MASK : mask(value));
  return {
    ...difference,
    ...('before' in difference && { before: hide(difference.before) }),
    ...('after' in difference && { after: hide(difference.after) }),
  } as Difference;
}

function mask(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(mask);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === SECRET_KEY ? MASK : mask(inner)]),
  );
}
