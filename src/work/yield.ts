/** Long work in slices: requests of other clients have their turn in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may go on before others have their turn, in milliseconds. */
const TURN_SLICE_MS = 10;

/** Returns at once, or after others had their turn if the work has gone on for long. To be called between steps. */
export type YieldIfDue = () => Promise<void>;

/** A measure of the time that one piece of work takes, from now on. */
export function yielder(): YieldIfDue {
  let turn = performance.now();
  return async () => {
    if (performance.now() - turn < TURN_SLICE_MS) return;
    await nextTurn();
    turn = performance.now();
  };
}
