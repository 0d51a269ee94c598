/**
 * Search in an area of a collection: the page that a client asks for, remembered while the area stays as it is. Words are looked for
 * in their index, best first. Records are read for other orders, for values of slots, and for parts of words if no word is found.
 */
import { ServiceError } from '../errors.ts';
import { didYouMeanWords } from '../records/did-you-mean.ts';
import type { FoundWords } from '../records/find-words.ts';
import type { Highlight, Sought } from '../records/highlights.ts';
import { FIRST_PAGE } from '../records/page.ts';
import {
  ANY_TEXT,
  MOST_VALUES,
  matcher,
  queryWords,
  type Scan,
  type Search,
  search,
  type TextCondition,
} from '../records/search.ts';
import { titleSlotsOf } from '../records/title.ts';
import { MOST_LISTED_CHARACTERS, tooLongTogether } from '../storage/records.ts';
import type { ListedRecord } from '../storage/store.ts';
import { wordsOf } from '../storage/tokens.ts';
import { parseQuery, standingOf, type WordQuery } from '../storage/word-query.ts';
import { LONG_BODY, type Pool, runIfLong } from '../work/pool.ts';
import { highlightIn, matchIn, standingIn } from '../work/tasks.ts';
import { yielder } from '../yield.ts';
import type { Area } from './area.ts';
import type { Collection } from './collection.ts';
import { wordOptionsOf } from './word-projection.ts';

/** A search that reads records ends after so many milliseconds of work, and reports that it is not complete. */
export const SEARCH_BUDGET = 2000;
/** Records among which words are looked for that may have been meant. */
const MOST_NEAR = 20;
/** How often a search is made again since the area has changed meanwhile. */
const ATTEMPTS = 3;

type SearchRequest = {
  /** Words and operators, see `word-query.ts`. */
  readonly q: string;
  readonly className: string | undefined;
  /** Conditions on slots. */
  readonly slots: Search['slots'];
  /** Without it, words are sorted by relevance, and all else by pid. */
  readonly sort: Search['sort'] | undefined;
  readonly page: number;
  readonly size: number;
  /** How many matches are counted from the page on, if records have to be read. */
  readonly count: number;
  /** Whether the words are marked that were looked for. */
  readonly highlight: boolean;
};

/** A page of what a search has found. */
type FoundPage = {
  readonly records: readonly ListedRecord[];
  readonly total: number;
  readonly complete: boolean;
  /** Whether whole words were found, or parts of words. */
  readonly matched?: 'words' | 'parts';
  /** What an incomplete result covers. */
  readonly covers?: string;
  /** Words that may have been meant, since nothing was found. */
  readonly didYouMean?: string;
  /** Of each record. */
  readonly highlights?: readonly Highlight[];
  /** Whether the time was not enough, and another one may find more. */
  readonly late: boolean;
};

/** The page as JSON. @throws ServiceError `too_many_records`, `search_too_broad`, `busy`, `task_timeout` */
export async function searchArea(
  pool: Pool,
  collection: Collection,
  area: Area,
  request: SearchRequest,
): Promise<Buffer> {
  const { page, size } = request;
  const key = JSON.stringify(['search', area.path, request]);
  for (let attempt = 1; ; attempt++) {
    const { cacheKey: state } = await area.state();
    const known = state === undefined ? undefined : collection.pages.get(key, state);
    if (known) return known;
    const found = await findPage({ pool, collection, area, request });
    const isSteady = state !== undefined && (await area.state()).cacheKey === state;
    if (!isSteady && state !== undefined && attempt < ATTEMPTS) continue;
    const body = bodyOf(found, page, size);
    if (!found.late && isSteady) collection.pages.set(key, state, body);
    return body;
  }
}

function bodyOf(found: FoundPage, page: number, size: number): Buffer {
  const { records, total, complete, matched, covers, didYouMean, highlights } = found;
  const characters = records.reduce((sum, { json }) => sum + json.length, 0);
  if (characters > MOST_LISTED_CHARACTERS) throw tooLongTogether(size);
  const rest = JSON.stringify({
    ...{ total, page, size, pages: Math.ceil(total / size), complete },
    ...(matched && { matched }),
    ...(covers !== undefined && { covers }),
    ...(didYouMean !== undefined && { did_you_mean: didYouMean }),
    ...(highlights && { highlights }),
  });
  return Buffer.from(`{"items":[${records.map(({ json }) => json)}],${rest.slice(1)}`);
}

async function findPage(reading: Reading): Promise<FoundPage> {
  const query = parseQuery(reading.request.q);
  const found = await findMatches(reading, query);
  if (!found.matched || !reading.request.highlight) return found;
  const sought = found.matched === 'words' ? { query } : { parts: queryWords(reading.request.q) };
  return { ...found, highlights: await highlightsOf(reading, found.records, sought) };
}

