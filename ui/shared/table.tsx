/**
 * A table of many rows: only those in sight are in the document, between two rows that hold the place of the others.
 * One tab stop; the current row follows `J K ↓ ↑ PgUp PgDn Home End`.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { onControl, useKeys } from './keys.ts';
import { printing } from './printing.ts';
import { formerScroll, place } from './router.ts';

export type Column<Row> = {
  readonly key: string;
  readonly head: ComponentChildren;
  readonly cell: (row: Row, index: number) => ComponentChildren;
  /** Hidden on small screens. */
  readonly optional?: boolean;
  readonly class?: string;
  /** Its part of the width, in percent. */
  readonly share?: number | undefined;
  readonly sorted?: 'ascending' | 'descending' | undefined;
  /** The handle that moves its edge, if its width can be changed. */
  readonly edge?: ComponentChildren;
};

/** The current row of each list, so that coming back finds it again. */
const rows = new Map<string, number>();
/** Lists whose current row was chosen elsewhere: coming back scrolls to it. */
const chosenElsewhere = new Set<string>();

/** The list at a URL, whatever the order of its filters. */
function listAt(url: string): string {
  const { pathname, searchParams } = new URL(url, location.origin);
  searchParams.delete('preview');
  searchParams.sort();
  return `${pathname}?${searchParams}`;
}

/** Makes a row the current one of the list at a URL. */
export function rememberRow(url: string, index: number): void {
  const list = listAt(url);
  rows.set(list, index);
  chosenElsewhere.add(list);
}

/** The list at the place of the view. */
function useList(): string {
  const { key } = place.value;
  return useMemo(() => listAt(location.href), [key]);
}

/** The current row of the table at the place of the view: the same again after coming back, the first one of another filter. */
export function useCurrentRow(): [number, (index: number) => void] {
  const [, draw] = useState(0);
  const list = useList();
  const shown = useRef(list);
  if (shown.current !== list) {
    shown.current = list;
    if (!place.peek().returned) rows.delete(list);
  }
  const choose = (index: number) => {
    rows.set(list, index);
    draw((n) => n + 1);
  };
  return [rows.get(list) ?? 0, choose];
}

type Props<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  total: number;
  /** The row at an index; undefined while it is not there. */
  rowAt: (index: number) => Row | undefined;
  keyOf: (row: Row) => string;
  current: number;
  onCurrent: (index: number) => void;
  onOpen: (row: Row) => void;
  /** Called with the rows in sight, to fetch pages ahead. */
  onRange?: (from: number, to: number) => void;
  isChecked?: (row: Row) => boolean;
  /** Whether the current row is marked (default true). */
  marked?: boolean;
  stale?: boolean;
};

const OVERSCAN = 12;
const STEP = 6;
const VIRTUAL_FROM = 100;

