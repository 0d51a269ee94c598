/**
 * The contract of an area: the user area, the curated area, an incoming zone. Sections 4.1 and 4.2 of the specification
 * are one family of endpoints over it.
 */

import type { JsonObject } from '#linkml/json.ts';
import type { ServiceError } from '../errors.ts';
import type { Condition, Version } from '../records/condition.ts';
import type { FoundRange, FoundWords, WordSearch } from '../records/find-words.ts';
import type { Page } from '../records/page.ts';
import type { RecordText, ReferenceSource } from '../records/record.ts';
import type { SubmissionMode } from '../records/submit.ts';
import type { FoundValues, ValueSearch } from '../records/value-search.ts';
import type { CheckOptions } from '../schema/schema.ts';
import type { ListedRecord, Range, ScanSelection, StoredRecord } from '../storage/store.ts';
import type { Visibility } from '../storage/visibility.ts';
import type { ItemHints } from './part.ts';

/** The actions of requests in an area; each needs a permission. */
export type Action = 'read' | 'store' | 'validate' | 'remove';

/** The methods check their permission first, and throw `permission_missing` or, for a zone, `label_unknown`. */
export type AreaReads = {
  /** One record with its version. @throws ServiceError `prefix_unknown` */
  read(pid: string): Promise<ReadRecord | undefined>;
  /** All selected records, if there are at most `limit`. @throws ServiceError `too_many_records` */
  list(selected: RecordFilter, limit: number): Promise<readonly ListedRecord[]>;
  page(selected: RecordFilter, page: number, size: number): Promise<Page>;
  /** The number of selected records. */
  count(selected: RecordFilter): Promise<number>;
  /** Every record, in pid order; those without the words may be left out, see `ScanSelection`. */
  scan(
    selected: RecordFilter & Pick<ScanSelection, 'words' | 'mostCandidates' | 'after'>,
  ): Promise<AsyncIterable<ListedRecord>>;
  /**
   * A range of the records that a query of words finds, best first, and how many there are: as of one moment.
   *
   * @returns undefined if the index of words is so far behind that they have to be looked for by `scan`
   */
  find(
    selected: Pick<RecordFilter, 'className'>,
    search: Omit<WordSearch, 'classes'>,
    range: Range,
  ): Promise<(FoundRange & Pick<FoundWords, 'isCurrent'>) | undefined>;
  /**
   * A page of the records that filters find, and how many have each value of some slots, any value, or one in a range: all of it exact,
   * and of one moment.
   *
   * @throws ServiceError `search_too_broad`, `too_many_records`
   */
  filter(search: AreaSearch): Promise<FilteredPage>;
  /**
   * The same of the records of a query of words, best first without another order.
   *
   * @returns undefined as by `find`
   */
  filterWords(
    search: Omit<AreaSearch, 'iris'>,
    words: Omit<WordSearch, 'classes'>,
  ): Promise<(FilteredPage & Pick<FoundWords, 'isCurrent'>) | undefined>;
  state(): Promise<AreaState>;
};

/** Filters of an area. */
export type AreaSearch = Omit<ValueSearch, 'classes' | 'among'> & {
  readonly className: string | undefined;
  /** Only these records, which is their order without another one. */
  readonly iris?: readonly string[];
};

export type FilteredPage = Omit<FoundValues, 'ids'> & {
  readonly records: readonly ListedRecord[];
};

export type AreaState = {
  /** The revisions of what is read, of the curated area first: `57`, or `57.12` with a zone. */
  readonly revision: string;
  /**
   * Identifies the records that lists and pages are made from, for caches and entity tags; undefined if these depend on the time as
   * well.
   */
  readonly cacheKey: string | undefined;
};

