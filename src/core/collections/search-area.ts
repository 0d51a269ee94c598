/**
 * Search in an area of a collection: the page that a client asks for, remembered while the area stays as it is. Words are looked for
 * in their index, best first, and values in theirs. Records are read for parts of words if no word is found.
 */
import { JsonText, jsonWith } from '#linkml/json.ts';
import { didYouMeanWords } from '../records/did-you-mean.ts';
import type { WordSearch } from '../records/find-words.ts';
import type { Highlight, Sought } from '../records/highlights.ts';
import { FIRST_PAGE } from '../records/page.ts';
import {
  hasTooManyWords,
  MOST_VALUES,
  matcher,
  queryWords,
  type Scan,
  search,
  type TextCondition,
} from '../records/search.ts';
import { inAllSpellings } from '../records/spellings.ts';
import { titleSlotsOf } from '../records/title.ts';
import { MOST_LISTED_CHARACTERS, tooLongTogether } from '../storage/read/records.ts';
import { tooBroad } from '../storage/search/effort.ts';
import { essenceOf, withoutSmallWords } from '../storage/search/typed-words.ts';
import { wordIndex } from '../storage/search/word-index.ts';
import { parseQuery, standingOf, type WordQuery } from '../storage/search/word-query.ts';
import type { ListedRecord, Range } from '../storage/store.ts';
import { type WordOptions, wordsOf } from '../storage/tokens.ts';
import { LONG_BODY, type Pool, runIfLong } from '../work/pool.ts';
import { highlightIn, matchIn, standingIn } from '../work/tasks.ts';
import { yielder } from '../yield.ts';
import type { Area, AreaSearch, FilteredPage } from './area.ts';
import { bodyOfPresent } from './body-of-state.ts';
import type { Collection } from './collection.ts';
import { wordOptionsOf } from './word-projection.ts';

/** A search that reads records ends after so many milliseconds of work, and reports that it is not complete. */
export const SEARCH_BUDGET = 2000;
/** Records among which words are looked for that may have been meant. */
const MOST_NEAR = 20;

/** By the first value of a slot. */
export type Sort = NonNullable<AreaSearch['sort']>;

type SearchRequest = {
  /** Words and operators, see `word-query.ts`. */
  readonly q: string;
  readonly className: string | undefined;
  /** Conditions on slots. */
  readonly slots: AreaSearch['groups'];
  /** Without it, words are sorted by relevance, and all else by pid. */
  readonly sort: Sort | undefined;
  /** Slots whose values are counted. */
  readonly facets: readonly string[];
  /** See `ValueSearch`. */
  readonly alternatives?: boolean;
  readonly page: number;
  readonly size: number;
  /** How many matches are counted from the page on, if records have to be read. */
  readonly count: number;
  /** Whether the words are marked that were looked for. */
  readonly highlight: boolean;
  /** What else is counted of all that is found. */
  readonly counts?: Counts;
};

export type Counts = Pick<AreaSearch, 'byClass' | 'filled' | 'histograms'>;
type Counted = Pick<FilteredPage, 'total' | 'facets' | 'cutFacets' | 'byClass' | 'filled' | 'histograms'>;

/** A page of what a search has found. */
type FoundPage = {
  readonly records: readonly ListedRecord[];
  readonly total: number;
  readonly complete: boolean;
  /** Whether whole words were found, or parts of words. */
  readonly matched?: 'words' | 'parts';
  readonly facets?: FilteredPage['facets'];
  readonly cutFacets?: FilteredPage['cutFacets'];
  /** Of a search for counts. */
  readonly counted?: Counted;
  /** What an incomplete result covers. */
  readonly covers?: string;
  /** What was looked for in place of a query of which no record has all words, or which has too many. */
  readonly searchedFor?: string;
  /** Words that may have been meant, since nothing was found. */
  readonly didYouMean?: string;
  /** Of each record. */
  readonly highlights?: readonly Highlight[];
  /** Whether the same search may find others soon: the time was not enough, or the index of words is made. */
  readonly late: boolean;
};

/** @throws ServiceError `too_many_records`, `search_too_broad`, `busy`, `task_timeout` */
export async function searchArea(
  pool: Pool,
  collection: Collection,
  area: Area,
  request: SearchRequest,
): ReturnType<typeof bodyOfPresent> {
  const { page, size } = request;
  const options = await optionsFor(collection, request);
  const key = JSON.stringify(['search', area.path, request, options.language]);
  return bodyOfPresent(collection, area, key, async () => {
    const found = await findPage({ pool, collection, area, request, options });
    return { body: bodyOf(found, page, size), isLate: found.late };
  });
}

