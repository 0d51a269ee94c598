/** The chosen sides of a submission, as the service merges with them. */

import { isEqual } from '../../../../ui/shared/json.ts';
import { type Choices, type Side, sideOf } from '../../../../ui/shared/merge.ts';
import type { SubmissionDifference } from '../../../client/client.ts';
import type { ReviewItem } from '../api-types.ts';

/** Whether the curated record is not the one that the submission was made from. */
export function hasBase({ base, curated, state }: ReviewItem): boolean {
  return state === 'diverged' && base !== null && !(curated !== null && isEqual(base, curated));
}

/** Returns the `take` of a request: choices that differ from the default. */
export function takeOf(differences: readonly SubmissionDifference[], choices: Choices): Record<string, Side> {
  const take: Record<string, Side> = {};
  for (const difference of differences) {
    const side = choices[difference.path];
    if (side !== undefined && side !== difference.side) take[difference.path] = side;
  }
  return take;
}

/** The same for a form of the result: conflicts without a choice begin with what was submitted. */
export function takeForForm(
  differences: readonly SubmissionDifference[],
  choices: Choices,
): Record<string, Side> {
  const open = differences.filter((one) => sideOf(one, choices) === undefined);
  return {
    ...Object.fromEntries(open.map(({ path }) => [path, 'submitted' as const])),
    ...takeOf(differences, choices),
  };
}
