/** A long list, read page by page as it comes into sight. */
import { useRef, useState } from 'preact/hooks';
import { isAway } from './connection.ts';
import type { JsonObject } from './json.ts';
import { isPassing, useReading, useRetries } from './load.ts';
import { written } from './schema.ts';
import { asClientError, type ClientError } from './service.ts';
import { session } from './session.ts';

type Page<Row> = {
  readonly items: readonly Row[];
  readonly total: number;
  /** False if there are more rows than were counted; further pages count on. */
  readonly complete?: boolean;
};

const SIZE = 100;
/** Pages are read when they are this many rows from sight. */
const AHEAD = 50;
const KEPT_PAGES = 20;

export type Pages<Row> = {
  readonly total: number;
  /** Whether there are more rows than the total. */
  readonly more: boolean;
  readonly rowAt: (index: number) => Row | undefined;
  /** The rows that are loaded, in order. */
  readonly loadedRows: () => readonly Row[];
  readonly onRange: (from: number, to: number) => void;
  readonly loaded: boolean;
  /** Whether the rows are still those of another list. */
  readonly stale: boolean;
  readonly error: ClientError | undefined;
  readonly reload: () => void;
  /** Takes a row out of the list at once, before the service says so. */
  readonly drop: (isIt: (row: Row) => boolean) => void;
};

type Source<Row> = (query: { page: number; size: number }, signal: AbortSignal) => Promise<Page<Row>>;

type List<Row> = {
  readonly name: string;
  readonly pages: Map<number, readonly Row[]>;
  total: number;
  more: boolean;
  loaded: boolean;
  error: ClientError | undefined;
};

function emptyList<Row>(name: string): List<Row> {
  return { name, pages: new Map(), total: 0, more: false, loaded: false, error: undefined };
}

/** The lists that were on the screen last, by their names: who returns to one while the service is away sees its rows. */
const left = new Map<string, List<unknown>>();
const KEPT_LISTS = 8;
let owner = session.token.peek();

function keepList<Row>(list: List<Row>): void {
  left.delete(list.name);
  left.set(list.name, list);
  const [oldest] = left.size > KEPT_LISTS ? left.keys() : [];
  if (oldest !== undefined) left.delete(oldest);
}

/** A list as it was left by the user of this token; otherwise an empty one. */
function leftList<Row>(name: string): List<Row> {
  if (owner !== session.token.peek()) {
    owner = session.token.peek();
    left.clear();
  }
  return (left.get(name) as List<Row> | undefined) ?? emptyList(name);
}

function addPage<Row>(list: List<Row>, number: number, { items, total, complete = true }: Page<Row>): void {
  list.pages.set(number, items);
  list.total = complete ? total : Math.max(list.total, total);
  list.more = !complete && list.total === total;
  list.loaded = true;
}

/** The pages with the rows in sight and those around them. */
function pagesIn([from, to]: readonly [number, number]): number[] {
  const first = Math.floor(Math.max(0, from - AHEAD) / SIZE) + 1;
  const last = Math.floor((to + AHEAD) / SIZE) + 1;
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/**
 * Reads pages of 100 rows. The old rows stay in sight until the new ones are there: those of the same place if records were
 * written or `changes` is another value, the first ones if `name` is another list.
 */
export function usePages<Row = JsonObject>(
  name: string,
  source: Source<Row>,
  changes: unknown = undefined,
): Pages<Row> {
  const [, draw] = useState(0);
  const [round, setRound] = useState(0);
  const redraw = () => draw((n) => n + 1);
  const list = useRef(emptyList<Row>(name));
  const sight = useRef<readonly [number, number]>([0, 0]);
  const stale = useRef(false);
  const reading = useRef<{ signal: AbortSignal; asked: Set<number> }>(undefined);
  const read = (number: number, { signal, asked }: NonNullable<typeof reading.current>) => {
    asked.add(number);
    return source({ page: number, size: SIZE }, signal);
  };
  const fail = (problem: unknown, into: List<Row>) => {
    into.error = asClientError(problem);
    list.current = into;
    stale.current = false;
    redraw();
  };
  const readRest = () => {
    const { current } = reading;
    if (!current || stale.current || !list.current.loaded) return;
    const { total, pages } = list.current;
    for (const number of pagesIn(sight.current)) {
      if (current.asked.has(number) || (number - 1) * SIZE >= total) continue;
      read(number, current).then(
        (page) => {
          if (current.signal.aborted) return;
          addPage(list.current, number, page);
          const [oldest] = pages.size > KEPT_PAGES ? pages.keys() : [];
          if (oldest !== undefined) {
            pages.delete(oldest);
            current.asked.delete(oldest);
          }
          redraw();
        },
        (problem: unknown) => {
          current.asked.delete(number);
          if (!current.signal.aborted) fail(problem, list.current);
        },
      );
    }
  };
  const isShown = list.current.name === name && list.current.loaded;
  useReading(name, [round, changes, written.value], { isShown }, async (signal) => {
    const run = { signal, asked: new Set<number>() };
    reading.current = run;
    if (list.current.name !== name) sight.current = [0, 0];
    stale.current = true;
    redraw();
    const numbers = pagesIn(sight.current).filter((n) => n === 1 || (n - 1) * SIZE < list.current.total);
    try {
      const pages = await Promise.all(numbers.map((number) => read(number, run)));
      if (signal.aborted) return;
      const fresh = emptyList<Row>(name);
      for (const [at, page] of pages.entries()) addPage(fresh, numbers[at]!, page);
      list.current = fresh;
      keepList(fresh);
      stale.current = false;
      redraw();
      readRest();
    } catch (problem) {
      if (signal.aborted) return;
      const isGone = !isAway(asClientError(problem).status);
      const isRead = list.current.name === name && list.current.loaded;
      fail(problem, isRead ? list.current : isGone ? emptyList<Row>(name) : leftList<Row>(name));
    }
  });
  const { pages, total, more, loaded, error } = list.current;
  const reload = () => setRound((n) => n + 1);
  useRetries(error, loaded, reload);
  return {
    total,
    more,
    loaded,
    stale: list.current.name !== name,
    error: loaded && isPassing(error?.status) ? undefined : error,
    loadedRows: () => [...pages].sort(([a], [b]) => a - b).flatMap(([, rows]) => rows),
    rowAt: (index) => pages.get(Math.floor(index / SIZE) + 1)?.[index % SIZE],
    onRange: (from, to) => {
      sight.current = [from, to];
      readRest();
    },
    reload,
    drop: (isIt) => {
      const found = [...pages].find(([, rows]) => rows.some(isIt));
      if (!found) return;
      const [number, rows] = found;
      // Each page gives its first row to the one before it; the next read puts the rest right.
      pages.set(number, rows.toSpliced(rows.findIndex(isIt), 1));
      for (let next = number + 1; pages.has(next); next++) {
        const [first, ...rest] = pages.get(next)!;
        pages.set(next - 1, [...pages.get(next - 1)!, ...(first === undefined ? [] : [first])]);
        pages.set(next, rest);
      }
      list.current.total--;
      redraw();
    },
  };
}
