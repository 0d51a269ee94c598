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
  /** A row was decided here: if it is looked at, whatever takes its place is looked at, however late the list is read again. */
  readonly leave: (row: Row) => void;
};

/** The row that is looked at, and the one that was decided here. */
type Seen<Row> = { list: string; index: number; key: string | undefined; left: Row | undefined };

export function useSteadyRow<Row>(
  list: string,
  { rowAt, total, stale, loaded }: Pages<Row>,
  keyOf: (row: Row) => string,
): SteadyRow<Row> {
  const [chosen, choose] = useCurrentRow();
  const seen = useRef<Seen<Row>>({ list, index: 0, key: undefined, left: undefined }).current;
  const index = loaded ? Math.max(0, Math.min(chosen, total - 1)) : chosen;
  const here = stale ? undefined : rowAt(index);
  if (seen.list !== list || seen.index !== index || seen.key === undefined)
    Object.assign(seen, { list, index, key: here && keyOf(here) });
  const { left } = seen;
  // Read again, and still there: it is another decision that takes it away.
  if (here && left && here !== left && keyOf(here) === keyOf(left)) seen.left = undefined;
  const isSame = here === undefined || keyOf(here) === seen.key;
  const found = isSame ? index : near(rowAt, index).find((one) => keyOf(rowAt(one)!) === seen.key);
  const hasLeft = found === undefined && seen.left !== undefined && keyOf(seen.left) === seen.key;
  if (hasLeft) Object.assign(seen, { key: here && keyOf(here), left: undefined });
  const moved = hasLeft ? index : found;
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
      Object.assign(seen, { key: undefined, left: undefined });
      choose(to);
    },
    leave: (left) => Object.assign(seen, { left }),
  };
}

/** The indexes of rows around another one, the nearest first. */
function near<Row>(rowAt: (index: number) => Row | undefined, index: number): number[] {
  return Array.from({ length: NEAR }, (_, i) => [index - i - 1, index + i + 1])
    .flat()
    .filter((one) => one >= 0 && rowAt(one) !== undefined);
}
