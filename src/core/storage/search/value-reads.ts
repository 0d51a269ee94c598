/**
 * Reads of the index of values in an area, for a caller who sees some classes and policies: the interface for all that filters, sorts
 * or counts by values. Rows of records that have changed behind the index are left out; their values are read from the records.
 */
import { fold } from '#linkml/folding.ts';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { progressIn } from '../cursors.ts';
import { type NumberList, numbersIn, type Value } from '../dialect.ts';
import { IdSet } from '../id-set.ts';
import type { ClassSet } from '../read/block-order.ts';
import { keysById, longText, type Reads, type RowOfMany, rowsById } from '../read/records.ts';
import type { AreaId, RecordStore } from '../store.ts';
import type { Visibility } from '../visibility.ts';
import { COUNTED, type Effort, ROWS_AT_ONCE, ROWS_OF_TEXT, tooBroad } from './effort.ts';
import { matcherOf, type ValueCondition } from './indexed-values.ts';
import type { ValueCounts } from './value-counts.ts';
import { VALUE_INDEX } from './value-index.ts';
import {
  IS_CUT,
  isInSpan,
  overlaps,
  type SlotNumbers,
  type Span,
  spansOf,
  type ValueKey,
  wholeSlot,
} from './value-spans.ts';

/** Changes behind the index that are read beside it. */
const MOST_BEHIND = 20_000;
const READ_AT_ONCE = 200;
/** Of the strings in the index of texts. */
const SHORTEST = 3;
const SHORT_ADVICE =
  'The index of texts has no strings of fewer than three characters: search for a longer one, or narrow it with `class` or another filter.';
const COMMON_ADVICE =
  'Too many records have long values with this string: search for a longer or rarer one, or narrow it with `class` or another filter.';
const KEYS_AT_ONCE = 500;
/** Values of a statement that are counted before others have their turn: each may be compared with some ranges. */
const VALUES_AT_ONCE = 1000;
const EVERY = { classes: undefined, policies: undefined };

/** Which records of an area a search is about. */
export type Seen = { readonly classes: ClassSet; readonly visibility: Visibility | undefined };

/** Records that are counted: those of a set or all, without some. */
export type Counted = { readonly within?: IdSet | undefined; readonly without: IdSet };
/** Values of a slot behind one of them. */
type GroupRange = {
  readonly slot: number;
  readonly isText: boolean;
  readonly behind: readonly [number, string] | undefined;
};
/** With the first record of the rows, if the database has counted them, or all of theirs. */
type GroupRow = [number: number, text: string, rows: number, ids: NumberList | number];

/** A value as sorts have it, with its record. */
export type ValueRow = { readonly id: number; readonly text: string; readonly number: number | undefined };

export class ValueReads {
  readonly area: AreaId;
  /** Records whose rows in the index are of a former state, those included that were deleted since. */
  readonly stale = new IdSet();
  /** Those of them that there are, and that the caller sees. */
  readonly behind = new IdSet();
  /** The classes of these. */
  readonly classesBehind = new Set<string>();
  readonly #reads: Reads;
  readonly #candidates: RecordStore['candidates'];
  readonly #seen: Seen;
  readonly #effort: Effort;
  readonly #slots = new Map<string, SlotNumbers>();
  readonly #classOfKind = new Map<number, string>();
  /** Undefined if the caller sees all. */
  #kinds: readonly number[] | undefined;

  /** @param reads a snapshot, of which the store reads, too */
  constructor(
    reads: Reads,
    { area, candidates }: Pick<RecordStore, 'area' | 'candidates'>,
    seen: Seen,
    effort: Effort,
  ) {
    this.area = area;
    this.#reads = reads;
    this.#candidates = candidates;
    this.#seen = seen;
    this.#effort = effort;
  }

  /**
   * Reads up to where the index is. To be called before the reads of values.
   *
   * @throws ServiceError `search_too_broad` if the index has too many changes to follow
   */
  async open(): Promise<void> {
    await this.#readNames();
    await this.#readBehind();
  }

