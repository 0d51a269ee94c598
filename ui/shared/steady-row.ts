/** The row of a list under the cursor, while others change the list: a key never decides on a row that was not looked at. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Pages } from './pages.ts';
import { useCurrentRow } from './table.tsx';

/** Rows that are searched for one that has moved, in each direction. */
const NEAR = 100;

type SteadyRow<Row> = {
  readonly index: number;
  /** Undefined while another row has taken the place of the one that was looked at. */
  readonly row: Row | undefined;
  readonly isLost: boolean;
  /** Looks at the row at an index. */
  readonly moveTo: (index: number) => void;
  /** Looks at whatever is at the index, as after an own decision. */
  readonly stay: () => void;
};

export function useSteadyRow<Row>(
  list: string,
  { rowAt, total, stale, loaded }: Pages<Row>,
  keyOf: (row: Row) => string,
): SteadyRow<Row> {
  const [chosen, choose] = useCurrentRow();
  const seen = useRef<{ list: string; index: number; key: string | undefined }>({
    list,
    index: 0,
    key: undefined,
  }).current;
  const index = loaded ? Math.max(0, Math.min(chosen, total - 1)) : chosen;
  const here = stale ? undefined : rowAt(index);
  if (seen.list !== list || seen.index !== index || seen.key === undefined)
    Object.assign(seen, { list, index, key: here && keyOf(here) });
  const isSame = here === undefined || keyOf(here) === seen.key;
  const moved = isSame ? index : near(rowAt, index).find((one) => keyOf(rowAt(one)!) === seen.key);
  if (moved !== undefined) seen.index = moved;
  // Before the next key: one that comes before the browser has painted moves from here.
  useLayoutEffect(() => {
    if (moved !== undefined && moved !== chosen && here) choose(moved);
  }, [moved]);
  const isLost = moved === undefined;
  return {
    index: moved ?? index,
    row: isLost || stale ? undefined : rowAt(moved),
    isLost,
    moveTo: (to) => {
      seen.key = undefined;
      choose(to);
    },
    stay: () => {
      seen.key = undefined;
    },
  };
}

/** The indexes of rows around another one, the nearest first. */
function near<Row>(rowAt: (index: number) => Row | undefined, index: number): number[] {
  return Array.from({ length: NEAR }, (_, i) => [index - i - 1, index + i + 1])
    .flat()
    .filter((one) => one >= 0 && rowAt(one) !== undefined);
}
