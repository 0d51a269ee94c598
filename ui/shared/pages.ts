/** A long list, read page by page as it comes into sight. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ClientError } from '../../src/client/client.ts';
import type { JsonObject } from './json.ts';
import { asClientError } from './service.ts';

type Page<Row> = {
  readonly items: readonly Row[];
  readonly total: number;
  /** False if there are more rows than were counted; further pages count on. */
  readonly complete?: boolean;
};

const SIZE = 100;
const KEPT_PAGES = 20;

export type Pages<Row> = {
  readonly total: number;
  /** Whether there are more rows than the total. */
  readonly more: boolean;
  readonly rowAt: (index: number) => Row | undefined;
  readonly onRange: (from: number, to: number) => void;
  readonly loaded: boolean;
  readonly stale: boolean;
  readonly error: ClientError | undefined;
  readonly reload: () => void;
  /** Takes a row out of the list at once, before the service says so. */
  readonly drop: (isIt: (row: Row) => boolean) => void;
};

type Source<Row> = (query: { page: number; size: number }, signal: AbortSignal) => Promise<Page<Row>>;

/** Reads pages of 100 rows; a new `key` starts over, while the old rows stay in sight. */
export function usePages<Row = JsonObject>(key: string, source: Source<Row>): Pages<Row> {
  const [, redraw] = useState(0);
  const [round, setRound] = useState(0);
  const state = useRef(emptyState<Row>());
  const latest = useRef(source);
  latest.current = source;
  const fetchPage = (
    page: number,
    controller: AbortController,
    fresh: ReturnType<typeof emptyState<Row>>,
  ) => {
    if (fresh.asked.has(page)) return;
    fresh.asked.add(page);
    latest.current({ page, size: SIZE }, controller.signal).then(
      ({ items, total, complete = true }) => {
        if (controller.signal.aborted) return;
        fresh.pages.set(page, items);
        if (fresh.pages.size > KEPT_PAGES) {
          const oldest = fresh.pages.keys().next().value!;
          fresh.pages.delete(oldest);
          fresh.asked.delete(oldest);
        }
        fresh.total = complete ? total : Math.max(fresh.total, total);
        fresh.more = !complete && fresh.total === total;
        fresh.loaded = true;
        state.current = fresh;
        redraw((n) => n + 1);
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        fresh.asked.delete(page);
        fresh.error = asClientError(error);
        state.current = fresh;
        redraw((n) => n + 1);
      },
    );
  };
  const running = useRef<{ controller: AbortController; fresh: ReturnType<typeof emptyState<Row>> }>(
    undefined,
  );
  useEffect(() => {
    const controller = new AbortController();
    const fresh = emptyState<Row>();
    running.current = { controller, fresh };
    state.current.stale = true;
    redraw((n) => n + 1);
    fetchPage(1, controller, fresh);
    return () => controller.abort();
  }, [key, round]);
  const { pages, total, more, loaded, stale, error } = state.current;
  return {
    total,
    more,
    loaded,
    stale,
    error,
    rowAt: (index) => pages.get(Math.floor(index / SIZE) + 1)?.[index % SIZE],
    onRange: (from, to) => {
      if (!running.current || !state.current.loaded || running.current.fresh !== state.current) return;
      const { controller, fresh } = running.current;
      const last = Math.ceil(fresh.total / SIZE);
      for (
        let page = Math.floor(Math.max(0, from - 50) / SIZE) + 1;
        page <= Math.min(last, Math.floor((to + 50) / SIZE) + 1);
        page++
      )
        fetchPage(page, controller, fresh);
    },
    reload: () => setRound((n) => n + 1),
    drop: (isIt) => {
      for (const [page, rows] of pages) {
        const at = rows.findIndex(isIt);
        if (at < 0) continue;
        // Later pages are off by one until the list is read again.
        pages.set(page, rows.toSpliced(at, 1));
        for (let next = page; pages.has(next + 1); next++) {
          const following = pages.get(next + 1)!;
          pages.set(next, [...pages.get(next)!, ...following.slice(0, 1)]);
          pages.set(next + 1, following.slice(1));
        }
        state.current.total--;
        redraw((n) => n + 1);
        return;
      }
    },
  };
}

function emptyState<Row>() {
  return {
    pages: new Map<number, readonly Row[]>(),
    asked: new Set<number>(),
    total: 0,
    more: false,
    loaded: false,
    stale: false,
    error: undefined as ClientError | undefined,
  };
}
