/** The bars of the values of a slot: their words, and the filters that select what they count. */
import { filterName, type Where } from '../../../../ui/browse/filters.ts';
import { calendarDate, numberText } from '../../../../ui/shared/time.ts';
import type { SlotValues } from '../api-types.ts';
import { to } from './texts.ts';

export type Bar = SlotValues['bars'][number];

/** A range in words: `2019–2020`. */
export function rangeWords({ from, to: end }: Bar, kind: SlotValues['kind']): string {
  const shown = (text: string) => (kind === 'numbers' ? numberText(text) : calendarDate(text));
  if (from === undefined && end === undefined) return to('value');
  if (from === undefined) return to('before', { to: shown(rounded(end!)) });
  if (end === undefined) return to('onwards', { from: shown(from) });
  return from === end ? shown(from) : `${shown(from)}–${shown(rounded(end))}`;
}

/** The end of a range of doubles is the last one before the next range. */
function rounded(end: string): string {
  return end.length > 12 && /^-?[\d.]+$/.test(end) ? String(Number(Number(end).toPrecision(10))) : end;
}

/** The filter for the records that a bar counts. */
export function filterOf(slot: string, { value, from, to: end }: Bar): Where {
  if (value !== undefined) return { [slot]: [value] };
  return {
    ...(from !== undefined && { [filterName(slot, 'from')]: [from] }),
    ...(end !== undefined && { [filterName(slot, 'to')]: [end] }),
    ...(from === undefined && end === undefined && { [filterName(slot, 'filled')]: ['true'] }),
  };
}
