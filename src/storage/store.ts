import { compareCodePoints } from '../json.ts';

/**
 * The contract of every record store and of every wrapper around one. `store.contract.ts` holds them to it.
 *
 * A store keeps the records of one area: texts under an IRI. It knows no schema, no permission and no HTTP.
 *
 * - **Identity** is the IRI. Putting an IRI again replaces the record, whatever its pid spelling or class was.
 * - **Order** is the pid string by code point, then the IRI. Every list has it.
 * - **Revision** is a counter of the area. Each write that changes anything raises it by one for each change in it,
 *   and each change carries its own number: no two changes share one. A deleted record leaves a tombstone with the
 *   revision of its deletion, so that {@link RecordStore.changesSince} can report it. Revisions never go back, also
 *   not over restarts.
 * - **Entries**: each change has an entry, made in its transaction, with its revision, its time and its actor.
 * - **Durability**: when `write` has returned, all of it is on disk; when it has thrown, nothing of it is.
 * - **Freshness**: every read that starts after a write has returned sees it.
 * - Methods may be called concurrently; writes take effect one after the other.
 *
 * Failures of the medium are `ServiceError('storage_failed')`; they leave the store usable.
 *
 * A store is a plain object whose methods need no `this`, so that a wrapper is `{ ...store, write }`.
 */
export interface RecordStore {
  /** The record under an IRI. */
  get(iri: string): Promise<StoredRecord | undefined>;
  /** A range of the selected records in order. */
  list(selection: Selection, range: Range): Promise<ListedRecord[]>;
  /** How many records are selected. Without `matching` the cost does not grow with the store. */
  count(selection: Selection): Promise<number>;
  /** How many selected records have a pid before this one: its offset, or the offset that it would have. */
  rank(selection: Selection, pid: string): Promise<number>;
  /** The least and the most that {@link rank} may be, if that is known without reading records. */
  rankWithin?(selection: Selection, pid: string): Promise<Within | undefined>;
  /** Of these IRIs, the ones that are in the store, in any order. */
  present(iris: readonly string[], selection?: Selection): Promise<RecordKey[]>;
  /** The same for the IRIs alone, which an index has: much cheaper. */
  having(iris: readonly string[]): Promise<string[]>;
  /**
   * Makes all changes and all ledger changes in one transaction, or none. They are applied in order; the first one
   * whose expectation is not met throws `ServiceError('precondition_failed')`, a delete without a record throws
   * `ServiceError('record_missing')`.
   *
   * @param by is kept in the entry of every change.
   * @returns the result of each change, in order.
   */
  write(changes: readonly Change[], by: Actor, ledger?: readonly LedgerChange[]): Promise<ChangeResult[]>;
  /** Writes that are made in one transaction with those of other stores; present if the stores share a database. */
  readonly joint?: JointWrites;
  /**
   * The entries that a query selects, a page at a time, by revision. Every change of the area has one, until it is
   * pruned; changes of other programs have one without an actor.
   */
  entries(query: EntryQuery): Promise<Entry[]>;
  /**
   * Removes entries of changes that were made before a time, up to a revision. The newest entry of each record and the
   * newest entry of the area stay.
   *
   * @returns the number of removed entries.
   */
  prune(before: string, upTo: number): Promise<number>;
  /**
   * Adds entries of another area with the revisions and times that they have there, and makes the changes that they
   * describe; sets ledger rows with them. For copies of stores: the revision of the area is the progress of the copy.
   *
   * @param entries by revision
   * @throws ServiceError `precondition_failed` if a revision is not after those of the area
   */
  restore(entries: readonly Entry[], ledger?: readonly LedgerRow[]): Promise<void>;
  /** Rows of other rooms, see {@link LedgerRow}. */
  readonly ledger: Ledger;
  /** The references between records. */
  readonly links: LinkIndex;
  /**
   * Set if another process owns the area: writes throw `ServiceError('read_only')` here. A `missing` area does not exist
   * yet, and stays empty until it is opened again.
   */
  readonly followed?: 'present' | 'missing';
  /** The revision of the last change; 0 for a store that never held anything. */
  revision(): Promise<number>;
  /** Changes after a revision, oldest first, one for each IRI (its last). At most `limit`, and fewer if records are long. */
  changesSince(revision: number, limit: number): Promise<StoredChange[]>;
  /** Every selected record in order, with memory that does not grow with the store, as of one moment or page by page. */
  scan(selection: ScanSelection): AsyncIterable<StoredRecord>;
  /** Faults of the stored data, for operators, such as files that cannot be read. */
  faults(): Promise<readonly StoreFault[]>;
  /** For backends that refuse an area made for another schema: allows the schemas at these addresses. */
  allowSchemas?(addresses: readonly string[]): Promise<void>;
  /** Names an allowed schema as the one that the area is used with: the peer opens it with no other. */
  useSchema?(address: string): Promise<void>;
  close(): Promise<void>;
}