export function DataTable<Row>(props: Props<Row>) {
  const { columns, total, rowAt, current, onCurrent, onOpen, onRange } = props;
  const table = useRef<HTMLTableElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 900, row: 36 });
  useEffect(() => {
    const region = table.current?.closest<HTMLElement>('.scroll');
    if (!region) return undefined;
    const measure = () => {
      const body = table.current?.tBodies[0];
      const row = body?.querySelector<HTMLElement>('tr[data-row]')?.offsetHeight || 36;
      const offset = table.current?.offsetTop ?? 0;
      // A step of several rows, so that not every frame of a scroll renders.
      const top = Math.floor(Math.max(0, region.scrollTop - offset) / (row * STEP)) * row * STEP;
      setScroll((last) =>
        last.top === top && last.height === region.clientHeight && last.row === row
          ? last
          : { top, height: region.clientHeight, row },
      );
    };
    if (table.current?.dataset.restored === undefined) {
      const former = formerScroll(place.peek().key);
      region.scrollTop = former;
      if (table.current) table.current.dataset.restored = '';
      // Who has scrolled away from the current row comes back to what was in sight.
      if (chosenElsewhere.delete(listAt(location.href)) || former === 0)
        bringIntoView(table.current, current, scroll.row);
    }
    measure();
    region.addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      region.removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [total]);
  const list = useList();
  const shown = useRef(list);
  // Another filter begins at its first row as soon as that is there; going back, the rows that were in sight are.
  useLayoutEffect(() => {
    if (props.stale || shown.current === list) return;
    shown.current = list;
    const { returned, key } = place.peek();
    const region = table.current?.closest<HTMLElement>('.scroll');
    if (region) region.scrollTop = returned ? formerScroll(key) : 0;
  }, [list, props.stale]);
  const isPrinted = printing.value;
  const isVirtual = total > VIRTUAL_FROM && !isPrinted;
  const from = isVirtual ? Math.max(0, Math.floor(scroll.top / scroll.row) - OVERSCAN) : 0;
  const to = isVirtual ? Math.min(total, from + Math.ceil(scroll.height / scroll.row) + 2 * OVERSCAN) : total;
  useEffect(() => {
    if (!isPrinted) onRange?.(from, to);
  }, [from, to]);
  const move = (index: number) => {
    const next = Math.max(0, Math.min(total - 1, index));
    onCurrent(next);
    bringIntoView(table.current, next, scroll.row);
    return total > 0;
  };
  // If no row is marked, a key marks the one in its place.
  const step = (by: number) => move(props.marked === false ? current : current + by);
  const page = Math.max(1, Math.floor(scroll.height / scroll.row) - 2);
  const ifFree = (action: () => unknown) => (event: KeyboardEvent) =>
    onControl(event) && !(event.target as Element).closest('td a') ? false : action();
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: ifFree(() => step(1)),
    ArrowUp: ifFree(() => step(-1)),
    PageDown: ifFree(() => step(page)),
    PageUp: ifFree(() => step(-page)),
    Home: ifFree(() => move(0)),
    End: ifFree(() => move(total - 1)),
    Enter: (event) => {
      const row = rowAt(current);
      return row === undefined || onControl(event) ? false : onOpen(row);
    },
  });
  const inSight = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  const indexes = isPrinted ? inSight.filter((index) => rowAt(index) !== undefined) : inSight;
  // While only the scroll moves, rows that stay in sight are the same elements, and are not rendered again.
  const drawn = useRef({ props, rows: new Map<number, ComponentChildren>() });
  if (drawn.current.props !== props) drawn.current = { props, rows: new Map() };
  const rowElement = (index: number) => {
    const known = drawn.current.rows.get(index);
    if (known !== undefined) return known;
    const row = rowAt(index);
    const key = row === undefined ? `?${index}` : props.keyOf(row);
    const element = <DataRow key={key} {...props} index={index} />;
    drawn.current.rows.set(index, element);
    return element;
  };
  return (
    <table
      class={props.stale ? 'table list-like stale' : 'table list-like'}
      ref={table}
      aria-rowcount={total + 1}
    >
      <caption class="vh">{props.caption}</caption>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map(({ key, head, optional, sorted, share, edge, class: name = '' }) => (
            <th
              key={key}
              scope="col"
              aria-sort={sorted}
              class={optional ? `${name} opt` : name}
              style={share === undefined ? undefined : { width: `${share}%` }}
            >
              {head}
              {edge}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {from > 0 && <tr class="spacer" aria-hidden="true" style={{ height: `${from * scroll.row}px` }} />}
        {indexes.map(rowElement)}
        {to < total && (
          <tr class="spacer" aria-hidden="true" style={{ height: `${(total - to) * scroll.row}px` }} />
        )}
        {isPrinted && indexes.length < total && (
          <tr>
            <td colSpan={columns.length}>{t('print.part', { n: indexes.length, all: total })}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function DataRow<Row>({
  index,
  columns,
  rowAt,
  current,
  onCurrent,
  isChecked,
  marked = true,
}: Props<Row> & { index: number }) {
  const row = rowAt(index);
  if (row === undefined)
    return (
      <tr data-row={index} aria-rowindex={index + 2}>
        <td colSpan={columns.length} />
      </tr>
    );
  return (
    <tr
      data-row={index}
      aria-rowindex={index + 2}
      aria-current={marked && index === current ? 'true' : undefined}
      class={isChecked?.(row) ? 'checked' : undefined}
      onClick={(event) => {
        const target = event.target as Element;
        if (target.closest('a')) rows.set(listAt(location.href), index);
        else if (!target.closest('button, input, label, select, form')) onCurrent(index);
      }}
    >
      {columns.map(({ key, cell, optional, class: name = '' }) => (
        <td key={key} class={optional ? `${name} opt` : name}>
          {cell(row, index)}
        </td>
      ))}
    </tr>
  );
}

function bringIntoView(table: HTMLTableElement | null, index: number, height: number): void {
  const region = table?.closest<HTMLElement>('.scroll');
  if (!table || !region) return;
  const head = table.tHead?.offsetHeight ?? 32;
  const top = table.offsetTop + head + index * height;
  if (top - head < region.scrollTop) region.scrollTop = top - head;
  else if (top + height > region.scrollTop + region.clientHeight)
    region.scrollTop = top + height - region.clientHeight;
}
