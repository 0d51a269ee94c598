import { compareCodePoints } from '#linkml/json.ts';
import type { YieldIfDue } from '../yield.ts';
import type { IdSet } from './id-set.ts';
import type { Reader } from './reader.ts';
import type { Within } from './search/word-dialect.ts';
import type { WordQuery } from './search/word-query.ts';
import type { Visibility } from './visibility.ts';

/**
 * The contract of an area: the records under one path of the database, such as the curated area of a collection or one
 * incoming zone. `contract/store.contract.ts` runs on every kind of database.
 *
 * An area knows no schema, no permission and no HTTP.
 *
 * - **Identity** is the IRI. Putting an IRI again replaces the record, whatever its pid spelling or class was.
 * - **Order** is the pid string by code point, then the IRI. Every list has it.
 * - **Revision** is a counter of the area. Each change raises it by one and carries its own number. A deletion keeps an
 *   entry with its revision. Revisions never go back.
 * - **Entries**: each change has an entry, made in its transaction, with its revision, its time and its actor.
 * - **Durability**: when a write has returned, all of it is on disk; when it has thrown, nothing of it is.
 * - **Freshness**: every read that starts after a write has returned sees it.
 * - Methods may be called concurrently; writes take effect one after the other.
 *
 * Failures of the medium are `ServiceError('storage_failed')`; they leave the area usable.
 *
 * A store is a plain object whose methods need no `this`, so a wrapper is `{ ...store, write }`.
 */
export interface RecordStore {
  /** The area in the database: what {@link Draft.write} takes. */
  readonly area: AreaId;
  /**
   * This area for a caller who does not see every record: its reads answer as if the others did not exist. Writes do not
   * know visibilities, and {@link LinkIndex.dangling} is for those who see every record.
   */
  as(visibility: Visibility | undefined): RecordStore;
  /** Undefined if every record is seen. */
  readonly visibility?: Visibility;
  /** This area, with reads from a snapshot (see {@link Database.snapshot}) or a draft, except those with `matching`. */
  within(reader: Reader): RecordStore;
  /** The record under an IRI. */
  get(iri: string): Promise<StoredRecord | undefined>;
  /** The records that there are under some IRIs, in any order, with memory for short ones and one long one. */
  records(iris: readonly string[]): AsyncIterable<StoredRecord>;
  /** A range of the selected records in order. */
  list(selection: Selection, range: Range): Promise<ListedRecord[]>;
  /**
   * The number of selected records. Without `matching` the cost does not grow with the area.
   *
   * @param most of more records, the number may be any that is greater, which takes less with `matching`
   */
  count(selection: Selection, most?: number): Promise<number>;
  /** The number of selected records with a pid before this one: its offset, or the offset that it would have. */
  rank(selection: Selection, pid: string): Promise<number>;
  /** Of these IRIs, the ones that have a record, in any order. */
  present(iris: readonly string[], selection?: Selection): Promise<RecordKey[]>;
  /** Of these IRIs, the ones that have a record: cheaper than {@link present}, since an index has them. */
  having(iris: readonly string[]): Promise<string[]>;
  /**
   * The ids of records, some of other areas perhaps, among which are all of the area that have a folded string in a value; undefined if
   * they are not fewer than all.
   */
  candidates(text: string): Promise<readonly number[] | undefined>;
  /** The IRIs of the records that a `matching` pattern selects, in the order of records, some at a time. */
  matching(pattern: string): AsyncIterable<string[]>;
  /**
   * Makes all changes in one transaction, or none: {@link Database.transact} with one {@link Draft.write}.
   *
   * @param by is kept in the entry of every change; null for a change of another program
   * @returns the revision of each change, in order
   * @throws ServiceError `precondition_failed`, `record_missing`, `record_referenced`
   */
  write(changes: readonly Change[], by: Actor | null): Promise<number[]>;
  /**
   * The entries that a query selects, a page at a time, by revision. Every change of the area has one, until it is
   * pruned.
   */
  entries(query: EntryQuery): Promise<Entry[]>;
  /** The changes of the area in the order of their commits, as a caller has seen them. */
  feed(query: FeedQuery): Promise<FeedPage>;
  /** How many records were made and deleted in each week, those without any left out, as far as entries are kept. */
  weeks(query: WeekQuery): Promise<Week[]>;
  /** The revision that the area had at a time, by the clocks of those who made its changes: from now on, the present one. */
  revisionBy(time: string): Promise<number>;
  /** The revision behind which are all changes that may have been made after a time, also if a clock was set back meanwhile. */
  revisionBefore(time: string): Promise<number>;
  /** The last revision whose {@link Entry.time} is up to one that callers have as a cursor. */
  revisionDated(time: string): Promise<number>;
  /** Reads when changes were made: never in the future, also if a clock was ahead. */
  dates(): Promise<DateOf>;
  /** The revision from which on no entry was removed; 0 if none was. The feed is complete behind it. */
  keptFrom(): Promise<number>;
  /**
   * Removes entries of changes that were made before a time, up to a revision. Of each record, the last one of these stays.
   *
   * @returns the number of removed entries
   */
  prune(before: string, upTo: number): Promise<number>;
  /**
   * Adds entries of another area with the revisions and times that they have there, and makes the changes that they
   * describe: for stores that are adopted or copied. The revision of the area is the progress of the copy.
   *
   * @param entries by revision
   * @throws ServiceError `precondition_failed` if a revision is not after those of the area
   */
  restore(entries: readonly Entry[]): Promise<void>;
  /** The references between records. */
  readonly links: LinkIndex;
  /** The index of words. */
  readonly words: WordReads;
  /** The area as it was. */
  readonly former: FormerStates;
  /** The revision of the last change; 0 for an area that never held anything. */
  revision(): Promise<number>;
  /**
   * Every selected record in order, with memory that does not grow with the area, page by page. Records are as they were when the scan
   * began; those that are deleted meanwhile may be missing.
   */
  scan(selection: ScanSelection): AsyncIterable<StoredRecord>;
}