export type RecordKey = {
  /** The pid as it was submitted: a CURIE or URI; the sort key. */
  readonly pid: string;
  /** What the pid resolves to. */
  readonly iri: string;
  readonly className: string;
};

/** The order of every list. */
export function compareKeys(a: Pick<RecordKey, 'pid' | 'iri'>, b: Pick<RecordKey, 'pid' | 'iri'>): number {
  return compareCodePoints(a.pid, b.pid) || compareCodePoints(a.iri, b.iri);
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
};

/** What a scan reads. */
export type ScanSelection = Selection & {
  /**
   * Folded strings (see `folding.ts`), each of which the caller wants in some string, number or boolean of a record. The
   * scan may leave out records without them, and does so if that is faster.
   */
  readonly words?: readonly string[];
};

/** The least and the most that a number may be. */
export type Within = readonly [least: number, most: number];

export type Range = { readonly offset: number; readonly limit: number };

/** What must hold for a change to be made, checked inside the write. */
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
    | { readonly put: RecordKey & { readonly json: string; readonly links?: readonly Link[] } }
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
  };

/** Who makes a change. */
export type Actor = {
  /** Whose token made it. */
  readonly committer: string;
  /** On whose behalf: `author_id`, else the committer. */
  readonly author: string;
  readonly role: 'submitter' | 'curator' | 'administrator' | 'service';
};

/** What the entry of a change keeps besides who, when and what. The store does not read it. */
export type ChangeNote = {
  readonly reason?: string;
  /** The id of the decision that made the change. */
  readonly decision?: string;
  /** The id of the batch that the change belongs to. */
  readonly batch?: string;
  readonly message?: string;
  readonly base?: Base;
};

/** The curated record that a submission was made from; each field is null if there was none. */
export type Base = {
  readonly etag: string | null;
  readonly className: string | null;
  readonly json: string | null;
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
};

/** A write that is made together with writes of other stores. */
export type JointWrite = {
  readonly changes: readonly Change[];
  readonly by: Actor;
  readonly ledger?: readonly LedgerChange[];
  /** Rows that are set as well, made from the revisions of the changes; they may replace rows that `ledger` sets. */
  rowsAfter?(revisions: readonly number[]): readonly LedgerRow[];
};

/** What one store contributes to a transaction. Only stores with the same `database` understand it. */
export type JointPart = { readonly write: JointWrite };

export interface JointWrites {
  /** The same object for all stores whose writes can be made in one transaction. */
  readonly database: object;
  part(write: JointWrite): JointPart;
  /**
   * Makes all writes in one transaction, or none, as {@link RecordStore.write} makes one.
   *
   * @param parts of different areas with this `database`
   * @returns the revisions of the changes of each part
   */
  write(parts: readonly JointPart[]): Promise<number[][]>;
}

/** Which entries: all without fields, else those that satisfy every field. */
export type EntryQuery = {
  readonly iris?: readonly string[];
  /** Only entries after, or before, this revision. */
  readonly after?: number;
  readonly before?: number;
  readonly author?: string;
  readonly className?: string;
  /** Only entries from this time on, or up to it, both inclusive, in the form of {@link Entry.time}. */
  readonly since?: string;
  readonly until?: string;
  /** The default is oldest first. */
  readonly newestFirst?: boolean;
  readonly limit: number;
};

