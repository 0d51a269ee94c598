/**
 * The index of values: a row for each value of each slot of a record, see `indexed-values.ts`. It is exactly that of the area as it was
 * at the cursor of its projection: entries have the texts before and after each change. So a record that has changed behind
 * the cursor, whose rows are of a former text, is known, and read beside the index; writes do not pay for it.
 */
import { type JsonObject, parseJson } from '#linkml/json.ts';
import type { Connection } from '../connection.ts';
import type { Derived, RevisionSpan } from '../database.ts';
import type { Value } from '../dialect.ts';
import type { AreaId } from '../store.ts';
import { type PolicyTag, policyColumn } from '../visibility.ts';
import { type IndexedValue, indexedValues } from './indexed-values.ts';

/** The projection (see `work/projections.ts`). */
export const VALUE_INDEX = {
  name: 'values',
  version: '1',
  reads: 'spans',
  places: 'all',
  begin(draft: { readonly area: AreaId; run(sql: string, values: readonly Value[]): void }): void {
    draft.run(REMOVE_ALL, [draft.area.id]);
  },
  derived: (span: RevisionSpan): Derived => ({ of: 'values', span }),
} as const;

const REMOVE_ALL =
  'DELETE FROM accession_value WHERE slot IN (SELECT s.slot FROM accession_slot s WHERE s.area = $1)';

/** The id that a record had after a change: of one that was deleted later, its deletion has it; 0 if that is of a former release. */
const ID = `COALESCE((SELECT COALESCE(d.record, 0) FROM accession_entry d
    WHERE d.area = e.area AND d.iri = e.iri AND d.deleted = 1 AND d.revision >= e.revision ORDER BY d.revision LIMIT 1), r.id, 0)`;
/** The text after a change: the next one has replaced it, or it is the present one. */
const TEXT_AFTER = `CASE WHEN e.deleted = 0 THEN COALESCE((SELECT n.former FROM accession_entry n
    WHERE n.area = e.area AND n.iri = e.iri AND n.revision > e.revision ORDER BY n.revision LIMIT 1), r.json) END`;
const CHANGES = `SELECT e.revision, e.class_name, e.former, ${TEXT_AFTER}, ${ID}
  FROM accession_entry e LEFT JOIN accession_record r ON r.area = e.area AND r.iri = e.iri WHERE e.area = $1`;

type ChangeRow = [
  revision: number,
  className: string,
  former: string | null,
  after: string | null,
  id: number,
];
type Row = [slot: number, number: number, value: string, record: number];

function byKey(a: readonly [...Row, ...unknown[]], b: readonly [...Row, ...unknown[]]): number {
  return a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : a[3] - b[3]);
}

/** Leads the rows of an area from one state to a later one, on the connection that writes: in a thread on SQLite. */
export async function indexValues(
  connection: Connection,
  area: number,
  { from, to }: RevisionSpan,
): Promise<void> {
  const spans = new Map<string, { first: number; last: number }>();
  const entries = await connection.tuples<[revision: number, iri: string]>(
    'SELECT revision, iri FROM accession_entry WHERE area = $1 AND revision >= $2 AND revision <= $3 ORDER BY revision',
    [area, from, to],
  );
  for (const [revision, iri] of entries) {
    const span = spans.get(iri);
    if (span) span.last = revision;
    else spans.set(iri, { first: revision, last: revision });
  }
  const sought = new Set([...spans.values()].flatMap(({ first, last }) => [first, last]));
  const rows = await connection.tuples<ChangeRow>(
    `${CHANGES} AND ${connection.dialect.among('e.revision', 2, 'bigint')}`,
    [area, [...sought]],
  );
  const changes = new Map(rows.map((row) => [row[0], row]));
  const names = await Names.of(connection, area);
  const removed: Row[] = [];
  const added: [...Row, kind: number, first: number][] = [];
  for (const { first, last } of spans.values()) {
    const [, , former, , formerId] = changes.get(first)!;
    const [, className, , text, id] = changes.get(last)!;
    const present = new Set<string>();
    if (text !== null && id > 0) {
      const kind = await names.kind(className, text);
      for (const value of indexedValues(parseJson(text) as JsonObject)) {
        if (!value.isFirst) await names.noteSeveral(value);
        added.push([...(await names.row(value, id)), kind, Number(value.isFirst)]);
        if (id === formerId) present.add(nameOf(value));
      }
    }
    if (former === null || formerId === 0) continue;
    for (const value of indexedValues(parseJson(former) as JsonObject))
      if (!present.has(nameOf(value))) removed.push(await names.row(value, formerId));
  }
  await connection.many(
    'DELETE FROM accession_value WHERE slot = $1 AND number = $2 AND value = $3 AND record = $4',
    removed,
  );
  // Neighbors share pages.
  added.sort(byKey);
  await connection.many(
    `INSERT INTO accession_value (slot, number, value, record, kind, first) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (slot, number, value, record) DO UPDATE SET kind = excluded.kind, first = excluded.first`,
    added,
  );
}

