/**
 * Lists, counts and pages of what a `matching` pattern selects, and scans for words. The trigram index yields candidates, and the pattern
 * itself decides, so that it has one meaning in every backend. The pages of one search share its result.
 */
import { LRUCache } from 'lru-cache';
import { fold } from '../../folding.ts';
import { compareCodePoints } from '../../json.ts';
import type { ClassSet, OrderKey } from '../block-order.ts';
import { compileLikePattern, type Pattern } from '../matching.ts';
import {
  compareKeys,
  type Range,
  type RecordKey,
  type ScanSelection,
  type Selection,
  type StoredRecord,
} from '../store.ts';
import type { DatabaseArea } from './area.ts';
import type { Run } from './database.ts';
import { isStorable } from './keys.ts';
import { after, getMany, NEWEST, RECORD_OF_ENTRY, requireOrder, revision } from './records.ts';
import { KEY_ROW_COLUMNS, type RecordRow, ROW_COLUMNS, toRecord } from './rows.ts';
import { indexedRevision } from './text-index.ts';

/** Results that are kept for the next page, as long as nothing changes. */
const KEPT_RESULTS = 16;
/** Records read at a time. */
const SEARCHED_AT_ONCE = 500;
/** The same of a search for words, which often ends with the first page. */
const FOUND_AT_ONCE = 200;
/** The index is asked for this many runs of a pattern, the longest ones. */
const ENOUGH_RUNS = 3;
/** With more candidates than this, a search for words reads the records in order: it finds enough of them soon. */
const MOST_CANDIDATES = 20_000;

type MatchingSelection = Selection & { readonly matching: string };
type Key = OrderKey & { readonly className: string };

