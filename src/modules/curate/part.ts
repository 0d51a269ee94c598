/** The part of a collection that curation has, and the key that finds it. */
import { type CollectionPart, partKey } from '../../core/collections/part.ts';
import type { ListedPairs } from './duplicates.ts';

export interface CuratePart extends CollectionPart {
  /** The pairs of the curated area that may be about the same thing. */
  duplicates(): Promise<ListedPairs>;
}

export const curatePart = partKey<CuratePart>('curate');