  /** Whether the caller sees a record, and asks for it. */
  isSeen({ className, policy }: Pick<RowOfMany, 'className' | 'policy'>): boolean {
    const { classes, visibility } = this.#seen;
    return (classes?.includes(className) ?? true) && (visibility?.sees(policy) ?? true);
  }

  /**
   * How many records are of a class, some at a time, of those that the caller sees, asks for, and that satisfy a condition: by the pids
   * of all records in the index, which takes less than looking many of them up.
   *
   * @param price of a row, in rows
   */
  async *classesAmong(
    isIn: (id: number) => boolean,
    price: number,
  ): AsyncGenerator<[className: string, records: number]> {
    const { list } = this.#reads.dialect;
    for (const span of wholeSlot(this.#numbersOf('pid')))
      for await (const part of this.#parts(span, 1, price)) {
        const [rows, values] = this.#rowsOf(part);
        const [row] = await this.#tuples<[NumberList, NumberList]>(
          `SELECT ${list('v.record')}, ${list('v.kind')} ${rows}`,
          values,
        );
        const counts = new Map<number, number>();
        const kinds = numbersIn(row![1]);
        for (const [at, id] of numbersIn(row![0]).entries())
          if (!this.stale.has(id) && isIn(id)) counts.set(kinds[at]!, (counts.get(kinds[at]!) ?? 0) + 1);
        for (const [kind, records] of counts) yield [this.#classOfKind.get(kind)!, records];
      }
    yield* this.classesOf([...this.behind].filter(isIn));
  }

  /** The same of some records, which are looked up. */
  async *classesOf(ids: Iterable<number>): AsyncGenerator<[className: string, records: number]> {
    const all = [...ids];
    for (let from = 0; from < all.length; from += KEYS_AT_ONCE) {
      const rows = await keysById(this.#reads, all.slice(from, from + KEYS_AT_ONCE), this.area, EVERY);
      await this.#effort.spend(rows.length);
      for (const row of rows) if (this.isSeen(row)) yield [row.className, 1];
    }
  }

  /** Whether one range of the index has what satisfies two conditions: those on one slot, of which no record has several values. */
  isRange(a: ValueCondition, b: ValueCondition): boolean {
    return a.slot === b.slot && !this.hasSeveral(a.slot);
  }

  /** Whether a record in the index may have several values of a slot. */
  hasSeveral(slot: string): boolean {
    return this.#numbersOf(slot).several ?? false;
  }

  /**
   * Adds the records that have one of the values of a condition and, if {@link isRange}, one of another one.
   *
   * @returns classes, among which are those of all that it adds
   */
  async find(condition: ValueCondition, found: IdSet, other?: ValueCondition): Promise<ReadonlySet<string>> {
    return this.findIn(await this.partsOf(condition, other), condition, found);
  }

  /**
   * What {@link findIn} reads for a condition and, if {@link isRange}, another one. To walk it takes much less than to read it, so what
   * would read too much is refused by then.
   *
   * @throws ServiceError `search_too_broad`
   */
  async partsOf(condition: ValueCondition, other?: ValueCondition): Promise<Span[]> {
    const numbers = this.#numbersOf(condition.slot);
    const spans = spansOf(numbers, condition);
    const parts: Span[] = [];
    for (const span of other ? overlaps(spans, spansOf(numbers, other)) : spans)
      for await (const part of this.#parts(span, 1)) parts.push(part);
    return parts;
  }

  /** See {@link find}. */
  async findIn(
    parts: readonly Span[],
    condition: ValueCondition,
    found: IdSet,
  ): Promise<ReadonlySet<string>> {
    const classes = new Set<string>();
    const cut = new IdSet();
    const ids = this.#reads.dialect.list('v.record');
    const isInTexts = condition.test === 'contains';
    const columns = isInTexts ? `${ids} FILTER (WHERE NOT ${IS_CUT}), ${ids} FILTER (WHERE ${IS_CUT})` : ids;
    for (const part of parts) {
      const [rows, values] = this.#rowsOf(part);
      const [row] = await this.#tuples<[number | null, number | null, NumberList, NumberList?]>(
        `SELECT min(v.kind), max(v.kind), ${columns} ${rows}`,
        values,
      );
      const [least, greatest, whole, beginnings] = row!;
      for (const [kind, name] of this.#classOfKind)
        if (least !== null && kind >= least && kind <= greatest!) classes.add(name);
      for (const id of numbersIn(whole)) if (!this.stale.has(id)) found.add(id);
      for (const id of numbersIn(beginnings)) if (!this.stale.has(id)) cut.add(id);
    }
    if (cut.size > 0) await this.#findInTexts(condition, cut, found);
    return classes;
  }

  /** All values that records are sorted by, in order. */
  async *sorted(slot: string, direction: 1 | -1): AsyncGenerator<ValueRow[]> {
    const numbers = this.#numbersOf(slot);
    const spans = wholeSlot(numbers);
    for (const span of direction > 0 ? spans : spans.reverse())
      for await (const part of this.#parts({ ...span, filters: [() => 'v.first = 1'] }, direction)) {
        const [rows, values] = this.#rowsOf(part, direction);
        const sorted = await this.#tuples<[number, string, number]>(
          `SELECT v.number, v.value, v.record ${rows} ${inOrder(direction)}`,
          values,
        );
        const isNumber = span.slot === numbers.number;
        yield sorted.flatMap(([number, text, id]) =>
          this.stale.has(id) ? [] : { id, text, number: isNumber ? number : undefined },
        );
      }
  }

  /**
   * Adds how many records have each value of a slot.
   *
   * @param among the records that are counted: those of a set or all, without some
   */
  async count(slot: string, counts: Pick<ValueCounts, 'add'>, among: Counted): Promise<void> {
    const { within, without } = { ...among, without: this.stale.with(among.without) };
    // The rows of few records are left out by the database; of others, it lists the records.
    const others = within || without.size > this.#effort.bounds.few ? undefined : [...without];
    const { number, text } = this.#numbersOf(slot);
    for (const one of [number, text])
      for (let behind: readonly [number, string] | undefined, groups = 1; one !== undefined; ) {
        const range = { slot: one, isText: one === text, behind };
        const rows = await this.#reads.tuples<GroupRow>(...this.#groupsIn(range, groups, others));
        let walked = 0;
        for (const [at, [, value, all, ids]] of rows.entries()) {
          walked += all;
          if (at % VALUES_AT_ONCE === 0) await this.#effort.spend(0);
          if (typeof ids === 'number') counts.add(value, ids, all);
          else {
            const records = numbersIn(ids).filter((id) => !without.has(id) && (within?.has(id) ?? true));
            if (records.length > 0) counts.add(value, records[0]!, records.length);
          }
        }
        await this.#effort.spend(walked * COUNTED[others ? 'grouped' : 'listed']);
        const last = rows.at(-1);
        if (!last || rows.length < groups) break;
        behind = [last[0], last[1]];
        // Connections keep a statement for each number of groups, so these are few.
        const wanted = (groups * ROWS_AT_ONCE) / Math.max(walked, ROWS_AT_ONCE / 8);
        groups = 2 ** Math.max(0, Math.floor(Math.log2(wanted)));
      }
  }

  /** The statement for the next values of a slot, with the number of rows of each. @param others records that are not counted */
  #groupsIn(
    { slot, isText, behind }: GroupRange,
    groups: number,
    others: readonly number[] | undefined,
  ): [sql: string, values: Value[]] {
    const { among, list } = this.#reads.dialect;
    const values: Value[] = [slot];
    const parameter = (value: Value) => values.push(value);
    const kinds = this.#kinds ? `AND ${among('v.kind', parameter(this.#kinds), 'bigint')}` : '';
    // Rows in a range of one column are not compared one by one.
    const next = !behind
      ? ''
      : isText
        ? `AND v.number = 0 AND v.value > $${parameter(behind[1])}`
        : `AND (v.number, v.value) > ($${parameter(behind[0])}, $${parameter(behind[1])})`;
    const isCounted = others?.length ? `AND NOT ${among('v.record', parameter(others), 'bigint')}` : '';
    const rows = `FROM accession_value v WHERE v.slot = $1 ${kinds} ${isCounted}`;
    // Counting the rows of a value that is known takes less than grouping them: many have it.
    if (others && groups === 1)
      return [
        `SELECT n.number, n.value, (SELECT count(*) ${rows} AND v.number = n.number AND v.value = n.value), n.record
         FROM (SELECT v.number, v.value, v.record ${rows} ${next} ${inOrder(1)} LIMIT 1) n`,
        values,
      ];
    return [
      `SELECT v.number, v.value, count(*), ${others ? 'min(v.record)' : list('v.record')} ${rows} ${next}
       GROUP BY v.number, v.value ORDER BY v.number, v.value LIMIT ${groups}`,
      values,
    ];
  }

  /** The records of some ids that the caller sees, in any order. @throws ServiceError `search_too_broad` before it reads too many */
  async *records(
    ids: Iterable<number>,
    advice?: string,
  ): AsyncGenerator<{ readonly id: number; readonly record: JsonObject }> {
    const all = [...ids];
    this.#effort.require(ROWS_OF_TEXT * all.length, advice);
    for (let from = 0; from < all.length; from += READ_AT_ONCE) {
      const rows = await rowsById(this.#reads, all.slice(from, from + READ_AT_ONCE));
      await this.#effort.spend(ROWS_OF_TEXT * rows.length);
      for (const row of rows) {
        const json = this.isSeen(row) ? (row.json ?? (await longText(this.#reads, row))) : undefined;
        if (json !== undefined) yield { id: row.id, record: parseJson(json) as JsonObject };
      }
    }
  }

  /** Finds the records that satisfy a condition among those whose values the index has cut. */
  async #findInTexts(condition: ValueCondition, cut: IdSet, found: IdSet): Promise<void> {
    const isMet = matcherOf([[condition]]);
    for await (const { id, record } of this.records(
      await this.#havingText(cut, condition.values),
      COMMON_ADVICE,
    ))
      if (isMet(record)) found.add(id);
  }

  /** Of some records, those that may have one of some strings in a value, by the index of texts if it has them. */
  async #havingText(ids: IdSet, values: readonly string[]): Promise<IdSet> {
    const candidates = new IdSet();
    for (const value of values) {
      const some = await this.#candidates(fold(value));
      if (!some) {
        const isShort = fold(value).length < SHORTEST;
        this.#effort.require(ROWS_OF_TEXT * ids.size, isShort ? SHORT_ADVICE : COMMON_ADVICE);
        return ids;
      }
      await this.#effort.spend(some.length);
      for (const id of some) candidates.add(id);
    }
    return ids.filter(candidates, true);
  }

  #numbersOf(slot: string): SlotNumbers {
    return this.#slots.get(slot) ?? {};
  }

  async #readNames(): Promise<void> {
    const { id } = this.area;
    const slots = await this.#reads.tuples<[slot: number, name: string, isNumber: number, several: number]>(
      'SELECT slot, name, is_number, several FROM accession_slot WHERE area = $1',
      [id],
    );
    for (const [slot, name, isNumber, several] of slots) {
      const known = this.#slots.get(name);
      this.#slots.set(name, {
        ...{ ...known, [isNumber ? 'number' : 'text']: slot },
        several: several === 1 || (known?.several ?? false),
      });
    }
    const kinds = await this.#reads.tuples<[kind: number, className: string, policy: string]>(
      'SELECT kind, class_name, policy FROM accession_kind WHERE area = $1',
      [id],
    );
    for (const [kind, className] of kinds) this.#classOfKind.set(kind, className);
    const seen = kinds.filter(([, className, policy]) => this.isSeen({ className, policy }));
    if (seen.length < kinds.length) this.#kinds = seen.map(([kind]) => kind);
  }

  async #readBehind(): Promise<void> {
    const { id } = this.area;
    const { revision, cursors } = await progressIn(this.#reads, id, [VALUE_INDEX.name]);
    const [reached, version] = cursors.get(VALUE_INDEX.name) ?? [0, ''];
    const indexed = version === VALUE_INDEX.version ? reached : 0;
    if (indexed >= revision) return;
    const changes = await this.#reads.tuples<[iri: string, record: number | null]>(
      `SELECT iri, record FROM accession_entry WHERE area = $1 AND revision > $2 ORDER BY revision LIMIT ${MOST_BEHIND + 1}`,
      [id, indexed],
    );
    await this.#effort.spend(changes.length);
    if (changes.length > MOST_BEHIND)
      throw tooBroad(
        `The index of values has to follow more than ${MOST_BEHIND} changes first.`,
        'Try again later.',
      );
    const iris = [...new Set(changes.map(([iri]) => iri))];
    for (const [, record] of changes) if (record) this.stale.add(record);
    for (let from = 0; from < iris.length; from += KEYS_AT_ONCE) {
      const rows = await this.#reads.tuples<[id: number, className: string, policy: string]>(
        `SELECT r.id, r.class_name, r.policy FROM accession_record r
         WHERE r.area = $1 AND ${this.#reads.dialect.among('r.iri', 2)}`,
        [id, iris.slice(from, from + KEYS_AT_ONCE)],
      );
      await this.#effort.spend(rows.length);
      for (const [record, className, policy] of rows) {
        this.stale.add(record);
        if (!this.isSeen({ className, policy })) continue;
        this.behind.add(record);
        this.classesBehind.add(className);
      }
    }
  }

  /** Cuts a span into parts of some thousand rows, in its order or against it. @param price of a row, in rows */
  async *#parts(span: Span, direction: 1 | -1, price = 1): AsyncGenerator<Span> {
    let rest = span;
    for (let rows = this.#effort.bounds.first; ; rows = Math.min(4 * rows, ROWS_AT_ONCE)) {
      const [condition, values] = isInSpan(rest);
      const [end] = await this.#reads.tuples<[number, string, number]>(
        `SELECT v.number, v.value, v.record FROM accession_value v WHERE ${condition} ${inOrder(direction)} LIMIT 1 OFFSET ${rows}`,
        values,
      );
      const cut: ValueKey | undefined = end;
      if (!cut) {
        yield rest;
        return;
      }
      // The row at the cut is the last one of a part, or the first one of the next part against the order.
      yield direction > 0 ? { ...rest, upTo: cut, rows: rows + 1 } : { ...rest, behind: cut, rows };
      await this.#effort.spend(price * rows);
      rest = direction > 0 ? { ...rest, behind: cut } : { ...rest, upTo: cut };
    }
  }

  /**
   * `FROM` and `WHERE` for the rows of a span that the caller sees, and the values of the statement. If their number is known, the
   * statement ends with the last one: else, PostgreSQL reads on to the end of the last value, which many records may have.
   */
  #rowsOf(span: Span, direction: 1 | -1 = 1): [sql: string, values: Value[]] {
    const { rows, filters = [] } = span;
    const [condition, values] = isInSpan(span);
    const { among } = this.#reads.dialect;
    const conditions = filters.map((filter) => filter((value) => `$${values.push(value)}`));
    if (this.#kinds) conditions.push(among('v.kind', values.push(this.#kinds), 'bigint'));
    const inSpan = `FROM accession_value v WHERE ${condition}`;
    const counted = `FROM (SELECT * ${inSpan} ${inOrder(direction)} LIMIT ${rows}) v WHERE true`;
    return [[rows === undefined ? inSpan : counted, ...conditions].join(' AND '), values];
  }

  async #tuples<Row extends readonly unknown[]>(sql: string, values: readonly Value[]): Promise<Row[]> {
    const rows = await this.#reads.tuples<Row>(sql, values);
    await this.#effort.spend(0);
    return rows;
  }
}

/** The order of the rows of a slot, or the reverse. */
function inOrder(direction: 1 | -1): string {
  const order = direction > 0 ? 'ASC' : 'DESC';
  return `ORDER BY v.number ${order}, v.value ${order}, v.record ${order}`;
}