/** An area as it is now: what requests read from it and write to it. */
export type Area = AreaReads & {
  /** The area as it was. @throws ServiceError `revision_gone` if its entries were removed */
  at(moment: Moment): Promise<AreaReads & ReferenceSource>;
  /** The path below the collection: empty, `/curated` or `/incoming/<label>`. */
  readonly path: string;
  /** Which of the records the caller sees; undefined if all. @throws ServiceError `policies_unavailable` */
  visibility(): Visibility | undefined;
  /** Checks the permission alone, for a request whose body has not been read yet. */
  require(action: Action): Promise<void>;
  /**
   * The records of a submitted object: the posted one first, then the records inlined in it.
   *
   * @param check how the object is checked, which depends on the format that it was read from
   * @throws ServiceError `record_invalid`, `prefix_unknown`
   */
  validate(
    className: string,
    value: JsonObject,
    options?: SubmissionOptions,
    check?: CheckOptions,
  ): Promise<RecordText[]>;
  /** How objects are treated that are posted now, for checks in other threads. */
  submissionMode(options?: SubmissionOptions): SubmissionMode;
  /**
   * Writes all records or none.
   *
   * @param condition applies to the first record
   * @param metadata what the client says of a submission, for its review
   * @throws ServiceError `precondition_failed`
   */
  store(
    records: readonly RecordText[],
    condition?: Condition,
    metadata?: SubmissionMetadata,
  ): Promise<StoreResult>;
  /**
   * Writes many items in one transaction, each with all of its records: those whose conditions are true, or with `allOrNothing` none if
   * one is not. A condition on a record that an item before it writes is about the state behind that.
   *
   * @returns for each item the version of its first record, or why it is not written: `precondition_failed`; undefined for one that
   *   others have prevented
   */
  storeMany(
    items: readonly StoreItem[],
    allOrNothing: boolean,
    metadata?: SubmissionMetadata,
  ): Promise<(ServiceError | Version | undefined)[]>;
  /**
   * Deletes a record.
   *
   * @param unreferenced whether it is refused if other records of the area refer to the record
   * @throws ServiceError `record_missing`, `precondition_failed`, `record_referenced`
   */
  remove(pid: string, condition?: Condition, unreferenced?: boolean): Promise<DeleteResult>;
  /** Hints about the records that items become, for those who may read the curated area; see {@link Hints}. */
  hints(items: readonly (readonly RecordText[])[]): Promise<readonly ItemHints[]>;
  /**
   * Deletes many records in one transaction: those that there are, or with `allOrNothing` none if one is refused.
   *
   * @param unreferenced whether a record is refused if others refer to it that were not deleted before it or, with `allOrNothing`, that
   *   stay
   * @returns for each record what its delete leaves behind, or why it was not deleted: `record_missing`, `prefix_unknown`,
   *   `precondition_failed`, `record_referenced`
   */
  removeMany(
    items: readonly RemoveItem[],
    allOrNothing: boolean,
    unreferenced?: boolean,
  ): Promise<(ServiceError | DeleteResult)[]>;
};

/** An item of many that are stored. */
export type StoreItem = {
  /** Its own record first, then those that were inlined in it. */
  readonly records: readonly RecordText[];
  /** Applies to the first record. */
  readonly condition?: Condition | undefined;
};

/** A record of many that are deleted. */
export type RemoveItem = { readonly pid: string; readonly condition?: Condition | undefined };

/** The result of a store. */
type StoreResult = {
  /** The version of each record. */
  readonly versions: readonly Version[];
  /** The revisions of what the caller reads, see {@link AreaState}, at the commit; undefined if nothing was written. */
  readonly revision?: string;
};

/** The result of a delete. */
export type DeleteResult = {
  /** How many records of the area refer to the deleted one, as far as their references are known. */
  readonly referrers: number;
};

export type ReadRecord = {
  readonly record: StoredRecord;
  readonly version: Version;
  /** The revisions of what is read, see {@link AreaState}. */
  readonly revision: string;
  /** Whether it was renamed, or merged into another one: its pid is not the one that was asked for. */
  readonly moved?: boolean;
};

/** Which records of an area: of a class, and matching a pattern. */
export type RecordFilter = { readonly className?: string; readonly matching?: string };

/** The note of a client about a submission. */
export type SubmissionMetadata = {
  readonly batch?: string;
  readonly message?: string;
  /** The state of the curated record that the client started from, as the `ETag` of that names it. */
  readonly basedOn?: Version | 'unresolved';
};

/** Of a record that a client stores, what companions get besides its note. */
export type StoreContext = Pick<SubmissionMetadata, 'basedOn'> & {
  /** Whether the schema of the collection has checked the record: nothing has to check it again. */
  readonly isChecked?: boolean;
};

export type SubmissionOptions = { readonly addSubmissionTag?: boolean };

/**
 * A time in the form of entries, or the revisions of the areas that are read: of the curated one first, then of the zone. A client
 * sends `numbers`, see {@link revisionOf}.
 */
export type Moment =
  | { readonly time: string }
  | { readonly revisions: readonly number[] }
  | { readonly numbers: readonly number[] };
