/** The changes of a plan, record by record. */
import type { LinkLines, RecordKey } from './store.ts';

/** The change that a plan makes to one record of an area. */
export type Patch = {
  /** The record that it is made from; null if it makes one. */
  readonly before: (RecordKey & { readonly revision: number }) | null;
  /** Null if it deletes the record. Without links, the references of the record are found later. */
  readonly after: (RecordKey & { readonly json: string; readonly links?: LinkLines }) | null;
};

/** Patches by the IRI of the record that they are made from; undefined for records that are left as they are. */
export type Patches = ReadonlyMap<string, Patch | undefined>;