/** Counts what a search finds, without its records. @throws ServiceError `search_too_broad`, `busy`, `task_timeout` */
export async function countFound(
  pool: Pool,
  collection: Collection,
  area: Area,
  search: Pick<SearchRequest, 'q' | 'className' | 'slots' | 'facets'> & { readonly counts: Counts },
): Promise<Counted> {
  const request = { ...search, sort: undefined, page: FIRST_PAGE, size: 0, count: 0, highlight: false };
  const options = await optionsFor(collection, request);
  return (await findSought({ pool, collection, area, request, options })).counted!;
}

/** How words are indexed: a search without any reads no settings. */
async function optionsFor(collection: Collection, { q }: SearchRequest): Promise<WordOptions> {
  return q === '' ? { heads: {} } : wordOptionsOf(collection);
}

function bodyOf(found: FoundPage, page: number, size: number): Buffer {
  const { records, total, complete, matched, searchedFor, covers, didYouMean, highlights } = found;
  const { facets, cutFacets = [] } = found;
  const characters = records.reduce((sum, { json }) => sum + json.length, 0);
  if (characters > MOST_LISTED_CHARACTERS) throw tooLongTogether(size);
  return Buffer.from(
    jsonWith({
      items: new JsonText(`[${records.map(({ json }) => json)}]`),
      total,
      page,
      size,
      pages: Math.ceil(total / size),
      complete,
      ...(matched && { matched }),
      ...(searchedFor !== undefined && { searched_for: searchedFor }),
      ...(covers !== undefined && { covers }),
      ...(facets && facets.size > 0 && { facets: Object.fromEntries(facets) }),
      ...(cutFacets.length > 0 && { cut_facets: cutFacets }),
      ...(didYouMean !== undefined && { did_you_mean: didYouMean }),
      ...(highlights && { highlights }),
    }),
  );
}

async function findPage(reading: Reading): Promise<FoundPage> {
  const { language } = reading.options;
  const found = await findSought(reading);
  if (!found.matched || !reading.request.highlight) return found;
  const { q } = reading.request;
  const { searchedFor = q } = found;
  const sought =
    found.matched === 'words'
      ? { query: parseQuery(searchedFor, language), language }
      : { parts: queryWords(searchedFor) };
  return { ...found, highlights: await highlightsOf(reading, found.records, sought) };
}

/** What a query finds or, if it has too many words, what identifies a record in it, such as a DOI in a reference. */
async function findSought(reading: Reading): Promise<FoundPage> {
  const { request, options } = reading;
  const essence = hasTooManyWords(request.q) ? essenceOf(request.q) : undefined;
  if (essence === undefined) return findMatches(reading, parseQuery(request.q, options.language));
  return { ...(await findMatches(reading, parseQuery(`"${essence}"`))), searchedFor: essence };
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
  const { area, request, options } = reading;
  const { q, slots } = request;
  const parts = queryWords(q);
  if (query.groups.length + query.excluded.length === 0)
    return parts.length === 0
      ? filterPage(area, request)
      : { ...(await readPage(reading, { parts })), matched: 'parts' };
  const words = await wordsPage(reading, query);
  if (!words) return { ...(await readPage(reading, { query, options })), matched: 'words', late: true };
  if (words.total > 0 || query.excluded.length > 0) return { ...words, matched: 'words' };
  const others = await findInstead(reading, query);
  if (others) return others;
  if (!query.isPlain) return { ...words, matched: 'words' };
  const read = await readPage(reading, { parts: queryWords(q.replace(/(?<=^|\s)\*|\*(?=\s|$)/g, '')) });
  const ofParts = { ...read, late: read.late || words.late };
  if (ofParts.total > 0 || slots.length > 0) return { ...ofParts, matched: 'parts' };
  const didYouMean = await didYouMeanWords(q, query, async (wanted) => {
    const near = await findWords(reading, wanted, { offset: 0, limit: MOST_NEAR });
    return near ?? { total: 0, records: [] };
  });
  return { ...ofParts, matched: 'parts', ...(didYouMean !== undefined && { didYouMean }) };
}

/** What identifies a record in a query of which no record has all words, or else the query without its small words. */
async function findInstead(reading: Reading, { isPlain }: WordQuery): Promise<FoundPage | undefined> {
  const { q } = reading.request;
  const others = new Map<string, WordQuery>();
  const essence = essenceOf(q);
  if (essence !== undefined) others.set(essence, parseQuery(`"${essence}"`));
  const large = isPlain ? withoutSmallWords(q) : undefined;
  if (large !== undefined) others.set(large, parseQuery(large, reading.options.language));
  for (const [searchedFor, query] of others) {
    const words = await wordsPage(reading, query);
    if (words && words.total > 0) return { ...words, matched: 'words', searchedFor };
  }
  return undefined;
}

