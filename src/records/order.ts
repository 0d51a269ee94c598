/** Locates records by their offset in the order of records. */
import { compareCodePoints } from '../json.ts';
import { compareKeys, type ListedRecord, type RecordKey } from '../storage/store.ts';

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

/** The smallest number below `end` whose value is at least `least`, else `end`. Values must not fall. */
export async function lowerBound(
  end: number,
  least: number,
  valueAt: (n: number) => Promise<number>,
): Promise<number> {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((await valueAt(middle)) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}
