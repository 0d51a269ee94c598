/** Records of a collection: pages, search, one record. */
import { type Answer, ask } from './api.ts';
import type { JsonObject } from './json.ts';
import type { Page } from './pages.ts';
import { readTitles, type Title, titleIn } from './schema.ts';

export type PageQuery = { page: number; size: number; matching?: string | undefined };

/** A page of the records that the token may read, its zone over the curated area. */
export function readPage(
  collection: string,
  className: string,
  query: PageQuery,
  signal?: AbortSignal,
): Promise<Answer<Page<JsonObject>>> {
  return ask<Page<JsonObject>>([collection, 'records', 'p', className], { query, signal });
}

/** The pattern that finds a text anywhere in a value. */
export function patternOf(text: string): string | undefined {
  return text.trim() === '' ? undefined : `%${text.trim()}%`;
}

/** One record with its entity tag; `undefined` if there is none. */
export async function readRecord(
  collection: string,
  pid: string,
  area: readonly string[] = [],
  signal?: AbortSignal,
): Promise<{ record: JsonObject; etag: string | null; text: string } | undefined> {
  const { value, etag, text } = await ask<JsonObject | null>([collection, ...area, 'record'], {
    query: { pid },
    signal,
  });
  return value === null ? undefined : { record: value, etag, text };
}

export type Hit = { readonly pid: string; readonly title: string; readonly class: string };

/** Collections whose storage does not search: their records are read once and searched here. */
const local = new Map<string, Promise<Hit[]>>();
const LOCAL_PAGES = 10;

export function forgetLocal(): void {
  local.clear();
}

/** Records of a class whose name, identifier or another value contains a text. */
export async function searchRecords(
  collection: string,
  className: string,
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<Hit[]> {
  const key = `${collection}/${className}`;
  if (!local.has(key)) {
    const { value, ignored } = await readPage(
      collection,
      className,
      { page: 1, size: limit, matching: patternOf(text) },
      signal,
    );
    if (!ignored || text.trim() === '') return hitsOf(collection, value.items);
    local.set(key, readLocally(collection, className));
  }
  const wanted = text.trim().toLowerCase();
  const all = await local.get(key)!;
  const found = all.filter(
    ({ title, pid }) => title.toLowerCase().includes(wanted) || pid.toLowerCase().includes(wanted),
  );
  const starts = (hit: Hit) => (hit.title.toLowerCase().startsWith(wanted) ? 0 : 1);
  return found.sort((a, b) => starts(a) - starts(b)).slice(0, limit);
}

async function readLocally(collection: string, className: string): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (let page = 1; page <= LOCAL_PAGES; page++) {
    const { value } = await readPage(collection, className, { page, size: 100 });
    hits.push(...(await hitsOf(collection, value.items)));
    if (hits.length >= value.total) break;
  }
  return hits;
}

async function hitsOf(collection: string, items: readonly JsonObject[]): Promise<Hit[]> {
  const pids = items.map(({ pid }) => String(pid));
  const titles = await readTitles(collection, pids).catch(() => new Map<string, Title | null>());
  return items.map((item) => {
    const pid = String(item.pid);
    const known = titles.get(pid);
    return { pid, title: known?.title || titleIn(undefined, item), class: known?.class ?? '' };
  });
}