export class Search {
  readonly #area: DatabaseArea;
  readonly #results = new LRUCache<string, { readonly revision: number; readonly keys: Promise<Key[]> }>({
    max: KEPT_RESULTS,
  });

  constructor(area: DatabaseArea) {
    this.#area = area;
  }

  /** Whether the selection has a pattern that leaves anything out. */
  concerns(selection: Selection): selection is MatchingSelection {
    return selection.matching !== undefined && !compileLikePattern(selection.matching).everything;
  }

  async list(selection: MatchingSelection, { offset, limit }: Range): Promise<StoredRecord[]> {
    const keys = await this.#search(selection);
    return this.#recordsOf(keys.slice(offset, offset + limit));
  }

  async count(selection: MatchingSelection): Promise<number> {
    return (await this.#search(selection)).length;
  }

  async rank(selection: MatchingSelection, pid: string): Promise<number> {
    const keys = await this.#search(selection);
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareCodePoints((keys[middle] as Key).pid, pid) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The keys whose records match. */
  async among({ matching }: MatchingSelection, keys: readonly RecordKey[]): Promise<RecordKey[]> {
    const pattern = compileLikePattern(matching);
    const records = await getMany(
      this.#area,
      keys.map(({ iri }) => iri),
    );
    const found = new Set(records.filter(({ json }) => pattern.matchesRecord(json)).map(({ iri }) => iri));
    return keys.filter(({ iri }) => found.has(iri));
  }

  async *scan(selection: MatchingSelection): AsyncGenerator<StoredRecord> {
    const keys = await this.#search(selection);
    for (let from = 0; from < keys.length; from += SEARCHED_AT_ONCE) {
      yield* await this.#recordsOf(keys.slice(from, from + SEARCHED_AT_ONCE));
    }
  }

  /**
   * Records of the classes, in order, among which are all that have each of these folded strings in a value; undefined if
   * those are best found by reading all records.
   */
  async having({ classes, words }: ScanSelection): Promise<AsyncGenerator<StoredRecord> | undefined> {
    const strings = words?.filter(isStorable);
    if (!strings?.length) return undefined;
    const keys = await offeredKeys(this.#area, strings, classes && [...new Set(classes)]);
    return keys && this.#inOrder(keys);
  }

  async *#inOrder(keys: readonly RecordKey[]): AsyncGenerator<StoredRecord> {
    for (let from = 0; from < keys.length; from += FOUND_AT_ONCE) {
      yield* await this.#recordsOf(keys.slice(from, from + FOUND_AT_ONCE));
    }
  }

  async #recordsOf(keys: readonly RecordKey[]): Promise<StoredRecord[]> {
    const records = await getMany(
      this.#area,
      keys.map(({ iri }) => iri),
    );
    return records.sort(compareKeys);
  }

  async #search({ matching, classes }: MatchingSelection): Promise<Key[]> {
    const pattern = compileLikePattern(matching);
    if (!pattern.matchable) return [];
    const set = classes && [...new Set(classes)];
    const name = JSON.stringify([matching, set]);
    const now = await revision(this.#area);
    const known = this.#results.get(name);
    if (known?.revision === now) return known.keys;
    const keys = find(this.#area, pattern, set);
    this.#results.set(name, { revision: now, keys });
    keys.catch(() => this.#results.delete(name));
    return keys;
  }
}

/** The keys of the records of the classes that a pattern selects, in order. */
async function find(area: DatabaseArea, pattern: Pattern, classes: ClassSet): Promise<Key[]> {
  const found = new Map<string, Key>();
  const look = ({ pid, iri, className, json }: StoredRecord) => {
    if (pattern.matchesRecord(json)) found.set(iri, { pid, iri, className });
  };
  const runs = indexableRuns(pattern.runs);
  if (runs.length === 0) {
    for await (const record of everyRecord(area, classes)) look(record);
    return [...found.values()];
  }
  const { database, id } = area;
  // First the revision: what was indexed since is looked at twice, which does no harm.
  const indexed = await indexedRevision(area);
  const ofClasses = classes ? 'AND r.class_name = ANY ($2)' : '';
  const values = classes ? [id, classes] : [id];
  await database.snapshot(async (run) => {
    const likes = runs.map((_, index) => `AND x.folded LIKE $${values.length + index + 1}`).join(' ');
    await run('SET LOCAL enable_bitmapscan = on');
    await run(
      `DECLARE candidate NO SCROLL CURSOR FOR SELECT ${ROW_COLUMNS} FROM accession_folded x
       JOIN accession_record r ON r.area = x.area AND r.iri_key = x.iri_key
       WHERE x.area = $1 ${ofClasses} ${likes}`,
      [...values, ...runs.map((run) => `%${escapedPattern(run)}%`)],
      { planned: true },
    );
    await fetchAll(run, 'candidate', look);
    await run(
      `DECLARE recent NO SCROLL CURSOR FOR SELECT r.* FROM accession_entry e CROSS JOIN ${RECORD_OF_ENTRY}
       WHERE ${NEWEST} ${ofClasses} AND e.revision > ${indexed} ORDER BY e.revision`,
      values,
      { planned: true },
    );
    await fetchAll(run, 'recent', look);
  });
  return [...found.values()].sort(compareKeys);
}

/** The keys of records of the classes that may have these folded strings, in order; undefined if they are too many. */
async function offeredKeys(
  area: DatabaseArea,
  strings: readonly string[],
  classes: ClassSet,
): Promise<RecordKey[] | undefined> {
  const { database, id } = area;
  const indexed = await indexedRevision(area);
  if (indexed === 0) return undefined;
  const ofClasses = classes ? 'AND r.class_name = ANY ($2)' : '';
  const values = classes ? [id, classes] : [id];
  const likes = strings.map((_, index) => `AND x.folded LIKE $${values.length + index + 1}`).join(' ');
  const limit = `LIMIT ${MOST_CANDIDATES + 1}`;
  const rows = await database.snapshot(async (run) => {
    await run('SET LOCAL enable_bitmapscan = on');
    await run(
      `DECLARE offered NO SCROLL CURSOR FOR SELECT ${KEY_ROW_COLUMNS} FROM accession_folded x
       JOIN accession_record r ON r.area = x.area AND r.iri_key = x.iri_key
       WHERE x.area = $1 ${ofClasses} ${likes} ${limit}`,
      [...values, ...strings.map((string) => `%${escapedPattern(string)}%`)],
      { planned: true },
    );
    await run(
      `DECLARE changed NO SCROLL CURSOR FOR SELECT ${KEY_ROW_COLUMNS} FROM accession_entry e CROSS JOIN ${RECORD_OF_ENTRY}
       WHERE ${NEWEST} ${ofClasses} AND e.revision > ${indexed} ${limit}`,
      values,
      { planned: true },
    );
    return [
      ...(await run<RecordRow>('FETCH ALL FROM offered')),
      ...(await run<RecordRow>('FETCH ALL FROM changed')),
    ];
  });
  if (rows.length > MOST_CANDIDATES) return undefined;
  const keys = new Map(rows.map(toRecord).map((record) => [record.iri, record]));
  return [...keys.values()].sort(compareKeys);
}

async function fetchAll(run: Run, cursor: string, look: (record: StoredRecord) => void): Promise<void> {
  for (;;) {
    const rows = await run<RecordRow>(`FETCH ${SEARCHED_AT_ONCE} FROM ${cursor}`);
    for (const row of rows) look(toRecord(row));
    if (rows.length < SEARCHED_AT_ONCE) return;
  }
}

/** Every record of the classes in order, with memory that does not grow with the area. */
export async function* everyRecord(area: DatabaseArea, classes: ClassSet): AsyncGenerator<StoredRecord> {
  await requireOrder(area);
  let place: OrderKey = { pid: '', iri: '' };
  for (;;) {
    const records = await after(area, classes, place, SEARCHED_AT_ONCE);
    yield* records;
    if (records.length < SEARCHED_AT_ONCE) return;
    place = records[records.length - 1] as StoredRecord;
  }
}

/** What the index can look for: runs of three characters and more, which PostgreSQL can store. */
function indexableRuns(runs: readonly string[]): string[] {
  return runs
    .map(fold)
    .filter((run) => [...run].length >= 3 && !run.includes('\0') && run.isWellFormed())
    .sort((a, b) => b.length - a.length)
    .slice(0, ENOUGH_RUNS);
}

const escapedPattern = (run: string) => run.replace(/[\\%_]/g, '\\$&');
