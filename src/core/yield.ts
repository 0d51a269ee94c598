/**
 * Long work in slices: requests of other clients have their turn in between, however much long work there is. Every room may
 * import this file.
 */
import { EVERY } from './durations.ts';

/** Returns at once, or after others had their turn if the work has gone on for long. To be called between steps. */
export type YieldIfDue = () => Promise<void>;

/** When long work began in the present turn of the event loop, whichever it was. */
let began: number | undefined;

function begin(): void {
  setImmediate(() => {
    began = undefined;
  });
  began = performance.now();
}

function isDue(turn: number = EVERY.turn): boolean {
  if (began === undefined) begin();
  return performance.now() - began! >= turn;
}

/**
 * A measure of the time that long work takes, from now on. All work of a turn shares it: requests that have waited for one
 * result go on in the turn that has found it.
 */
export function yielder(): YieldIfDue {
  isDue();
  return async () => {
    if (isDue()) await nextTurn();
  };
}

/**
 * To be called before each short step that may be one of many, whatever work it is of: it gives way in a turn that has become too long for
 * others. Short requests that are answered in one turn go on.
 */
export function yieldIfOverdue(): Promise<void> | undefined {
  return isDue(EVERY.longestTurn) ? nextTurn() : undefined;
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
  begin();
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(goOn);
}