/** A page of the records that a query finds; undefined if the index of words is too far behind. */
async function wordsPage(reading: Reading, query: WordQuery): Promise<FoundPage | undefined> {
  const { area, request } = reading;
  const { slots, sort, facets, counts } = request;
  if (slots.length === 0 && sort === undefined && facets.length === 0 && !counts) {
    const found = await findWords(reading, query, rangeOf(request));
    return found && { ...found, complete: true, late: !found.isCurrent };
  }
  const found = await area.filterWords(filterOf(request), wordSearch(reading, query));
  return found && { ...pageOf(found, request), late: !found.isCurrent };
}

const isInPidOrder = (sort: Sort | undefined) =>
  sort === undefined || (sort.slot === 'pid' && !sort.descending);

const rangeOf = ({ page, size }: SearchRequest) => ({ offset: (page - FIRST_PAGE) * size, limit: size });

/** A page of the records that filters find. @param iris of those among which they look */
async function filterPage(area: Area, request: SearchRequest, iris?: readonly string[]): Promise<FoundPage> {
  const { className, slots, sort, facets, page, size, counts } = request;
  if (!iris && !counts && slots.length === 0 && facets.length === 0 && isInPidOrder(sort)) {
    // Lists find the position of any page at once.
    const { records, total } = await area.page({ ...(className !== undefined && { className }) }, page, size);
    return { records, total, complete: true, late: false };
  }
  return pageOf(await area.filter({ ...filterOf(request), ...(iris && { iris }) }), request);
}

function filterOf(request: SearchRequest): Omit<AreaSearch, 'iris'> {
  const { className, slots: groups, sort, facets, alternatives = false, counts } = request;
  return { className, groups, sort, facets, alternatives, range: rangeOf(request), ...counts };
}

function pageOf(found: FilteredPage, { counts }: SearchRequest): FoundPage {
  const { records, total, facets, cutFacets } = found;
  return {
    records,
    total,
    facets,
    cutFacets,
    complete: true,
    late: false,
    ...(counts && { counted: found }),
  };
}

type Reading = {
  readonly pool: Pool;
  readonly collection: Collection;
  readonly area: Area;
  readonly request: SearchRequest;
  readonly options: WordOptions;
};

function findWords(reading: Reading, query: WordQuery, range: Range): ReturnType<Area['find']> {
  const { className } = reading.request;
  return reading.area.find(
    { ...(className !== undefined && { className }) },
    wordSearch(reading, query),
    range,
  );
}

function wordSearch({ pool, options }: Reading, query: WordQuery): Omit<WordSearch, 'classes'> {
  return {
    query,
    version: wordIndex(options).version,
    judge: ({ json, className }) =>
      json.length < LONG_BODY
        ? standingOf(query, wordsOf(json, className, options))
        : pool.run(standingIn, { query, json, className, options }),
    yieldIfDue: yielder(),
  };
}

/** A page of records that are read for words: only one in the order of pids is returned before all are found. */
async function readPage(
  { pool, collection: { schema }, area, request }: Reading,
  text: TextCondition,
): Promise<FoundPage> {
  const { className, sort, facets, alternatives, size, count, counts } = request;
  const isFirstEnough = facets.length === 0 && !counts && isInPidOrder(sort);
  // Facets leave conditions of their own slots out, so these are for the index.
  const indexed = alternatives ? request.slots : [];
  const slots = alternatives ? [] : inAllSpellings(schema, request.slots);
  const conditions = { text, slots };
  // Each value of a record is compared with each that is asked for.
  const compared = slots.flat().reduce((sum, { values }) => sum + values.length, 0);
  const times = Math.max(1, Math.ceil(compared / MOST_VALUES));
  const matchShort = matcher(conditions);
  const scan: Scan = (part) => area.scan({ ...(className !== undefined && { className }), ...part });
  const { offset } = rangeOf(request);
  const most = isFirstEnough ? offset + Math.max(count, size) : Number.POSITIVE_INFINITY;
  const found = await search(
    scan,
    { ...conditions, most },
    {
      match: (json) =>
        json.length * times < LONG_BODY ? matchShort(json) : pool.run(matchIn, { conditions, json }),
      budget: SEARCH_BUDGET,
      yieldIfDue: yielder(),
    },
  );
  const { complete, late } = found;
  const iris = found.records.map(({ iri }) => iri);
  if (!isFirstEnough) {
    if (!complete)
      throw tooBroad('Too many records have its words in parts of words.', 'Name a class, or add a word.');
    return filterPage(area, { ...request, slots: indexed }, iris);
  }
  const { records } = await area.filter({
    className,
    groups: [],
    sort: undefined,
    facets: [],
    range: { offset: 0, limit: size },
    iris: iris.slice(offset, offset + size),
  });
  const covers =
    iris.length === 0 ? 'a part of the records' : `the first ${iris.length} matches in the order of pids`;
  return { records, total: iris.length, complete, late, ...(!complete && { covers }) };
}
