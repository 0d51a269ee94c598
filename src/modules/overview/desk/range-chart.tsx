/** A small chart in the ranges of Browse: how many of the listed records have a number or a date in each part, whatever the range. */
import { filterName, withFilters } from '../../../../ui/browse/filters.ts';
import type { RangeChartProps } from '../../../../ui/module.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { slotTitle, written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { count } from '../../../../ui/shared/time.ts';
import { overview } from '../client.ts';
import { type Bar, filterOf, rangeWords } from './bars.ts';
import { INK } from './plots.tsx';
import { soughtIn } from './scope.ts';
import { to } from './texts.ts';

/** In units of the picture, which is as wide as the panel. */
const WIDTH = 200;
const HEIGHT = 36;

export function RangeChart({ collection, description, slot, text, where: all }: RangeChartProps) {
  const none = { [filterName(slot.name, 'from')]: [], [filterName(slot.name, 'to')]: [] };
  const where = Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(none, name)));
  const scope = { collection, className: description.class, text, where };
  // Without a chart, the ends of the range are still typed.
  const { value } = useLoad(
    JSON.stringify([scope, slot.name]),
    (signal) => lab(collection, signal).use(overview).values(slot.name, soughtIn(scope)),
    written.value,
  );
  if (value && (value.kind === 'values' || value.bars.length < 2)) return null;
  const bars = value?.bars ?? [];
  const most = Math.max(...bars.map(({ records }) => records));
  const step = WIDTH / bars.length;
  return (
    <svg
      class="range-chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="group"
      aria-label={to('values', { slot: slotTitle(slot) })}
    >
      {value &&
        bars.map((bar, at) => {
          // Also a single record among many is seen.
          const height = bar.records === 0 ? 0 : Math.max(2, (HEIGHT * bar.records) / most);
          const words = `${rangeWords(bar, value.kind)}: ${count(bar.records)}`;
          return (
            // The fields below are for keys; twenty stops more would be in the way.
            <a
              key={words}
              href={withFilters({ ...none, ...filterOf(slot.name, bar) })}
              tabIndex={-1}
              aria-label={words}
            >
              <title>{words}</title>
              <rect x={at * step} width={step} height={HEIGHT} fill="transparent" />
              <rect
                x={at * step + step * 0.1}
                y={HEIGHT - height}
                width={step * 0.8}
                height={height}
                fill={meets(bar, all, slot.name) ? INK : 'var(--line-firm)'}
              />
            </a>
          );
        })}
    </svg>
  );
}

/** Whether a part of a bar is in the range that is chosen; all of it if none is. */
function meets({ from, to: end }: Bar, where: RangeChartProps['where'], slot: string): boolean {
  const [least] = where[filterName(slot, 'from')] ?? [];
  const [most] = where[filterName(slot, 'to')] ?? [];
  return isUpTo(least, end) && isUpTo(from, most);
}

/** Whether one end is not behind another one; a date is compared as far as both are given. */
function isUpTo(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return true;
  if (Number.isFinite(Number(one)) && Number.isFinite(Number(other))) return Number(one) <= Number(other);
  const length = Math.min(one.length, other.length);
  return one.slice(0, length) <= other.slice(0, length);
}
