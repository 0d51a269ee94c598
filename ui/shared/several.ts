/** Work on many things: a few requests at a time, which can be stopped. */

/** Requests at a time: a browser sends no more to one host over HTTP/1.1. */
const AT_ONCE = 6;
/** Records that are changed at once: their states before and after are in the memory of the tab. */
export const MOST_RECORDS = 20_000;

export type Steps = {
  /** After each thing, how many are done. */
  readonly onDone?: (done: number) => void;
  /** Ends the work after what is being done. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Does the same for each of many things, a few at a time.
 *
 * @returns the results in the order of the things; fewer, if it was stopped
 * @throws the first error of `work`, when what was begun with it has ended
 */
export async function forEachOf<T, R>(
  things: readonly T[],
  work: (thing: T) => Promise<R>,
  { onDone, signal }: Steps = {},
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let done = 0;
  let failed = false;
  const worker = async () => {
    while (next < things.length && !failed && !signal?.aborted) {
      const at = next++;
      try {
        results[at] = await work(things[at]!);
      } catch (error) {
        failed = true;
        throw error;
      }
      onDone?.(++done);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return results;
}
