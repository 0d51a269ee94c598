/** A draft beside the record as it is stored now: the slots that differ, and the record that results. */

import { pointerSegment } from '#linkml/json.ts';
import type { SubmissionDifference } from '../../src/client/client.ts';
import { isEqual, type JsonObject } from '../shared/json.ts';
import { type Choices, sideOf } from '../shared/merge.ts';

/** The slots in which a draft differs from what is stored. @param base what the draft was begun from */
export function draftDifferences(
  base: JsonObject | undefined,
  stored: JsonObject,
  draft: JsonObject,
): SubmissionDifference[] {
  const slots = [...new Set([...Object.keys(stored), ...Object.keys(draft)])];
  return slots.flatMap((slot) => {
    const [before, curated, submitted] = [base?.[slot] ?? null, stored[slot] ?? null, draft[slot] ?? null];
    if (isEqual(curated, submitted)) return [];
    const isMine = base !== undefined && isEqual(curated, before);
    const isTheirs = base !== undefined && isEqual(submitted, before);
    const changed_by = isMine ? 'submitter' : isTheirs ? 'curator' : 'both';
    const kind = curated === null ? 'added' : submitted === null ? 'removed' : 'changed';
    const values = { base: before, curated, submitted };
    return [
      {
        path: `/${pointerSegment(slot)}`,
        slot,
        kind,
        ...values,
        changed_by,
        conflict: changed_by === 'both',
      },
    ];
  });
}

/** The stored record with the values that were chosen. */
export function mergedDraft(
  stored: JsonObject,
  differences: readonly SubmissionDifference[],
  choices: Choices,
): JsonObject {
  const result = { ...stored };
  for (const difference of differences) {
    const value = difference[sideOf(difference, choices) ?? 'submitted'];
    if (value === null) delete result[difference.slot!];
    else result[difference.slot!] = value;
  }
  return result;
}
