/** Judged records as lines of a table: one for each slot that has problems or a correction. */

import { problemWords, titleAt } from '../../../../ui/shared/problem-words.ts';
import type { Slot } from '../../../../ui/shared/schema.ts';
import type { RehearsedRecord } from '../client.ts';
import { type Corrections, wrongSlots } from './corrections.ts';

/** A slot of a record, or the record itself if its problems are of no slot. */
export type Line = ReturnType<typeof wrongSlots>[number] & {
  readonly item: RehearsedRecord;
  /** Which record of the list it is of. */
  readonly index: number;
  /** Whether it is the first line of the record. */
  readonly isFirst: boolean;
};

export function linesOf(
  item: RehearsedRecord,
  index: number,
  values: Corrections['values'],
  slots: readonly Slot[] = [],
): Line[] {
  const wrong = wrongSlots(item, (problem) => `${titleAt(problem.loc, slots)}: ${problemWords(problem)}`);
  const further = Object.keys(item.draft ? (values[item.pid] ?? {}) : {})
    .filter((slot) => !wrong.some((one) => one.slot === slot))
    .map((slot) => ({ slot, messages: [] }));
  const all = [...wrong, ...further];
  const none = [{ slot: undefined, messages: [] }];
  return (all.length > 0 ? all : none).map((one, at) => ({ ...one, item, index, isFirst: at === 0 }));
}
