/** Records of a collection: pages, search, one record. */
import type { Page, SearchPage } from '../../src/client/client.ts';
import type { JsonObject } from './json.ts';
import { readTitles, type Title, titleIn } from './schema.ts';
import { lab } from './service.ts';

export type PageQuery = {
  page: number;
  size: number;
  text?: string;
  sort?: string;
  /** By slot: values of which the records have one in it. */
  where?: Readonly<Record<string, readonly string[]>>;
};

/** The searched words in the title of a record, and in another value. */
export type Highlight = NonNullable<SearchPage['highlights']>[number];
/** A string, and where its marks start and end. */
export type Marked = NonNullable<Highlight['title']>;

const highlights = new WeakMap<JsonObject, Highlight>();

/** The words that were searched, in a record of the page that they found. */
export function highlightOf(record: JsonObject): Highlight | undefined {
  return highlights.get(record);
}

/** A page of the records that the token may read, its zone over the curated area. */
export async function readPage(
  collection: string,
  className: string,
  { page, size, text = '', sort = '', where = {} }: PageQuery,
  signal?: AbortSignal,
): Promise<
  Page<JsonObject> & {
    readonly searched_for?: string;
    readonly did_you_mean?: string;
    readonly complete?: boolean;
  }
> {
  const from = lab(collection, signal);
  const q = text.trim();
  if (q === '' && sort === '' && Object.keys(where).length === 0) return from.page({ className, page, size });
  const found = await from.search({
    q,
    where,
    page,
    size,
    ...(q !== '' && { highlight: true }),
    class: className || undefined,
    sort: sort || undefined,
  });
  for (const [index, item] of found.items.entries()) {
    const highlight = found.highlights?.[index];
    if (highlight) highlights.set(item, highlight);
  }
  return found;
}

type StoredRecord = {
  readonly record: JsonObject;
  readonly etag: string | null;
  readonly text: string;
};

/**
 * One record with its entity tag; `undefined` if there is none.
 *
 * @param at a time, for the record as it was then
 */
export async function readRecord(
  collection: string,
  pid: string,
  { curated = false, at, signal }: { curated?: boolean; at?: string | undefined; signal?: AbortSignal } = {},
): Promise<StoredRecord | undefined> {
  const from = lab(collection, signal);
  const found = await (curated ? from.curated : from).get(pid, { at });
  return found && { ...found, etag: found.etag ?? null };
}

/** Many records with their entity tags, by their pids; those that there are. */
export async function readMany(
  collection: string,
  pids: readonly string[],
  { curated = false, signal }: { curated?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<ReadonlyMap<string, { readonly record: JsonObject; readonly etag: string | undefined }>> {
  const from = lab(collection, signal);
  const found = new Map<string, { record: JsonObject; etag: string | undefined }>();
  for (let left = pids; left.length > 0; ) {
    const results = await (curated ? from.curated : from).getMany(left);
    for (const [at, { record, etag }] of results.entries())
      if (record) found.set(left[at]!, { record, etag });
    // Those that were too long for one response.
    left = left.filter((_, at) => results[at]?.status === 413);
  }
  return found;
}

/** Records that a field offers while people type. */
export const HITS = 8;

export type Hit = {
  readonly pid: string;
  readonly title: string;
  readonly class: string;
  readonly highlight: Highlight | undefined;
};

/** Records of a class, or of all, with all given words, the best first; then those whose name begins with them. */
export async function searchRecords(
  collection: string,
  className: string,
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<Hit[]> {
  const { items } = await readPage(collection, className, { page: 1, size: 4 * limit, text }, signal);
  const pids = items.map(({ pid }) => String(pid));
  const titles = await readTitles(collection, pids).catch(() => new Map<string, Title | null>());
  const hits = items.map((item) => {
    const pid = String(item.pid);
    const known = titles.get(pid);
    const title = known?.title || titleIn(undefined, item);
    return { pid, title, class: known?.class ?? '', highlight: highlightOf(item) };
  });
  const wanted = text.trim().toLowerCase();
  const rank = ({ title }: Hit) => {
    const at = title.toLowerCase().indexOf(wanted);
    return at < 0 ? 2 : Math.min(at, 1);
  };
  return hits.sort((a, b) => rank(a) - rank(b)).slice(0, limit);
}