/** Which rows of an area: of some classes, and with some policies; undefined for all. */
export type RowFilter = {
  readonly classes: readonly string[] | undefined;
  readonly policies: readonly string[] | undefined;
};

/** Which records a search for words is about: those of a filter, and not those with some ids. */
export type WordSelection = {
  readonly filter: RowFilter;
  readonly without: readonly number[];
  /** How many records the area has at most. */
  readonly most: number;
};

/** A record in the index, with its rank, the least of which is the best. */
export type RankedId = { readonly id: number; readonly rank: number };

/**
 * The index of words of an area, for a caller. It lacks the records of {@link WordReads.missing}, or has their former words: a
 * search reads these one by one, and leaves them out of the index.
 */
export interface WordReads {
  /** Whether policies may hide records from the caller. Ranks depend on all records: then there are none. */
  readonly isRestricted: boolean;
  /**
   * Their ids, how many records the area has at most, and whether only those are among them that are too long, and all others are
   * indexed in a version; undefined if they are too many to be read by a search. Of an area that is indexed again, some still have
   * the words of the former version.
   */
  missing(version: string): Promise<{ ids: number[]; most: number; isCurrent: boolean } | undefined>;
  /** What the caller sees of some classes now. One filter serves a search: to make it, the revision of the area is read. */
  filter(classes: readonly string[] | undefined): Promise<RowFilter>;
  /** The records that there are of some ids, some hundred at a time, in any order. */
  records(ids: readonly number[], filter: RowFilter): AsyncIterable<StoredRecord & { readonly id: number }>;
  idsUnder(iris: readonly string[]): Promise<number[]>;
  /** The keys of the records that there are of some ids, some hundred at a time, in any order. */
  keys(ids: Iterable<number>, filter: RowFilter): AsyncIterable<RecordKey & { readonly id: number }>;
  /** How many records meet a query. */
  count(query: WordQuery, selection: WordSelection, yieldIfDue: YieldIfDue): Promise<number>;
  /** The records that meet a query anywhere, or in their title and identifiers. */
  find(query: WordQuery, within: Within, selection: WordSelection, yieldIfDue: YieldIfDue): Promise<IdSet>;
  /**
   * The best of these, in any order. Of equal ranks, those that were stored first are better.
   *
   * @param most how many
   * @param isIn a condition on their ids
   * @returns these, and how many there are, unless the others have not been looked for
   */
  ranked(
    query: WordQuery,
    within: Within,
    selection: WordSelection,
    { most, isIn }: { readonly most: number; readonly isIn?: ((id: number) => boolean) | undefined },
    yieldIfDue: YieldIfDue,
  ): Promise<{ readonly best: readonly RankedId[]; readonly total: number | undefined }>;
}

