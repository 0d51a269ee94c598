/** The sides of a difference, and which one is chosen. */
import type { SubmissionDifference } from '../../src/client/client.ts';

export type Side = 'base' | 'curated' | 'submitted';
export type Choices = Readonly<Record<string, Side>>;

/** The chosen side, else the one that a merge takes; undefined for a conflict without a choice. */
export function sideOf({ path, side }: SubmissionDifference, choices: Choices): Side | undefined {
  return choices[path] ?? side ?? undefined;
}
