/** The records of an area as they are read. */
import type { RecordView } from '../records/record.ts';
import type { RecordStore } from '../storage/store.ts';
import { isBeingEmptied } from './delete-records.ts';

/** The records of an area as they are read. */
export type AreaReading = {
  /** Identifies the stores among those of the collection. */
  readonly place: string;
  readonly view: RecordView;
  /** The stores behind it, the first one first. */
  readonly parts: readonly Part[];
  /** Whether a page past the end holds the last records, see {@link isBeingEmptied}. */
  isEmptying?(): Promise<boolean>;
};

/** A store of a collection, and its name in entity tags. */
export type Part = {
  readonly store: RecordStore;
  readonly place: string;
  /** The revision that it is read at, if not the present one. */
  readonly at?: number;
};