/** Has the rows of records follow the policies that these name now, by the tags of their area. */
export async function settleValues(
  connection: Connection,
  area: number,
  records: Iterable<{ readonly id: number; readonly className: string; readonly json: string }>,
): Promise<void> {
  const names = await Names.of(connection, area);
  const changed: Value[][] = [];
  for (const { id, className, json } of records) {
    const kind = await names.kind(className, json);
    for (const value of indexedValues(parseJson(json) as JsonObject))
      changed.push([...(await names.row(value, id)), kind]);
  }
  await connection.many(
    'UPDATE accession_value SET kind = $5 WHERE slot = $1 AND number = $2 AND value = $3 AND record = $4',
    changed,
  );
}

const nameOf = ({ slot, text }: IndexedValue) => `${slot}\0${text}`;

/** The numbers of slots and kinds in an area, which are made when they are first needed. */
class Names {
  readonly #connection: Connection;
  readonly #area: number;
  readonly #tags: readonly PolicyTag[];
  readonly #slots: Map<string, number>;
  readonly #several = new Set<number>();
  readonly #kinds: Map<string, number>;

  private constructor(
    connection: Connection,
    area: number,
    tags: readonly PolicyTag[],
    slots: readonly [number, string, number, number][],
    kinds: readonly [number, string, string][],
  ) {
    this.#connection = connection;
    this.#area = area;
    this.#tags = tags;
    for (const [id, , , several] of slots) if (several) this.#several.add(id);
    this.#slots = new Map(slots.map(([id, name, isNumber]) => [`${isNumber}${name}`, id]));
    this.#kinds = new Map(kinds.map(([id, className, policy]) => [`${className}\0${policy}`, id]));
  }

  static async of(connection: Connection, area: number): Promise<Names> {
    const tags = await connection.tuples<[string]>('SELECT policy_tags FROM accession_area WHERE area = $1', [
      area,
    ]);
    return new Names(
      ...([connection, area, JSON.parse(tags[0]?.[0] ?? '[]') as PolicyTag[]] as const),
      await connection.tuples('SELECT slot, name, is_number, several FROM accession_slot WHERE area = $1', [
        area,
      ]),
      await connection.tuples('SELECT kind, class_name, policy FROM accession_kind WHERE area = $1', [area]),
    );
  }

  async row({ slot, text, number }: IndexedValue, record: number): Promise<Row> {
    return [await this.#slot(slot, Number(number !== undefined)), number ?? 0, text, record];
  }

  /** Keeps that a slot has values beside the first ones. */
  async noteSeveral({ slot, number }: IndexedValue): Promise<void> {
    const id = await this.#slot(slot, Number(number !== undefined));
    if (this.#several.has(id)) return;
    this.#several.add(id);
    await this.#connection.run('UPDATE accession_slot SET several = 1 WHERE slot = $1', [id]);
  }

  async #slot(name: string, isNumber: number): Promise<number> {
    const key = `${isNumber}${name}`;
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const add = 'INSERT INTO accession_slot (area, name, is_number) VALUES ($1, $2, $3)';
    await this.#connection.run(add, [this.#area, name, isNumber]);
    const sql = 'SELECT slot FROM accession_slot WHERE area = $1 AND name = $2 AND is_number = $3';
    return this.#made(this.#slots, key, sql, [this.#area, name, isNumber]);
  }

  /** @param json of a record of the class */
  async kind(className: string, json: string): Promise<number> {
    const policy = policyColumn(json, this.#tags);
    const key = `${className}\0${policy}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const add = 'INSERT INTO accession_kind (area, class_name, policy) VALUES ($1, $2, $3)';
    await this.#connection.run(add, [this.#area, className, policy]);
    const sql = 'SELECT kind FROM accession_kind WHERE area = $1 AND class_name = $2 AND policy = $3';
    return this.#made(this.#kinds, key, sql, [this.#area, className, policy]);
  }

  async #made(
    known: Map<string, number>,
    key: string,
    sql: string,
    values: readonly Value[],
  ): Promise<number> {
    const [row] = await this.#connection.tuples<[number]>(sql, values);
    known.set(key, row![0]);
    return row![0];
  }
}
