/** Records of a collection: pages, search, one record. */
import { type Answer, ask } from './api.ts';
import type { JsonObject } from './json.ts';
import type { Page } from './pages.ts';
import { readTitles, type Title, titleIn } from './schema.ts';

export type PageQuery = { page: number; size: number; text?: string; sort?: string };

/** A page of the records that the token may read, its zone over the curated area. */
export function readPage(
  collection: string,
  className: string,
  { page, size, text = '', sort = '' }: PageQuery,
  signal?: AbortSignal,
): Promise<Answer<Page<JsonObject>>> {
  if (text.trim() === '' && sort === '') {
    return ask<Page<JsonObject>>([collection, 'records', 'p', className], { query: { page, size }, signal });
  }
  const query = { q: text.trim(), class: className, page, size, sort: sort || undefined };
  return ask<Page<JsonObject>>(['-', collection, 'search'], { query, signal });
}

/** The pattern that finds a string anywhere in a value, for lists that are filtered by patterns. */
export function patternOf(text: string): string | undefined {
  return text.trim() === '' ? undefined : `%${text.trim()}%`;
}

export type Stored = { readonly record: JsonObject; readonly etag: string | null; readonly text: string };

/** One record with its entity tag; `undefined` if there is none. */
export async function readRecord(
  collection: string,
  pid: string,
  area: readonly string[] = [],
  signal?: AbortSignal,
): Promise<Stored | undefined> {
  const path = [collection, ...area, 'record'];
  const { value, etag, text } = await ask<JsonObject | null>(path, { query: { pid }, signal });
  return value === null ? undefined : { record: value, etag, text };
}

export type Hit = { readonly pid: string; readonly title: string; readonly class: string };

/** Records of a class with all given words; those whose name begins with it come first. */
export async function searchRecords(
  collection: string,
  className: string,
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<Hit[]> {
  const { value } = await readPage(collection, className, { page: 1, size: 4 * limit, text }, signal);
  const pids = value.items.map(({ pid }) => String(pid));
  const titles = await readTitles(collection, pids).catch(() => new Map<string, Title | null>());
  const hits = value.items.map((item) => {
    const pid = String(item.pid);
    const known = titles.get(pid);
    return { pid, title: known?.title || titleIn(undefined, item), class: known?.class ?? '' };
  });
  const wanted = text.trim().toLowerCase();
  const rank = ({ title }: Hit) => {
    const at = title.toLowerCase().indexOf(wanted);
    return at < 0 ? 2 : Math.min(at, 1);
  };
  return hits.sort((a, b) => rank(a) - rank(b)).slice(0, limit);
}
