/** Work that must not overlap. Every room may import this file. */

/** Runs work after all that it was given before, whether that succeeds or fails, and gives its result. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** A queue of its own: one work after the other. */
export function inTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
