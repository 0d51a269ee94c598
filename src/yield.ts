/**
 * Long work in slices: requests of other clients have their turn in between, however much long work there is. Every room may
 * import this file.
 */
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

/** The long work that waits to go on. Immediates of one turn would all run before others are heard. */
const waiting: (() => void)[] = [];

/** Lets others have their turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(goOn);
}
