/** Work on many things: some in each request, and it can be stopped between two of them. */
import type { ItemResult } from '../../src/client/client.ts';
import { isAway } from './connection.ts';
import { asClientError } from './service.ts';

/** Records that are changed at once: their states before and after are in the memory of the tab. */
export const MOST_RECORDS = 20_000;

/** Things in one request, and characters of their texts: a body has at most 10 MiB. */
const MOST_TOGETHER = 100;
const MOST_CHARACTERS = 2_000_000;

export type Steps = {
  /** After each request, how many things are done. */
  readonly onDone?: (done: number) => void;
  /** Ends the work after the present request. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Things for one request each, in their order.
 *
 * @param keyOf which things may be together: neighbors with the same key
 * @param lengthOf in characters
 */
export function* together<T>(
  things: readonly T[],
  keyOf: (thing: T) => string = () => '',
  lengthOf: (thing: T) => number = () => 0,
): Generator<readonly T[]> {
  let group: T[] = [];
  let characters = 0;
  for (const thing of things) {
    const length = lengthOf(thing);
    const isFull = group.length === MOST_TOGETHER || characters + length > MOST_CHARACTERS;
    if (group[0] && (isFull || keyOf(group[0]) !== keyOf(thing))) {
      yield group;
      [group, characters] = [[], 0];
    }
    group.push(thing);
    characters += length;
  }
  if (group.length > 0) yield group;
}

/**
 * Sends groups, one after the other.
 *
 * @param send returns one result for each thing; if the service refuses all of them, each has its answer
 * @param onResult what becomes of each
 * @throws ClientError if the service is away: nothing is known about the group that was sent
 */
export async function sendGroups<T>(
  groups: Iterable<readonly T[]>,
  send: (group: readonly T[]) => Promise<readonly ItemResult[]>,
  onResult: (thing: T, result: ItemResult) => void,
  { onDone, signal }: Steps = {},
): Promise<void> {
  let done = 0;
  for (const group of groups) {
    if (signal?.aborted) return;
    const results = await send(group).catch((problem: unknown) => {
      const { status, message } = asClientError(problem);
      if (isAway(status)) throw problem;
      return group.map((): ItemResult => ({ status, detail: message }));
    });
    for (const [at, thing] of group.entries()) onResult(thing, results[at] ?? { status: -1 });
    done += group.length;
    onDone?.(done);
  }
}
