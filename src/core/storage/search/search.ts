/**
 * Lists, counts and ranks of what a `matching` pattern selects, and scans for words. The text index yields candidates, and
 * the pattern itself decides, so it has one meaning on every database. The pages of one search share its result.
 */
import { fold } from '#linkml/folding.ts';
import { compareCodePoints } from '#linkml/json.ts';
import { inOrder } from '../../ordering.ts';
import { yielder } from '../../yield.ts';
import { progressIn } from '../cursors.ts';
import type { Database } from '../database.ts';
import type { Value } from '../dialect.ts';
import type { ClassSet, OrderKey, ScanPlan } from '../read/block-order.ts';
import { revisionOf } from '../read/order.ts';
import {
  idsUnder,
  keysById,
  listById,
  longText,
  READ_AT_ONCE,
  type RowOfMany,
  recordOf,
  recordsById,
  rowsById,
  rowsInOrder,
} from '../read/records.ts';
import type { Reader } from '../reader.ts';
import {
  type AreaId,
  compareKeys,
  type ListedRecord,
  type Range,
  type RecordKey,
  type RowFilter,
  type ScanSelection,
  type Selection,
  type StoredRecord,
} from '../store.ts';
import type { Visibility } from '../visibility.ts';
import { compileLikePattern, type Pattern } from './matching.ts';
import { type FoundIds, foundWith, IdList, NOTHING, type SearchResults } from './search-results.ts';
import { LONGEST_INDEXED, TEXT_INDEX } from './text-index.ts';
import type { Trigrams } from './trigrams.ts';

/** Candidates of one statement: with more, other requests would wait for it. */
const CANDIDATES_AT_ONCE = 30_000;
const UP_TO = 'LIMIT CAST($2 AS BIGINT)';
/**
 * Records that are too long for the indexes, and those that have changed behind a revision; see {@link idsInParts}. The sign keeps
 * PostgreSQL from reading all records in the order of their ids.
 */
export const TOO_LONG = `SELECT r.id, r.id FROM accession_record r
  WHERE r.area = $3 AND length(r.json) > ${LONGEST_INDEXED} AND r.id > $1 ORDER BY +r.id ${UP_TO}`;
export const NOT_INDEXED = `SELECT r.id, e.revision FROM accession_entry e
  JOIN accession_record r ON r.area = e.area AND r.iri = e.iri AND r.revision = e.revision
  WHERE e.area = $3 AND e.revision > $1 ORDER BY e.revision ${UP_TO}`;
/** With more candidates than this, a search for words reads the records in order: it finds enough of them soon. */
const MOST_CANDIDATES = 20_000;
/** More records, or longer keys of them in characters, are not sorted: the area is read in its order. */
const MOST_SORTED = { records: 50_000, characters: 8_000_000 };
/** A search that reads more records than this waits for its turn. */
const SHORT_SEARCH = 2000;

type MatchingSelection = Selection & { readonly matching: string };
type FoundRecord = Omit<RowOfMany, 'json' | 'revision'>;

/** Ends a search that finds more than its caller wants. */
class FoundMore extends Error {}

export class Search {
  readonly #database: Database;
  readonly #area: AreaId;
  readonly #trigrams: Trigrams;
  readonly #results: SearchResults;
  readonly #visibility: Visibility | undefined;

  constructor(
    database: Database,
    area: AreaId,
    trigrams: Trigrams,
    results: SearchResults,
    visibility?: Visibility,
  ) {
    this.#database = database;
    this.#area = area;
    this.#trigrams = trigrams;
    this.#results = results;
    this.#visibility = visibility;
  }

