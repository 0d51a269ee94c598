/** The part of a collection that curation has, and the key that finds it. */
import { type CollectionPart, partKey } from '../../core/collections/part.ts';
import type { DuplicatePair } from './duplicates.ts';

export interface CuratePart extends CollectionPart {
  /** The pairs of the curated area that may be about the same thing, the surest first. */
  duplicates(): Promise<DuplicatePair[]>;
}

export const curatePart = partKey<CuratePart>('curate');
