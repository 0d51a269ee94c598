/** The bytes of a database, and of the log of its changes, which SQLite keeps beside the file; null if they cannot be found. */
export type DatabaseSize = { readonly bytes: number | null; readonly log: number | null };

/**
 * The contract of the service's database: one layout and one set of statements, on SQLite and PostgreSQL.
 *
 * Reads run at once, on connections that only read. Writes are {@link Transaction}s: data, not functions, so that a
 * thread can carry them out, several of them with one commit. A transaction contains *checks*, which are reads that still
 * have to return what they returned when the transaction was prepared, and *steps*. {@link Database.transact} makes one
 * from a function and repeats the function until its checks pass, so the function may be written as if it ran alone.
 *
 * Statements are written for both databases: parameters are `$1`, `$2`, …; a list is one parameter, tested with
 * {@link Dialect.among}; truth values are 0 and 1; strings compare by code point.
 */
import type { Dialect, Value } from './dialect.ts';
import type { Patches } from './patch.ts';
import type { Reader } from './reader.ts';
import type { Actor, AreaId, Change, ChangeNote, Entry, ReadStore, RecordStore } from './store.ts';
import type { WordOptions } from './tokens.ts';

export interface Database extends Reader {
  readonly dialect: Dialect;
  /** Whether another process owns the database, so that every write throws `ServiceError('read_only')`. */
  readonly readOnly: boolean;
  /**
   * The area of a path, which is made if it is missing. Always the same object for a path.
   *
   * @param path relative to the store directory, with `/`; see `config/paths.ts`
   */
  area(path: string): Promise<RecordStore>;
  /** The area of a path, if it was ever written to. */
  existingArea(path: string): Promise<RecordStore | undefined>;
  /** The revisions of areas at one moment. */
  revisions(areas: readonly AreaId[]): Promise<number[]>;
  /** The areas below a path, in the order of their paths, with their revisions and numbers of records. */
  areasBelow(
    path: string,
  ): Promise<readonly (AreaId & { readonly revision: number; readonly records: number })[]>;
  /**
   * Prepares a transaction and commits it. If something that `prepare` has read is different by then, it is called again;
   * so it must have no other effects.
   *
   * @returns what `prepare` returned, when the transaction is on disk and every {@link Mirror} of its areas has followed;
   *   see {@link Draft.write} for the revisions
   * @throws what `prepare` throws, the refusals of {@link RecordStore.write}, `ServiceError('busy')` if others were faster
   *   too often
   */
  transact<T>(prepare: (draft: Draft) => Promise<T>): Promise<T>;
  /**
   * Several reads that see one state of the database.
   */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /** Sets the participants of writes to areas. To be called once, before the first write. */
  use(participants: Participants): void;
  /** Is called after each commit of this process, and when another process has changed areas: `unknown` may be any. */
  onChange(callback: (areas: ReadonlySet<string> | 'unknown') => void): () => void;
  /** Identifies the line of history: revisions of another generation are of other changes. */
  generation(): Promise<string>;
  /** Whether this process leads: of several instances on one database, one does. */
  readonly leadership: Leadership;
  /** Why nothing may be written, such as damage that statements have reported; undefined if nothing is known. */
  problem(): Promise<string | undefined>;
  /**
   * Commits something to the database server, if there is one, so that what would refuse a write shows. A success is used for a
   * second.
   *
   * @throws ServiceError `storage_unavailable`, `storage_full`
   */
  requireWritable(): Promise<void>;
  size(): Promise<DatabaseSize>;
  /** The bytes of the log alone, null on PostgreSQL: the size of its database takes a walk over all of its files. */
  logSize(): Promise<number | null>;
  /** Waits for writes in progress, then closes all connections. */
  close(): Promise<void>;
}

/** The reads of a database: what a request gets that only reads or validates. It cannot write, by the type of what it gets. */
export type ReadDatabase = Omit<Database, 'area' | 'existingArea' | 'transact' | 'use' | 'close'> & {
  existingArea(path: string): Promise<ReadStore | undefined>;
};

/** Of the instances on one database at most one leads. */
export type Leadership = {
  readonly held: boolean;
  /** Calls back when this instance begins or ceases to lead. @returns a function that ends this */
  watch(callback: () => void): () => void;
  /** Why this instance can neither lead nor be informed of the changes of others; undefined if it can. */
  problem(): string | undefined;
};

