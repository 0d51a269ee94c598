/** Search in an area of a collection: the page that a client asks for, remembered while the area stays as it is. */
import { FIRST_PAGE } from '../records/page.ts';
import { MOST_VALUES, matcher, queryWords, type Scan, type Search, search } from '../records/search.ts';
import { MOST_LISTED_CHARACTERS, tooLongTogether } from '../storage/records.ts';
import { LONG_BODY, type Pool } from '../work/pool.ts';
import { matchIn } from '../work/tasks.ts';
import { yielder } from '../yield.ts';
import type { Area } from './area.ts';
import type { Collection } from './collection.ts';

/** A search ends after this time, in milliseconds, and reports that it is not complete. */
export const SEARCH_BUDGET = 2000;

type SearchRequest = {
  /** Words, each of which has to occur in some value. */
  readonly q: string;
  readonly className: string | undefined;
  /** Conditions on slots. */
  readonly slots: Search['slots'];
  readonly sort: Search['sort'];
  readonly page: number;
  readonly size: number;
  /** How many matches are counted from the page on. */
  readonly count: number;
};

/** The page as JSON. @throws ServiceError `too_many_records`, `busy`, `task_timeout` */
export async function searchArea(
  pool: Pool,
  { schema, pages: remembered }: Collection,
  area: Area,
  { q, className, slots, sort, page, size, count }: SearchRequest,
): Promise<Buffer> {
  const start = (page - FIRST_PAGE) * size;
  const request: Search = { words: queryWords(q), slots, sort, most: start + Math.max(count, size) };
  const key = JSON.stringify(['search', area.path, className, request, page, size]);
  const { cacheKey: state } = await area.state();
  const known = state === undefined ? undefined : remembered.get(key, state);
  if (known) return known;
  const scan: Scan = (part) => area.scan({ className, ...part });
  const { most: _, ...conditions } = request;
  const expand = (one: string) => schema.expand(one);
  // Each value of a record is compared with each that is asked for.
  const compared = slots.flat().reduce((sum, { values }) => sum + values.length, 0);
  const times = Math.max(1, Math.ceil(compared / MOST_VALUES));
  const matchShort = matcher(conditions, expand);
  const { pids, complete, late } = await search(scan, request, {
    expand,
    match: (json) =>
      json.length * times < LONG_BODY ? matchShort(json) : pool.run(matchIn, { schema, conditions, json }),
    budget: SEARCH_BUDGET,
    yieldIfDue: yielder(),
  });
  const items: string[] = [];
  let characters = 0;
  for (const pid of pids.slice(start, start + size)) {
    const found = await area.read(pid);
    if (!found) continue;
    items.push(found.record.json);
    characters += found.record.json.length;
    if (characters > MOST_LISTED_CHARACTERS) throw tooLongTogether(size);
  }
  const total = pids.length;
  const body = Buffer.from(
    `{"items":[${items}],"total":${total},"page":${page},"size":${size},"pages":${Math.ceil(total / size)},"complete":${complete}}`,
  );
  if (!late && state !== undefined) remembered.set(key, state, body);
  return body;
}
