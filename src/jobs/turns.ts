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

/** Items that are sorted at once: some milliseconds, if a comparison takes half a microsecond. */
const RUN = 1024;

/** The same as `toSorted` of an array, in slices. */
export async function sortInTurns<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const breathe = slices();
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += RUN) {
    runs.push(items.slice(from, from + RUN).sort(compare));
    await breathe();
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(await mergeInTurns(runs[at]!, runs[at + 1] ?? [], compare, breathe));
    runs = longer;
  }
  return runs[0] ?? [];
}

async function mergeInTurns<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
  breathe: Breathe,
): Promise<T[]> {
  const merged: T[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    const isFromA = j >= b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0);
    merged.push(isFromA ? a[i++]! : b[j++]!);
    if (merged.length % RUN === 0) await breathe();
  }
  return merged;
}