  /** This search for a caller who does not see every record. */
  as(visibility: Visibility): Search {
    return new Search(this.#database, this.#area, this.#trigrams, this.#results, visibility);
  }

  /** Whether the selection has a pattern that leaves anything out. */
  concerns(selection: Selection): selection is MatchingSelection {
    return selection.matching !== undefined && !compileLikePattern(selection.matching).everything;
  }

  async list(selection: MatchingSelection, { offset, limit }: Range): Promise<ListedRecord[]> {
    const ids = await this.#find(selection);
    return listById(this.#database, [...ids.subarray(offset, offset + limit)], this.#visibility);
  }

  /** See {@link RecordStore.count}. */
  async count(selection: MatchingSelection, most?: number): Promise<number> {
    try {
      return (await this.#find(selection, most)).length;
    } catch (error) {
      if (error instanceof FoundMore) return most! + 1;
      throw error;
    }
  }

  async rank(selection: MatchingSelection, pid: string): Promise<number> {
    return this.#firstAt(await this.#find(selection), (key) => compareCodePoints(key.pid, pid) >= 0);
  }

  /** Of these IRIs, the keys of the records that match, in order. */
  async among(selection: MatchingSelection, iris: readonly string[]): Promise<RecordKey[]> {
    const found = await this.#find(selection);
    // Reads whichever are fewer: a zone can have many records, and a search many hits.
    if (found.length <= iris.length) {
      const sought = new Set(iris);
      return (await this.#keys(found)).filter(({ iri }) => sought.has(iri));
    }
    const rows = await idsUnder(this.#database, this.#area, iris);
    const byId = new Map(rows.map(({ id, pid, iri, className }) => [id, { pid, iri, className }]));
    const keys: RecordKey[] = [];
    for (const id of found) {
      const key = byId.get(id);
      if (key) keys.push(key);
    }
    return keys;
  }

  /** The IRIs of what matches, some at a time. */
  async *iris(selection: MatchingSelection): AsyncGenerator<string[]> {
    const ids = await this.#find(selection);
    for (let from = 0; from < ids.length; from += READ_AT_ONCE)
      yield (await this.#keys(ids.subarray(from, from + READ_AT_ONCE))).map(({ iri }) => iri);
  }

  async *scan(selection: MatchingSelection & ScanSelection): AsyncGenerator<StoredRecord> {
    const ids = await this.#find(selection);
    const { after } = selection;
    const from = after ? await this.#firstAt(ids, (key) => compareKeys(key, after) > 0) : 0;
    yield* this.#inOrder(ids.subarray(from));
  }

  /**
   * Records of the classes, in order, among which are all that have each of these folded strings in a value; undefined if
   * those are best found by reading all records.
   *
   * @param filter what the caller sees of the classes
   * @param records how many records that are
   */
  async having(
    { words = [], mostCandidates = MOST_CANDIDATES, after }: ScanSelection,
    filter: RowFilter,
    records: number,
  ): Promise<AsyncGenerator<StoredRecord> | undefined> {
    const strings = indexable(words);
    if (strings.length === 0) return undefined;
    const ids = await this.#candidates(this.#database, strings, Math.min(mostCandidates, records));
    if (!ids) return undefined;
    const found: FoundRecord[] = [];
    const yieldIfDue = yielder();
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      found.push(
        ...(await keysById(this.#database, ids.slice(from, from + READ_AT_ONCE), this.#area, filter)),
      );
      await yieldIfDue();
    }
    const sorted = await inOrder(found, compareKeys, yieldIfDue);
    return this.#inOrder((after ? sorted.filter((one) => compareKeys(one, after) > 0) : sorted).map(idOf));
  }

  /** See {@link RecordStore.candidates}. */
  async candidates(reader: Reader, text: string): Promise<readonly number[] | undefined> {
    const strings = indexable([text]);
    return strings.length > 0 ? this.#candidates(reader, strings) : undefined;
  }

  #inOrder(ids: ArrayLike<number>): AsyncGenerator<StoredRecord> {
    return recordsById(this.#database, ids, this.#visibility);
  }

  /** The ids of what matches, in order. @throws FoundMore if that is more than `most` */
  async #find({ matching, classes, asOf }: MatchingSelection, most?: number): Promise<Float64Array> {
    const pattern = compileLikePattern(matching);
    if (!pattern.matchable) return NOTHING.ids;
    const revision = asOf ?? (await revisionOf(this.#database, this.#area));
    const key = JSON.stringify([this.#area.id, matching, classes]);
    const search = () => this.#search(pattern, classes && [...new Set(classes)], most);
    const isShared = most === undefined;
    const found = await this.#results.find(key, revision, search, isShared);
    const visibility = this.#visibility;
    return visibility ? foundWith(found, (policy) => visibility.sees(policy)).ids : found.ids;
  }

  /** The number of records, in order, for which a condition is false; it is true for all behind them. */
  async #firstAt(ids: Float64Array, condition: (key: RecordKey) => boolean): Promise<number> {
    let low = 0;
    let high = ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const one = await this.#keys(ids.subarray(middle, middle + 1));
      // Some may have been deleted since they were found.
      const [key] =
        one.length > 0 ? one : await this.#keys(ids.subarray(middle, Math.min(middle + READ_AT_ONCE, high)));
      if (!key || condition(key)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  async #search(pattern: Pattern, classes: ClassSet, most?: number): Promise<FoundIds> {
    const strings = indexable(pattern.runs.map(fold));
    const ids =
      strings.length > 0 ? await this.#candidates(this.#database, strings, MOST_SORTED.records) : undefined;
    const search = async () =>
      (ids && (await this.#searchAmong(pattern, classes, ids, most))) ??
      (await this.#searchAll(pattern, classes, most));
    return ids && ids.length <= SHORT_SEARCH ? search() : this.#results.inTurn(search);
  }

  /** Searches the area in its order, so nothing has to be sorted. */
  async #searchAll(pattern: Pattern, classes: ClassSet, most?: number): Promise<FoundIds> {
    const found = new IdList();
    const filter = { classes, policies: undefined, ...(classes && { merged: 'classes' as const }) };
    for await (const row of this.#matching(pattern, rowsInOrder(this.#database, this.#area, filter), most))
      found.add(row.id, row.policy);
    return found.found();
  }

  /** Searches some records; undefined if the keys of what matches are too long to be sorted. */
  async #searchAmong(
    pattern: Pattern,
    classes: ClassSet,
    ids: readonly number[],
    most?: number,
  ): Promise<FoundIds | undefined> {
    const found: FoundRecord[] = [];
    let characters = 0;
    const filter = { classes, policies: undefined };
    for await (const { id, pid, iri, className, policy } of this.#matching(
      pattern,
      this.#rowsOf(ids, filter),
      most,
    )) {
      characters += pid.length + iri.length;
      if (characters > MOST_SORTED.characters) return undefined;
      found.push({ id, pid, iri, className, policy });
    }
    const list = new IdList();
    for (const { id, policy } of await inOrder(found, compareKeys, yielder())) list.add(id, policy);
    return list.found();
  }

  /** @throws FoundMore behind as many rows that the caller sees */
  async *#matching(
    pattern: Pattern,
    rows: AsyncIterable<RowOfMany>,
    most = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<RowOfMany> {
    const yieldIfDue = yielder();
    let seen = 0;
    for await (const row of rows) {
      const json = row.json ?? (await longText(this.#database, row));
      if (json !== undefined && pattern.matchesRecord(json)) {
        if (this.#visibility?.sees(row.policy) ?? true) seen += 1;
        if (seen > most) throw new FoundMore();
        yield row;
      }
      await yieldIfDue();
    }
  }

  /** The keys of records that there still are, in the order of the ids. */
  async #keys(ids: Float64Array): Promise<RecordKey[]> {
    const rows = await keysById(this.#database, [...ids], this.#area, EVERY);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return [...ids].flatMap((id) => byId.get(id) ?? []);
  }

  /**
   * The ids of records that may have all of the strings, among those of other areas: what the index has, what is too long for
   * it, and what it lacks; undefined if they are not fewer than `most`, or than the area has records.
   */
  async #candidates(
    reader: Reader,
    strings: readonly string[],
    most = Number.POSITIVE_INFINITY,
  ): Promise<readonly number[] | undefined> {
    const { id: area } = this.#area;
    const { records, revision, cursors } = await progressIn(reader, area, [TEXT_INDEX.name]);
    const [indexed] = cursors.get(TEXT_INDEX.name) ?? [0];
    const limit = Math.min(most, records);
    const inIndex = this.#database.dialect.textCandidates(await this.#trigrams.sought(strings), 3);
    const sources: [select: string, values: readonly Value[], behind: number][] = [
      [`SELECT id, id FROM ${inIndex.sql} x WHERE id > $1 ORDER BY id ${UP_TO}`, inIndex.values, 0],
      [TOO_LONG, [area], 0],
    ];
    if (indexed < revision) sources.push([NOT_INDEXED, [area], indexed]);
    const found = new Set<number>();
    for (const [select, values, behind] of sources)
      for await (const ids of idsInParts(reader, select, values, behind, limit)) {
        for (const id of ids) found.add(id);
        if (found.size >= limit) return undefined;
      }
    return [...found];
  }

  async *#rowsOf(ids: readonly number[], filter: RowFilter): AsyncGenerator<RowOfMany> {
    for (let from = 0; from < ids.length; from += READ_AT_ONCE)
      yield* await rowsById(this.#database, ids.slice(from, from + READ_AT_ONCE), this.#area, filter);
  }
}

/**
 * Reads ids with one statement after the other.
 *
 * @param select selects ids with keys behind $1, in the order of the keys, up to $2 of them; its further parameters are `values`
 * @param limit of one statement, too
 */
export async function* idsInParts(
  reader: Reader,
  select: string,
  values: readonly Value[],
  behind: number,
  limit: number,
): AsyncGenerator<number[]> {
  const most = Math.min(limit, CANDIDATES_AT_ONCE);
  const yieldIfDue = yielder();
  for (let from: number | undefined = behind; from !== undefined; ) {
    const rows: [id: number, key: number][] = await reader.tuples(select, [from, most, ...values]);
    yield rows.map(([id]) => id);
    from = rows.length < most ? undefined : rows.at(-1)?.[1];
    await yieldIfDue();
  }
}

/** Every selected record in order behind a key, with memory that does not grow with the area. */
export async function* everyRecord(
  database: Database,
  area: AreaId,
  plan: ScanPlan,
  visibility: Visibility | undefined,
  after: OrderKey | undefined,
): AsyncGenerator<StoredRecord> {
  for await (const row of rowsInOrder(database, area, plan, after)) {
    const record = (visibility?.sees(row.policy) ?? true) ? await recordOf(database, row) : undefined;
    if (record) yield record;
  }
}

const EVERY: RowFilter = { classes: undefined, policies: undefined };

const idOf = ({ id }: FoundRecord): number => id;

/** Selects the strings that an index of trigrams can look for. */
function indexable(strings: readonly string[]): string[] {
  return strings.filter(
    (text) => text.length >= 3 && [...text].length >= 3 && !text.includes('\0') && text.isWellFormed(),
  );
}
