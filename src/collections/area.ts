/**
 * The contract of an area: a place that records are read from and written to. Sections 4.1 and 4.2 of the specification
 * are one family of routes over it.
 */
import type { JsonObject } from '../json.ts';
import type { Condition, Version } from '../records/condition.ts';
import type { RecordText, RecordView } from '../records/record.ts';
import type { StoredRecord } from '../storage/store.ts';

export type Area = {
  /** Where the area stands below the collection, in paths: empty, `/curated` or `/incoming/<label>`. */
  readonly path: string;
  /** The classes that a list of one class covers. */
  classesOf(className: string): readonly string[];
  /** @throws ServiceError `permission_missing` */
  source(): Promise<Source>;
  /** @throws ServiceError `permission_missing` */
  sink(purpose: Purpose): Promise<Sink>;
};

/** What a write is for; told in the refusal. */
export type Purpose = 'submit to' | 'validate records for' | 'delete records from';

export type Source = {
  /** Tells the sources of a collection apart. */
  readonly name: string;
  readonly view: RecordView;
  /** A single record together with its version. */
  find(iri: string): Promise<Found | undefined>;
  /** Whether a page past the end holds the last records, see `emptying.ts`. */
  readonly emptying?: boolean;
};

export type Found = { readonly record: StoredRecord; readonly version: Version };

export type Sink = {
  /**
   * What an object would become: the posted record first, then the records that it holds inline.
   *
   * @throws ServiceError `record_invalid`, `prefix_unknown`
   */
  prepare(className: string, value: JsonObject, options: StoreOptions): RecordText[];
  /**
   * Writes all records or none.
   *
   * @param condition is for the first record
   * @returns the version of each record
   * @throws ServiceError `precondition_failed`
   */
  write(records: readonly RecordText[], condition?: Condition): Promise<Version[]>;
  /** @throws ServiceError `record_missing`, `precondition_failed` */
  remove(pid: string, condition?: Condition): Promise<void>;
};

export type StoreOptions = { readonly addSubmissionTag: boolean };