/** A transaction that is being prepared. Its reads become checks; none of its writes is made before the commit. */
export interface Draft extends Reader {
  readonly dialect: Dialect;
  /** The record under an IRI, before this transaction. */
  record(area: AreaId, iri: string): Promise<StoredText | undefined>;
  /** The records under some IRIs in some areas, named by their ids, before this transaction; in any order. */
  records(areas: readonly number[], iris: readonly string[]): Promise<RecordOfArea[]>;
  /**
   * Rows that there rarely are. At first none are assumed, without a read: the commit checks it, and if there are some, the
   * transaction is prepared again, with a read like others.
   */
  rareRows<Row extends object>(sql: string, values: readonly Value[]): Promise<Row[]>;
  /**
   * Refuses the transaction if a statement finds rows at its commit.
   *
   * @throws what `refusal` makes
   */
  refuseIf(sql: string, values: readonly Value[], refusal: () => Error): Promise<void>;
  /**
   * Changes records of an area, and has the companions of the area add what belongs to it. Resolves when the companions
   * have; the revisions are known after the commit.
   *
   * @returns stands for the revisions of the changes: as values of later statements of the draft (`written.revision(0)`),
   *   and, after `transact` has returned, as numbers (`written.revisions`)
   */
  write(area: AreaId, changes: readonly Change[], by: Actor | null): Promise<WriteReceipt>;
  /**
   * Makes the changes of an area that were staged under a plan (see `write/staged.ts`), in place of a message with all of them.
   *
   * @throws ServiceError when committed, `precondition_failed` if a record has another revision than its patch was made for
   */
  staged(area: AreaId, plan: string, making: StagedOptions): Promise<void>;
  /** Adds entries with the changes that they describe; see {@link RecordStore.restore}. */
  restore(area: AreaId, entries: readonly Entry[]): void;
  /**
   * Adds a statement that writes rows of other tables.
   *
   * @returns stands for the number of rows that it changes: `revisions[0]` after `transact` has returned
   */
  run(sql: string, values?: readonly (Value | RevisionOf)[]): WriteReceipt;
  /** What the companions of the transaction share under a key: made when it is first asked for. */
  local<T>(key: symbol, make: () => T): T;
  /** Brings rows that are derived from the texts of records up to date with them, as they are at the commit. */
  derive(area: AreaId, derived: Derived): void;
  /** The revision that an area has at the commit, after the steps so far: `revisions[0]` after `transact` has returned. */
  revisionOf(area: AreaId): WriteReceipt;
}

/** Successive revisions of an area, both included. */
export type RevisionSpan = { readonly from: number; readonly to: number };

/**
 * Rows that are derived from the texts of records: those of the records whose last change is in a span, in the index of texts or of
 * words; the index of values, which is led from the state before a span to that behind it; the policies of some records, or of entries.
 */
export type Derived =
  | { readonly of: 'texts' | 'values'; readonly span: RevisionSpan }
  | { readonly of: 'words'; readonly span: RevisionSpan; readonly options: WordOptions }
  | { readonly of: 'policies'; readonly iris: readonly string[] }
  | { readonly of: 'entries'; readonly revisions: readonly number[] };

/** How staged changes are made. */
export type StagedOptions = {
  readonly by: Actor | null;
  readonly note?: ChangeNote;
  /** Patches that the transaction stages itself, in place of those that were staged for these records. */
  readonly late?: Patches | undefined;
  /** Whether the companions of the area see the late changes, and of the others those of {@link Participants.concerned}. */
  readonly companions?: boolean;
};

/** A record with its revision, as a draft reads it. */
export type StoredText = {
  readonly pid: string;
  readonly className: string;
  readonly json: string;
  readonly revision: number;
};

/** A record as a draft reads it, with its area and its IRI. */
export type RecordOfArea = StoredText & { readonly area: number; readonly iri: string };

export type WriteReceipt = {
  /** The revision that a change will have, as a value of a statement. */
  revision(change: number): RevisionOf;
  /** The revisions of the changes. @throws Error before the commit */
  readonly revisions: readonly number[];
};

/** Stands for the revision that the commit gives to a change. */
export type RevisionOf = { readonly step: number; readonly change: number };

/** A read that has to return what it has returned. */
export type Check = { readonly sql: string; readonly values: readonly Value[]; readonly expected: string };

export type Step =
  | { readonly area: AreaId; readonly changes: readonly Change[]; readonly by: Actor | null }
  | { readonly area: AreaId; readonly restored: readonly Entry[] }
  | StagedStep
  | { readonly area: AreaId; readonly derived: Derived }
  | { readonly revisionOf: number }
  | { readonly sql: string; readonly values: readonly (Value | RevisionOf)[] };

/** Makes the changes of an area that were staged under a plan; see `write/staged.ts`. */
export type StagedStep = {
  readonly area: AreaId;
  readonly staged: string;
  readonly by: Actor | null;
  readonly note?: ChangeNote;
};

/** Checks, then steps in order, all of it or nothing. Plain data. */
export type Transaction = { readonly checks: readonly Check[]; readonly steps: readonly Step[] };

/** Other rooms that take part in writes to areas, by the path of the area. */
export type Participants = {
  /** Called inside of {@link Draft.write}: reads, and adds statements to the same transaction. */
  companions(path: string): readonly Companion[];
  /**
   * A condition on `accession_patch p` for the staged changes that the companions of an area take part in; without it, they
   * see none. `written.revision` is not known to them.
   */
  concerned?(path: string): string | undefined;
  /** Keeps files of the area equal to it. */
  mirror(path: string): Mirror | undefined;
};

/** Keeps rows that depend on records: the submissions of the review. */
export type Companion = (
  draft: Draft,
  area: AreaId,
  changes: readonly Change[],
  by: Actor | null,
  written: WriteReceipt,
) => Promise<void>;

/** Files that are kept equal to an area. */
export interface Mirror {
  /**
   * Prepares the files of a write before it is committed: they are complete and on disk under temporary names.
   *
   * @throws ServiceError `storage_full`, `storage_failed`: nothing is committed then
   */
  stage(changes: readonly Change[]): Promise<StagedFiles>;
  /** Writes the files of all changes that it has not seen, after the commit of staged changes and before the answer. Does not throw. */
  catchUp(): Promise<void>;
}

/** Exactly one of the two is called. */
export type StagedFiles = {
  /** Renames the files into place, after the commit and before the answer. Does not throw: a failure is tried again. */
  publish(revisions: readonly number[]): Promise<void>;
  discard(): Promise<void>;
};
