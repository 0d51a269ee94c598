/** The sides of a difference, and which one is chosen. */
import type { SubmissionDifference } from '../../src/client/client.ts';

export type Side = 'base' | 'curated' | 'submitted';
export type Choices = Readonly<Record<string, Side>>;

/** The side that the service takes by default; undefined for a conflict. */
export function defaultSide({
  conflict,
  changed_by,
  submitted,
  curated,
}: SubmissionDifference): Side | undefined {
  if (conflict) return undefined;
  if (changed_by === 'curator') return 'curated';
  // An unknown base is treated as none: what only one side has is kept.
  if (changed_by === 'unknown' && submitted === null && curated !== null) return 'curated';
  return 'submitted';
}

export function sideOf(difference: SubmissionDifference, choices: Choices): Side | undefined {
  return choices[difference.path] ?? defaultSide(difference);
}