/** The reads of an area, see {@link ReadDatabase}. */
export type ReadStore = Omit<RecordStore, 'write' | 'prune' | 'restore' | 'as' | 'within'> & {
  as(visibility: Visibility | undefined): ReadStore;
  within(reader: Reader): ReadStore;
};

/** Longer texts are read one by one, since those of many records together could take gigabytes. In bytes. */
export const LONGEST_TOGETHER = 64 * 1024;

/** An area: its number in the database, and its path relative to the store directory. */
export type AreaId = { readonly id: number; readonly path: string };

export type RecordKey = {
  /** The pid as it was submitted: a CURIE or URI; the sort key. */
  readonly pid: string;
  /** The IRI that the pid resolves to. */
  readonly iri: string;
  readonly className: string;
};

/** The order of every list. */
export function compareKeys(a: Pick<RecordKey, 'pid' | 'iri'>, b: Pick<RecordKey, 'pid' | 'iri'>): number {
  return compareCodePoints(a.pid, b.pid) || compareCodePoints(a.iri, b.iri);
}

/** How many of the sorted keys have a pid before this one. */
export function countBefore(keys: readonly Pick<RecordKey, 'pid'>[], pid: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareCodePoints(keys[middle]!.pid, pid) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A record as lists have it: to look up 50 revisions would cost a fifth of a page. */
export type ListedRecord = Omit<StoredRecord, 'revision'>;

export type StoredRecord = RecordKey & {
  /** Canonical JSON text (see `json.ts`): handed on by reads as it is. */
  readonly json: string;
  readonly revision: number;
};

/** Which records: all without fields, else those that satisfy every field given. */
export type Selection = {
  readonly classes?: readonly string[];
  /**
   * A pattern that must cover one whole text value, at any depth, never a key or a number: `%` stands for any
   * characters, `_` for any one, nothing else is special; Unicode case-insensitive; the empty pattern matches
   * nothing. Backends whose traits lack it (see `backends.ts`) ignore it (specification 4.1, rule 5).
   */
  readonly matching?: string;
  /**
   * The revision of the area as the caller has read it, who looks again after the reads and repeats them if it has changed.
   * Without it, each read looks by itself whether something has changed meanwhile.
   */
  readonly asOf?: number;
};

/** The input of a scan. */
export type ScanSelection = Selection & {
  /**
   * Folded strings (see `folding.ts`), each of which the caller wants in some string, number or boolean of a record. The
   * scan may leave out records without them, and does so if that is faster.
   */
  readonly words?: readonly string[];
  /** It leaves out none if more than about this many may have the strings, those of other areas included. */
  readonly mostCandidates?: number;
  /** Only records behind this one. */
  readonly after?: Pick<RecordKey, 'pid' | 'iri'>;
};

export type Range = { readonly offset: number; readonly limit: number };

/** The condition of a change, checked inside the write. */
export type Expectation =
  /** The IRI has no record. */
  | { readonly absent: true }
  /** There is one (`If-Match: *`). */
  | { readonly present: true }
  /** There is one, and its revision is among these. */
  | { readonly revisions: readonly number[] };

export type Change =
  /** Without `links`, those of the record are unknown until they are filled in. */
  (
    | { readonly put: RecordKey & { readonly json: string; readonly links?: LinkLines } }
    /**
     * The IRI of the record to delete; `unreferenced` refuses it with `ServiceError('record_referenced')` if another
     * record of the area refers to it after the changes before this one.
     */
    | { readonly delete: string; readonly unreferenced?: boolean }
  ) & {
    readonly expect?: Expectation;
    readonly note?: ChangeNote;
    /** Who makes this change, if not the actor of the write: one step may store what several people submitted. */
    readonly by?: Actor;
    /** For the companions of the area (see `database.ts`); the store does not read it and keeps nothing of it. */
    readonly context?: object;
  };

/** The IRI of the record that a change concerns. */
export function iriOfChange(change: Change): string {
  return 'put' in change ? change.put.iri : change.delete;
}

/** Who makes a change. */
export type Actor = {
  /** Whose token made it. */
  readonly committer: string;
  /** On whose behalf: `author_id`, else the committer. */
  readonly author: string;
  readonly role: 'submitter' | 'curator' | 'administrator' | 'service';
};

/** The note that the entry of a change keeps. The store reads the clocks alone, which it writes itself. */
export type ChangeNote = {
  readonly reason?: string;
  /** The id of the decision that made the change. */
  readonly decision?: string;
  /** The id of the batch that the change belongs to. */
  readonly batch?: string;
  readonly message?: string;
  /** The clock, in microseconds since 1970, if the time of the entry is ahead of it; see clocks.ts. */
  readonly clock?: number;
  /** The first entry after the clock was set back last, and its clock; the entry may be that one. */
  readonly setBack?: { readonly at: number; readonly to: number };
};

/** One change of an area. Entries are never changed. */
export type Entry = ChangeNote & {
  readonly revision: number;
  readonly iri: string;
  readonly pid: string;
  readonly className: string;
  readonly kind: 'put' | 'delete';
  /** ISO 8601 with microseconds and `+00:00`. Strictly increasing per area, also if the clock is set back. */
  readonly time: string;
  /** Null if another program made the change. */
  readonly committer: string | null;
  readonly author: string | null;
  readonly role: Actor['role'] | null;
  /** The record after the change as canonical JSON; null for a delete. */
  readonly json: string | null;
  /** The text that the change has replaced or deleted, if the query asks for it. */
  readonly former?: string;
};

/** The date of a change, in the form of {@link Entry.time}. */
export type DateOf = (change: Pick<Entry, 'revision' | 'time' | 'clock'>) => string;

/** Which entries: all without fields, else those that satisfy every field. */
export type EntryQuery = {
  readonly iris?: readonly string[];
  readonly revisions?: readonly number[];
  /** Only entries after, or before, this revision. */
  readonly after?: number;
  readonly before?: number;
  readonly author?: string;
  readonly className?: string;
  /** Only the last change of each record. */
  readonly lastOnly?: boolean;
  /** Only changes from this time on, or up to it, both inclusive, by the clocks of those who made them; in the form of {@link Entry.time}. */
  readonly since?: string;
  readonly until?: string;
  /** The default is oldest first. */
  readonly newestFirst?: boolean;
  /** Whether entries have `former`, for those who see every record. */
  readonly withFormer?: boolean;
  readonly limit: number;
};

/** Which weeks: from a time in the form of {@link Entry.time} on, by the times of entries. */
export type WeekQuery = {
  readonly since: string;
  /** Only records that had one of these classes then. */
  readonly classes?: readonly string[] | undefined;
};

/**
 * How many records were made and deleted in a week, of those that the caller sees now, or would see as they were when they were
 * deleted. A record that was renamed was deleted and made.
 */
export type Week = {
  /** The date of its Monday, in UTC. */
  readonly week: string;
  readonly made: number;
  readonly deleted: number;
};

/** Which changes of a feed. */
export type FeedQuery = {
  readonly after: number;
  readonly iri?: string | undefined;
  /** Changes of records that had, or got, one of these classes. */
  readonly classes?: readonly string[] | undefined;
  /** Only the last change of each record up to this revision. A page has those of some thousand revisions at most. */
  readonly lastUpTo?: number;
  readonly limit: number;
};

/** One change as a caller has seen it: a record that the change hides from the caller, or removes from the classes, is deleted. */
export type FeedChange = Pick<Entry, 'revision' | 'iri' | 'pid' | 'className' | 'time' | 'author'> &
  Pick<ChangeNote, 'decision' | 'batch' | 'clock'> & { readonly kind: 'created' | 'replaced' | 'deleted' };

/** Changes up to a revision; fewer than the limit, perhaps none, although there are more, if many are not selected. */
export type FeedPage = { readonly changes: readonly FeedChange[]; readonly reached: number };

/** A record as it was at a revision of its area; its own is that of the change that made it so. */
export type Version = RecordKey & { readonly revision: number };

/** A record that has changed since a revision. */
export type ChangedSince = {
  readonly iri: string;
  /** Undefined if there was none. */
  readonly was: Version | undefined;
  /** Undefined if the record was deleted. */
  readonly is: RecordKey | undefined;
};

/**
 * Reads of an area as it was at a revision, from {@link RecordStore.keptFrom} on. A caller sees a version if the policies that it
 * names, and those that the record names now, or named when it was deleted, are the caller's.
 */
interface FormerStates {
  records(iris: readonly string[], at: number): Promise<StoredRecord[]>;
  /**
   * The records that have changed behind a revision, as they were at a former one and as they are. One may come repeatedly.
   *
   * @param span `upTo` is the present revision
   */
  differences(span: {
    readonly at: number;
    readonly after: number;
    readonly upTo: number;
  }): AsyncIterable<readonly ChangedSince[]>;
  /** Counts the changes behind a revision, up to another one: fewer than revisions, if something else raised some. */
  changes(after: number, upTo: number): Promise<number>;
  /** The texts of versions, by their revisions. */
  texts(versions: readonly Version[]): Promise<ReadonlyMap<number, string>>;
}

/** A reference from a record to what its target resolves to. */
export type Link = {
  readonly iri: string;
  /** The slot that has it, by its name in data. */
  readonly slot: string;
  /** Where it is in the record: a JSON Pointer (RFC 6901). */
  readonly path: string;
};

/**
 * References as lines of JSON: one string, which threads copy at once. 100,000 references as objects keep the thread that gets
 * them busy for 100 ms.
 */
export type LinkLines = string;

export function linkLines(links: readonly Link[]): LinkLines {
  return links.map(({ iri, slot, path }) => JSON.stringify([iri, slot, path])).join('\n');
}

export function* linksIn(lines: LinkLines): Generator<Link> {
  for (let start = 0; start < lines.length; ) {
    const newline = lines.indexOf('\n', start);
    const end = newline < 0 ? lines.length : newline;
    const [iri, slot, path] = JSON.parse(lines.slice(start, end)) as [string, string, string];
    yield { iri, slot, path };
    start = end + 1;
  }
}

/** A record that refers to another one, and where. */
export type Referrer = RecordKey & Omit<Link, 'iri'>;

/** A reference to an IRI under which the area has no record. */
export type DanglingReference = Referrer & { readonly to: string };

/** A position among all references, for the next page of the same store. */
export type LinkPlace = Readonly<Record<string, string | number>>;

export type DanglingPage = {
  readonly references: DanglingReference[];
  /** Without it, this is the last page. */
  readonly next?: LinkPlace;
};

/**
 * The references between the records of an area. Puts with links keep it in their transaction; those of
 * other puts are filled in later (`collections/link-projection.ts`).
 */
interface LinkIndex {
  /** References of a record, in any order that stays the same. */
  from(iri: string, most: number): Promise<Link[]>;
  /** The references of other records to an IRI, in any order that stays the same. */
  to(iri: string, range: Range): Promise<Referrer[]>;
  /** How many other records refer to an IRI, up to `MOST_COUNTED` references. */
  countTo(iri: string): Promise<number>;
  /** How many references `to` has, up to a number. */
  countReferencesTo(iri: string, most: number): Promise<number>;
  /** References to records that the area does not have; a page may be empty and have a next one. */
  dangling(after?: LinkPlace): Promise<DanglingPage>;
}
