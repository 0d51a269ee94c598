/**
 * Lists, counts and ranks of what a `matching` pattern selects, and scans for words. The text index yields candidates, and
 * the pattern itself decides, so it has one meaning on every database. The pages of one search share its result.
 */
import { LRUCache } from 'lru-cache';
import { fold } from '../folding.ts';
import { yielder } from '../yield.ts';
import type { ClassSet, OrderKey, Walk } from './block-order.ts';
import type { Database } from './database.ts';
import type { Value } from './dialect.ts';
import { compileLikePattern, type Pattern } from './matching.ts';
import { revisionOf } from './order.ts';
import type { Reader } from './reader.ts';
import {
  keysById,
  listById,
  longText,
  type RowOfMany,
  recordOf,
  rowsById,
  rowsInOrder,
  type SelectedKinds,
} from './records.ts';
import {
  type AreaId,
  compareKeys,
  countBefore,
  type ListedRecord,
  type Range,
  type RecordKey,
  type ScanSelection,
  type Selection,
  type StoredRecord,
} from './store.ts';
import { LONGEST_INDEXED, TEXT_INDEX } from './text-index.ts';
import type { Trigrams } from './trigrams.ts';
import type { Visibility } from './visibility.ts';

/** Results that are kept for the next page, as long as nothing changes. */
const KEPT_RESULTS = 16;
/** Records read at a time. */
const READ_AT_ONCE = 200;
/** Candidates of one statement: with more, other requests would wait for it. */
const CANDIDATES_AT_ONCE = 30_000;
const UP_TO = 'LIMIT CAST($2 AS INTEGER)';
const TOO_LONG = `SELECT r.id, r.id FROM accession_record r
  WHERE r.area = $3 AND length(r.json) > ${LONGEST_INDEXED} AND r.id > $1 ORDER BY r.id ${UP_TO}`;
const NOT_INDEXED = `SELECT r.id, e.revision FROM accession_entry e
  JOIN accession_record r ON r.area = e.area AND r.iri = e.iri AND r.revision = e.revision
  WHERE e.area = $3 AND e.revision > $1 ORDER BY e.revision ${UP_TO}`;
/** With more candidates than this, a search for words reads the records in order: it finds enough of them soon. */
const MOST_CANDIDATES = 20_000;

type MatchingSelection = Selection & { readonly matching: string };
type Found = Omit<RowOfMany, 'json' | 'revision'>;

type Results = LRUCache<string, { readonly revision: number; readonly found: Promise<readonly Found[]> }>;

export class Search {
  readonly #database: Database;
  readonly #area: AreaId;
  readonly #trigrams: Trigrams;
  /** By pattern, classes and visibility: those of a visibility are chosen from those of every record. */
  readonly #results: Results;
  readonly #visibility: Visibility | undefined;

  constructor(
    database: Database,
    area: AreaId,
    trigrams: Trigrams,
    results: Results = new LRUCache({ max: KEPT_RESULTS }),
    visibility?: Visibility,
  ) {
    this.#database = database;
    this.#area = area;
    this.#trigrams = trigrams;
    this.#results = results;
    this.#visibility = visibility;
  }

