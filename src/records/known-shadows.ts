/** What an overlay remembers of a selection until one of its areas changes. */
import type { RecordKey, Within } from '../storage/store.ts';

/** What was looked up for a selection. */
export type KnownShadows = {
  shadowed: Promise<RecordKey[]> | undefined;
  /** The position of the zone's k-th record in the merged list. */
  readonly own: Positions;
  /** How many records that are not shadowed are before the n-th shadowed one. */
  readonly hidden: Positions;
  readonly ownPids: Map<number, string>;
};

/** Positions that were looked up, and what others may be. */
export type Positions = { readonly exact: Map<number, number>; readonly within: Map<number, Within> };

export const newPositions = (): Positions => ({ exact: new Map(), within: new Map() });
