/** Finds the records of an area that a zone over it shadows, as numbers. */

import { IdSet } from '../storage/id-set.ts';
import { pairsOf } from '../storage/read/pid-order.ts';
import type { Reads } from '../storage/read/records.ts';
import type { Effort } from '../storage/search/effort.ts';
import type { ValueReads } from '../storage/search/value-reads.ts';
import type { RecordStore } from '../storage/store.ts';

/** A record that the caller does not see neither shadows nor is shadowed, see `shadows.ts`. */
export async function shadowedIds(
  reads: Reads,
  [top, below]: readonly Pick<RecordStore, 'area' | 'visibility'>[],
  [, index]: readonly ValueReads[],
  effort: Effort,
): Promise<IdSet> {
  const found = new IdSet();
  if (!top || !below) return found;
  for await (const rows of pairsOf(reads, top.area, below.area)) {
    await effort.spend(rows.length);
    for (const { id, className, policy, own } of rows)
      if ((top.visibility?.sees(own) ?? true) && index!.isSeen({ className, policy })) found.add(id);
  }
  return found;
}
