/** The part of a collection that review has, and the key that finds it. */
import { type CollectionPart, partKey } from '../../core/collections/part.ts';
import type { Review } from './review.ts';

export interface ReviewPart extends CollectionPart {
  readonly review: Review;
}

export const reviewPart = partKey<ReviewPart>('review');
