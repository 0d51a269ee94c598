/** The values that people choose from. */
import type { SlotRange } from '../schema/schema.ts';

/** The values of a range with a closed list of them; none for other ranges. */
export function choicesOf(range: SlotRange): readonly string[] {
  if (range.kind === 'enum' && !range.enum.open) return [...range.enum.values.keys()];
  if (range.kind === 'type' && range.type.base === 'boolean') return ['true', 'false'];
  return [];
}
