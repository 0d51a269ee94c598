/** Long work in slices: requests of other clients have their turn in between. Every room may import this file. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EVERY } from './durations.ts';

/** Returns at once, or after others had their turn if the work has gone on for long. To be called between steps. */
export type YieldIfDue = () => Promise<void>;

/** A measure of the time that one piece of work takes, from now on. */
export function yielder(): YieldIfDue {
  let turn = performance.now();
  return async () => {
    if (performance.now() - turn < EVERY.turn) return;
    await nextTurn();
    turn = performance.now();
  };
}
