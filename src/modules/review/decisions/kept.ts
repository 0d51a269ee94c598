/** The records that a decision keeps. */

import type { Submission } from '../submissions/submission.ts';
import type { Content } from './content.ts';

/** The records that a decision keeps, until they are forgotten. */
export type Kept = {
  readonly submitted: Content;
  /** The curated record before and after an accept; null for none. */
  readonly before: Content | null;
  readonly after: Content | null;
  /** The state that an undo puts back together with the record. */
  readonly submission: Pick<
    Submission,
    'submitted_at' | 'batch' | 'message' | 'answered_at' | `base_${'known' | 'revision' | 'class' | 'json'}`
  >;
};