/**
 * A small row that another room keeps in the transactions of an area, such as a decision. The store reads none of it:
 * rows are found by kind and id, or by their keys.
 */
export type LedgerRow = {
  readonly kind: string;
  /** Lists are in the order of ids by code point, so ids that begin with a time are in the order of time. */
  readonly id: string;
  /** Strings under which the row is found; a query has to name some of them exactly. */
  readonly keys: readonly string[];
  readonly json: string;
};

/** Kinds of rows that are made from the records again: a copy of a store goes without them. */
export const DERIVED_LEDGER_KINDS: ReadonlySet<string> = new Set(['checked', 'fault']);

export type LedgerChange =
  | { readonly set: LedgerRow; readonly expect?: LedgerExpectation }
  | { readonly remove: Pick<LedgerRow, 'kind' | 'id'> };

/**
 * What a row that is set requires: that it is there, that it is not, or that no row of its kind with this key has a greater
 * id than `after`. The last one is for those who have read what has the key, up to that id.
 */
export type LedgerExpectation = 'absent' | 'present' | { readonly newestOf: string; readonly after: string };

/** Which ledger rows: those of a kind that have all of the keys. */
export type LedgerSelection = { readonly kind: string; readonly keys?: readonly string[] };

export type LedgerQuery = LedgerSelection & {
  /** Only rows after, or before, this id. */
  readonly after?: string;
  readonly before?: string;
  readonly newestFirst?: boolean;
  readonly limit: number;
};

export interface Ledger {
  get(kind: string, id: string): Promise<LedgerRow | undefined>;
  list(query: LedgerQuery): Promise<LedgerRow[]>;
  count(selection: LedgerSelection): Promise<number>;
  /** Rows of every kind, by kind and id, after one of them. */
  all(after: Pick<LedgerRow, 'kind' | 'id'> | undefined, limit: number): Promise<LedgerRow[]>;
}

/** The revision of the record now; `replaced` is the record that was there before. */
export type ChangeResult = { readonly revision: number; readonly replaced: StoredRecord | undefined };

/** A record as it is after its last change, or the tombstone of one. */
export type StoredChange =
  | { readonly kind: 'put'; readonly record: StoredRecord }
  | { readonly kind: 'delete'; readonly iri: string; readonly pid: string; readonly revision: number };

/** A reference from a record to what its target resolves to. */
export type Link = {
  readonly iri: string;
  /** The slot that has it, by its name in data. */
  readonly slot: string;
  /** Where it is in the record: a JSON Pointer (RFC 6901). */
  readonly path: string;
};

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

/** Up to which revision the index knows the links of all records, as they are read under a key (of a schema). */
export type LinkPosition = { readonly key: string; readonly revision: number };

/** The links of a record as it was at a revision. */
export type LinksOfRecord = {
  readonly iri: string;
  readonly revision: number;
  readonly links: readonly Link[];
};

/**
 * The references between the records of an area. Puts with links keep it in their transaction; `position` shows
 * whether there are changes of which it does not know the links.
 */
export interface LinkIndex {
  /** The references of a record, by path. */
  from(iri: string): Promise<Link[]>;
  /** The references of other records to an IRI, in any order that stays the same. */
  to(iri: string, range: Range): Promise<Referrer[]>;
  /** How many other records refer to an IRI. */
  countTo(iri: string): Promise<number>;
  /** References to records that the area does not have; a page may be empty and have a next one. */
  dangling(after?: LinkPlace): Promise<DanglingPage>;
  position(): Promise<LinkPosition>;
  /** Sets the links of records that still have the revision, and the position, in one transaction. */
  fill(records: readonly LinksOfRecord[], position: LinkPosition): Promise<void>;
}

export type StoreFault = {
  /** The place within the area, for an operator who looks for it. */
  readonly path: string;
  readonly message: string;
};