function highlightsOf(
  { pool, collection }: Reading,
  records: readonly ListedRecord[],
  sought: Sought,
): Promise<Highlight[]> {
  return Promise.all(
    records.map(async ({ json, className }) => {
      const definition = collection.schema.classes.get(className);
      const titles = definition ? titleSlotsOf(definition) : [];
      return runIfLong(pool, highlightIn, { json, titles, sought }, json.length);
    }),
  );
}

async function findMatches(reading: Reading, query: WordQuery): Promise<FoundPage> {
  const { q, slots, sort, page, size } = reading.request;
  const parts = queryWords(q);
  if (query.groups.length + query.excluded.length === 0) {
    const found = await readPage(reading, parts.length === 0 ? ANY_TEXT : { parts });
    return parts.length === 0 ? found : { ...found, matched: 'parts' };
  }
  const find = (wanted: WordQuery) => findWords(reading, wanted);
  const found = await find(query);
  if (!found) return { ...(await readPage(reading, { query })), matched: 'words' };
  const isRanked = slots.length === 0 && sort === undefined;
  const offset = (page - FIRST_PAGE) * size;
  const words: FoundPage = isRanked
    ? { ...(await found.page(offset, size)), complete: true, late: false }
    : await readPage(reading, ANY_TEXT, found);
  if (words.total > 0 || !words.complete || !isPlain(query)) return { ...words, matched: 'words' };
  const ofParts = await readPage(reading, { parts: queryWords(q.replace(/\*(?=\s|$)/g, '')) });
  if (ofParts.total > 0 || slots.length > 0) return { ...ofParts, matched: 'parts' };
  const didYouMean = await didYouMeanWords(q, query, async (wanted) => {
    const near = await find(wanted);
    return near ? near.page(0, MOST_NEAR) : { total: 0, records: [] };
  });
  return { ...ofParts, matched: 'parts', ...(didYouMean !== undefined && { didYouMean }) };
}

/** Whether a query has words alone. */
function isPlain({ groups, excluded }: WordQuery): boolean {
  return excluded.length === 0 && groups.every((terms) => terms.length === 1 && !terms[0]!.isQuoted);
}

type Reading = {
  readonly pool: Pool;
  readonly collection: Collection;
  readonly area: Area;
  readonly request: SearchRequest;
};

function findWords(
  { pool, collection, area, request: { className } }: Reading,
  query: WordQuery,
): Promise<FoundWords | undefined> {
  const options = wordOptionsOf(collection);
  return area.find(
    { ...(className !== undefined && { className }) },
    {
      query,
      judge: ({ json, className: ofRecord }) =>
        json.length < LONG_BODY
          ? standingOf(query, wordsOf(json, ofRecord, options))
          : pool.run(standingIn, { query, json, className: ofRecord, options }),
      yieldIfDue: yielder(),
    },
  );
}

/** A page of records that are read. @param found those that are read; else all that may match */
async function readPage(
  { pool, collection: { schema }, area, request }: Reading,
  text: TextCondition,
  found?: FoundWords,
): Promise<FoundPage> {
  const { className, slots, sort, page, size, count } = request;
  const start = (page - FIRST_PAGE) * size;
  // A scan has the order of pids.
  const isScanned = !found && sort?.slot === 'pid' && !sort.descending;
  const conditions = { text, slots, sort: isScanned ? undefined : sort };
  const scan: Scan = async (part) =>
    found ? found.all() : area.scan({ ...(className !== undefined && { className }), ...part });
  const expand = (one: string) => schema.expand(one);
  // Each value of a record is compared with each that is asked for.
  const compared = slots.flat().reduce((sum, { values }) => sum + values.length, 0);
  const times = Math.max(1, Math.ceil(compared / MOST_VALUES));
  const matchShort = matcher(conditions, expand);
  const most = start + Math.max(count, size);
  const { pids, complete, late } = await search(
    scan,
    { ...conditions, most },
    {
      expand,
      match: (json) =>
        json.length * times < LONG_BODY ? matchShort(json) : pool.run(matchIn, { schema, conditions, json }),
      budget: SEARCH_BUDGET,
      yieldIfDue: yielder(),
    },
  );
  if (late && conditions.sort) throw tooBroad();
  const records: ListedRecord[] = [];
  let characters = 0;
  for (const pid of pids.slice(start, start + size)) {
    const read = await area.read(pid);
    if (!read) continue;
    records.push(read.record);
    characters += read.record.json.length;
    if (characters > MOST_LISTED_CHARACTERS) throw tooLongTogether(size);
  }
  const order = found ? 'by relevance' : 'in the order of pids';
  const last = pids.at(-1);
  const covers = last === undefined ? 'a part of the records' : `the first ${pids.length} matches ${order}`;
  return { records, total: pids.length, complete, late, ...(!complete && { covers }) };
}

function tooBroad(): ServiceError {
  return new ServiceError(
    'search_too_broad',
    `More records had to be read for this order than ${SEARCH_BUDGET / 1000} seconds of work allow. ` +
      'Name a class, add a word or a value of a slot, or leave out the order.',
  );
}
