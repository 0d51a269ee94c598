/** Long work in slices: requests of other clients have their turn in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may go on before others have their turn, in milliseconds. */
const TURN_SLICE_MS = 10;

/** Items between two looks at the clock. */
const STRIDE = 16;

/** Returns at once, or after others had their turn if the work has gone on for long. To be called between steps. */
export type Breathe = () => Promise<void>;

/** A measure of the time that one piece of work takes, from now on. */
export function slices(): Breathe {
  let turn = performance.now();
  return async () => {
    if (performance.now() - turn < TURN_SLICE_MS) return;
    await nextTurn();
    turn = performance.now();
  };
}

/** The same as `map` of an array, in slices. */
export async function mapInTurns<T, R>(items: readonly T[], make: (item: T) => R): Promise<R[]> {
  const breathe = slices();
  const made: R[] = [];
  for (const [index, item] of items.entries()) {
    // The clock costs more than most items.
    if (index % STRIDE === STRIDE - 1) await breathe();
    made.push(make(item));
  }
  return made;
}
