/** Widths that a user gives to the columns of a class, in percent; the separators between two heads move them. */
import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { go, place, withQuery } from '../shared/router.ts';
import type { ClassDescription } from '../shared/schema.ts';
import { COLUMNS, WIDTHS } from './columns.ts';

const PREFIX = 'accession.widths:';
const LEAST = 4;
/** Increases when widths change. */
const changed = signal(0);

const keyOf = (collection: string, description: ClassDescription) =>
  `${PREFIX}${collection}/${description.class}`;

/** The widths that the address has, as a saved view does, else those of this browser; undefined for other columns. */
function storedWidths(key: string, columns: number): readonly number[] | undefined {
  changed.value;
  const { query } = place.value;
  const text = query.has(COLUMNS) ? query.get(WIDTHS) : localStorage.getItem(key);
  const widths = text?.split(',').map(Number) ?? [];
  return widths.length === columns && widths.every((width) => width > 0) ? widths : undefined;
}

/** Widths as the address and this browser keep them. */
export function widthsText(widths: readonly number[]): string {
  return widths.map((width) => Math.round(width * 10) / 10).join(',');
}

function storeWidths(key: string, widths: readonly number[] | undefined): void {
  const text = widths ? widthsText(widths) : null;
  if (place.peek().query.has(COLUMNS)) go(withQuery({ [WIDTHS]: text }), { replace: true });
  else if (text === null) localStorage.removeItem(key);
  else localStorage.setItem(key, text);
  changed.value++;
}

/** Makes the columns of a class as wide as their content again. */
export function forgetWidths(collection: string, description: ClassDescription): void {
  storeWidths(keyOf(collection, description), undefined);
}

export type Widths = {
  readonly shares: readonly number[] | undefined;
  /** Those of the user. */
  readonly own: readonly number[] | undefined;
  /** Moves the separator after a column, in percent; undefined goes back to the content. Kept once `isDone`. */
  readonly move: (index: number, by: number | undefined, isDone: boolean) => void;
};

/** The widths of the columns: those of the user, else by content. */
export function useWidths(
  collection: string,
  description: ClassDescription,
  byContent: readonly number[] | undefined,
): Widths {
  const key = keyOf(collection, description);
  const [moving, setMoving] = useState<readonly number[]>();
  const own = moving ?? storedWidths(key, byContent?.length ?? 0);
  const shares = own ?? byContent;
  // The mouse may move several times before the table is drawn again.
  const latest = useRef(shares);
  latest.current = shares;
  const move = (index: number, by: number | undefined, isDone: boolean) => {
    const [left, right] = [latest.current?.[index], latest.current?.[index + 1]];
    if (!latest.current || left === undefined || right === undefined) return;
    const step = Math.max(LEAST - left, Math.min(right - LEAST, by ?? 0));
    const next = latest.current.with(index, left + step).with(index + 1, right - step);
    latest.current = next;
    setMoving(isDone ? undefined : next);
    if (isDone) storeWidths(key, by === undefined ? undefined : next);
  };
  return { shares, own, move };
}