  /** The same for a caller who does not see every record. */
  as(visibility: Visibility): Search {
    return new Search(this.#database, this.#area, this.#trigrams, this.#results, visibility);
  }

  /** Whether the selection has a pattern that leaves anything out. */
  concerns(selection: Selection): selection is MatchingSelection {
    return selection.matching !== undefined && !compileLikePattern(selection.matching).everything;
  }

  async list(selection: MatchingSelection, { offset, limit }: Range): Promise<ListedRecord[]> {
    const found = await this.#find(selection);
    return listById(this.#database, idsOf(found, offset, limit), this.#visibility);
  }

  async count(selection: MatchingSelection): Promise<number> {
    return (await this.#find(selection)).length;
  }

  async rank(selection: MatchingSelection, pid: string): Promise<number> {
    return countBefore(await this.#find(selection), pid);
  }

  /** Of these IRIs, the keys of the records that match. */
  async among(selection: MatchingSelection, iris: readonly string[]): Promise<RecordKey[]> {
    const wanted = new Set(iris);
    const found = await this.#find(selection);
    return found.flatMap(({ pid, iri, className }) => (wanted.has(iri) ? [{ pid, iri, className }] : []));
  }

  async iris(selection: MatchingSelection): Promise<string[]> {
    return (await this.#find(selection)).map(({ iri }) => iri);
  }

  async *scan(selection: MatchingSelection & ScanSelection): AsyncGenerator<StoredRecord> {
    yield* this.#inOrder(behind(await this.#find(selection), selection.after));
  }

  /**
   * Records of the classes, in order, among which are all that have each of these folded strings in a value; undefined if
   * those are best found by reading all records.
   *
   * @param kinds what the caller sees of the classes
   * @param records how many records that are
   */
  async having(
    { words = [], mostCandidates = MOST_CANDIDATES, after }: ScanSelection,
    kinds: SelectedKinds,
    records: number,
  ): Promise<AsyncGenerator<StoredRecord> | undefined> {
    const strings = indexable(words);
    if (strings.length === 0) return undefined;
    const ids = await this.#candidates(strings, Math.min(mostCandidates, records));
    if (!ids) return undefined;
    const found: Found[] = [];
    const yieldIfDue = yielder();
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      found.push(
        ...(await keysById(this.#database, ids.slice(from, from + READ_AT_ONCE), this.#area, kinds)),
      );
      await yieldIfDue();
    }
    return this.#inOrder(behind(ordered(found), after));
  }

  async *#inOrder(found: readonly Found[]): AsyncGenerator<StoredRecord> {
    for (let from = 0; from < found.length; from += READ_AT_ONCE)
      for (const row of await rowsById(this.#database, idsOf(found, from, READ_AT_ONCE))) {
        // It may have been stored with another policy meanwhile.
        const isSeen = this.#visibility?.sees(row.policy) ?? true;
        const record = isSeen ? await recordOf(this.#database, row) : undefined;
        if (record) yield record;
      }
  }

  async #find({ matching, classes, asOf }: MatchingSelection): Promise<readonly Found[]> {
    const pattern = compileLikePattern(matching);
    if (!pattern.matchable) return [];
    const revision = asOf ?? (await revisionOf(this.#database, this.#area));
    const ofEveryRecord = () =>
      this.#kept([matching, classes], revision, () =>
        this.#search(pattern, classes && [...new Set(classes)]),
      );
    const visibility = this.#visibility;
    if (!visibility) return ofEveryRecord();
    return this.#kept([matching, classes, visibility.key], revision, async () =>
      this.#seen(await ofEveryRecord()),
    );
  }

  #kept(
    key: readonly unknown[],
    revision: number,
    find: () => Promise<readonly Found[]>,
  ): Promise<readonly Found[]> {
    const name = JSON.stringify(key);
    const known = this.#results.get(name);
    if (known?.revision === revision) return known.found;
    const found = find();
    this.#results.set(name, { revision, found });
    found.catch(() => this.#results.delete(name));
    return found;
  }

  #seen(found: readonly Found[]): readonly Found[] {
    const visibility = this.#visibility;
    return visibility ? found.filter(({ policy }) => visibility.sees(policy)) : found;
  }

  async #search(pattern: Pattern, classes: ClassSet): Promise<readonly Found[]> {
    const found: Found[] = [];
    const strings = indexable(pattern.runs.map(fold));
    const ids = strings.length > 0 ? await this.#candidates(strings) : undefined;
    const kinds = { classes, policies: undefined };
    const rows = ids
      ? this.#rowsOf(ids, kinds)
      : rowsInOrder(this.#database, this.#area, { ...kinds, ...(classes && { merged: 'classes' }) });
    const yieldIfDue = yielder();
    for await (const row of rows) {
      const json = row.json ?? (await longText(this.#database, row));
      if (json !== undefined && pattern.matchesRecord(json)) found.push(foundOf(row));
      await yieldIfDue();
    }
    return ordered(found);
  }

  /**
   * The ids of records that may have all of the strings, among those of other areas: what the index has, what is too long for
   * it, and what it lacks; undefined if they are not fewer than `most`, or than the area has records.
   */
  async #candidates(
    strings: readonly string[],
    most = Number.POSITIVE_INFINITY,
  ): Promise<readonly number[] | undefined> {
    const { id: area } = this.#area;
    const [state] = await this.#database.tuples<[records: number, revision: number, indexed: number | null]>(
      `SELECT a.records, a.revision, c.revision FROM accession_area a
       LEFT JOIN accession_cursor c ON c.area = a.area AND c.name = $2 WHERE a.area = $1`,
      [area, TEXT_INDEX.name],
    );
    const [records, revision, indexed] = state ?? [0, 0, 0];
    const limit = Math.min(most, records);
    const inIndex = this.#database.dialect.textCandidates(await this.#trigrams.sought(strings), 3);
    const sources: [select: string, values: readonly Value[], behind: number][] = [
      [`SELECT id, id FROM ${inIndex.sql} x WHERE id > $1 ORDER BY id ${UP_TO}`, inIndex.values, 0],
      [TOO_LONG, [area], 0],
    ];
    if ((indexed ?? 0) < revision) sources.push([NOT_INDEXED, [area], indexed ?? 0]);
    const found = new Set<number>();
    for (const [select, values, behind] of sources)
      for await (const ids of idsInParts(this.#database, select, values, behind, limit)) {
        for (const id of ids) found.add(id);
        if (found.size >= limit) return undefined;
      }
    return [...found];
  }

  async *#rowsOf(ids: readonly number[], kinds: SelectedKinds): AsyncGenerator<RowOfMany> {
    for (let from = 0; from < ids.length; from += READ_AT_ONCE)
      yield* await rowsById(this.#database, ids.slice(from, from + READ_AT_ONCE), this.#area, kinds);
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
  walk: Walk,
  visibility: Visibility | undefined,
  after: OrderKey | undefined,
): AsyncGenerator<StoredRecord> {
  for await (const row of rowsInOrder(database, area, walk, after)) {
    const record = (visibility?.sees(row.policy) ?? true) ? await recordOf(database, row) : undefined;
    if (record) yield record;
  }
}

function foundOf({ id, pid, iri, className, policy }: RowOfMany): Found {
  return { id, pid, iri, className, policy };
}

function idsOf(found: readonly Found[], from: number, number: number): number[] {
  return found.slice(from, from + number).map(({ id }) => id);
}

function behind(found: readonly Found[], after: OrderKey | undefined): readonly Found[] {
  return after ? found.filter((one) => compareKeys(one, after) > 0) : found;
}

function ordered(found: readonly Found[]): readonly Found[] {
  return found.toSorted(compareKeys);
}

/** Selects the strings that an index of trigrams can look for. */
function indexable(strings: readonly string[]): string[] {
  return strings.filter(
    (text) => text.length >= 3 && [...text].length >= 3 && !text.includes('\0') && text.isWellFormed(),
  );
}
