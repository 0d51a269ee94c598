/** The records of an area as they are read: the stores behind them, and keys that name their state. */
import { EMPTY_VIEW, type RecordView } from '../records/record.ts';
import type { RecordStore } from '../storage/store.ts';
import { isBeingEmptied } from './delete-records.ts';

/** The records of an area as they are read. */
export type AreaReading = {
  readonly view: RecordView;
  /** The stores behind it, the first one first. One caller reads all of them, so they have the same visibility. */
  readonly parts: readonly Part[];
  /** Whether a page past the end holds the last records, see {@link isBeingEmptied}. */
  isEmptying?(): Promise<boolean>;
};

/** A store of a collection, and its scope in entity tags. */
export type Part = {
  readonly store: RecordStore;
  readonly scope: string;
  /** The revision that it is read at, if not the present one. */
  readonly at?: number;
};

/** Reads an area that does not exist yet. */
export const EMPTY_READING: AreaReading = { view: EMPTY_VIEW, parts: [] };

/** Reads one store. */
export function readingOf(part: Part): AreaReading {
  return { view: part.store, parts: [part] };
}

/** The revisions that parts are read at, as {@link AreaState} has them. @param now the present ones */
export function revisionText(parts: readonly Part[], now: readonly number[]): string {
  const revisions = parts.map(({ at }, index) => at ?? now[index]!).reverse();
  return revisions.join('.') || '0';
}

/** Identifies the records of parts that the caller sees, also over restarts. @param now the present revisions */
export function cacheKey(parts: readonly Part[], now: readonly number[]): string {
  return JSON.stringify(
    parts.map(({ scope, store: { visibility }, at }, index) => {
      // The policies of present records decide about former ones.
      const dependsOnPresent = at === undefined || visibility !== undefined;
      return [scope, at, dependsOnPresent && now[index], visibility?.key];
    }),
  );
}
