/** Locates records by their offset in the order of records. */
import { compareKeys, type ListedRecord } from '../storage/store.ts';

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
