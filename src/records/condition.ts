/** The conditions that a client sets for writing a record: `If-Match` and `If-None-Match` in domain words. */
import { ServiceError } from '../errors.ts';
import type { Expectation } from '../storage/store.ts';

/** A state of a record: its area, and its revision there. */
export type Version = {
  /** A short name of the collection and the area, the same over restarts. */
  readonly place: string;
  readonly revision: number;
};

export type Condition =
  | { readonly kind: 'absent' }
  | { readonly kind: 'present' }
  | { readonly kind: 'version'; readonly versions: readonly Version[] };

/** The condition as a store checks it, for a record that is kept in a place. */
export function expectationIn(place: string, condition: Condition): Expectation {
  if (condition.kind === 'absent') return { absent: true };
  if (condition.kind === 'present') return { present: true };
  return { revisions: revisionsIn(place, condition.versions) };
}

/** The revisions of those versions that belong to an area; versions of other areas cannot match there. */
export function revisionsIn(place: string, versions: readonly Version[]): number[] {
  return versions.filter((version) => version.place === place).map(({ revision }) => revision);
}

/** A condition that is not true of the record. */
export function preconditionFailed(pid: string): ServiceError {
  return new ServiceError('precondition_failed', `The record '${pid}' is not in the expected state.`);
}
