/** Finding one's way in the order of records. */
import { compareCodePoints } from '../json.ts';
import { compareKeys, type ListedRecord, type RecordKey, type Within } from '../storage/store.ts';

/** Two sorted lists as one. */
export function mergeInOrder(own: readonly ListedRecord[], curated: readonly ListedRecord[]): ListedRecord[] {
  const merged: ListedRecord[] = [];
  let i = 0;
  for (const record of curated) {
    while (i < own.length && compareKeys(own[i]!, record) <= 0) merged.push(own[i++]!);
    merged.push(record);
  }
  return [...merged, ...own.slice(i)];
}

/** How many of the sorted keys have a pid before this one. */
export function countBefore(keys: readonly RecordKey[], pid: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareCodePoints(keys[middle]!.pid, pid) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The smallest number below `end` whose value is at least `least`, else `end`. Values must not fall; those that are
 * returned at once cost no turn of the event loop.
 *
 * @param within what a value may be, if that is cheaper to know than the value: most comparisons need no more
 */
export async function lowerBound(
  end: number,
  least: number,
  valueAt: (n: number) => number | Promise<number>,
  within: (n: number) => Within | Promise<Within> = () => ANY_NUMBER,
): Promise<number> {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const about = within(middle);
    const [from, to] = about instanceof Promise ? await about : about;
    if (from >= least) high = middle;
    else if (to < least) low = middle + 1;
    else {
      const value = valueAt(middle);
      if ((typeof value === 'number' ? value : await value) >= least) high = middle;
      else low = middle + 1;
    }
  }
  return low;
}

/** What a value may be of which nothing is known. */
export const ANY_NUMBER: Within = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
