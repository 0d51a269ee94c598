/**
 * Records in a SQLite table, in order, with revisions: what the sqlite store is, and what the record_dir store has for
 * an index. Everything here is synchronous and sees the state of the database at that moment; `table-store.ts` makes
 * a {@link RecordStore} of it.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ServiceError } from '../errors.ts';
import { canonicalJson, parseJson } from '../json.ts';
import type { ClassSet, OrderKey } from './block-order.ts';
import { type BlockAccess, Blocks } from './blocks.ts';
import { arrayStatements, LIMIT, LIMIT_OFFSET, statements } from './database.ts';
import { EntryTable, lastRevision } from './entry-table.ts';
import { LedgerTable } from './ledger-table.ts';
import { LinkTable } from './link-table.ts';
import {
  type Actor,
  type Change,
  type ChangeResult,
  compareKeys,
  type Entry,
  type EntryQuery,
  type Expectation,
  type LinkPosition,
  type LinksOfRecord,
  type ListedRecord,
  type Range,
  type RecordKey,
  type Referrer,
  type StoredChange,
  type StoredRecord,
  type Within,
} from './store.ts';
import { IS_NEWEST, REVISION } from './table-layout.ts';

/** A row as the statements below return it. */
type RecordTableRow = {
  id: number;
  iri: string;
  class_name: string;
  object: string;
  sort_key: string;
  revision: number;
};

type PutRecord = Extract<Change, { put: object }>['put'];

const RECORD_COLUMNS = `t.id, t.iri, t.class_name, t.object, t.sort_key, ${REVISION} AS revision`;
/** What lists read, as an array: node:sqlite takes three times as long for an object. */
type KeyColumns = [pid: string, iri: string, className: string];
type Columns = [pid: string, iri: string, className: string, object: string];
const LISTED = 't.sort_key, t.iri, t.class_name, t.object';
const LISTED_BY_IRI = `SELECT ${LISTED} FROM thing t WHERE t.iri = ?`;
type StoredColumns = [...Columns, revision: number];
const STORED = `${LISTED}, ${REVISION}`;

export class RecordTable {
  readonly ledger: LedgerTable;
  readonly links: LinkTable;
  readonly #database: DatabaseSync;
  readonly #sql: (sql: string) => StatementSync;
  readonly #arrays: (sql: string) => StatementSync;
  readonly #entries: EntryTable;
  readonly #access: BlockAccess;
  #blocks: Blocks | undefined;
  /** SQLite's counter of commits by other connections, as it was when `#blocks` was read. */
  #othersVersion = 0;

  constructor(database: DatabaseSync, access: BlockAccess = 'write') {
    this.#database = database;
    this.#access = access;
    this.#sql = statements(database);
    this.#arrays = arrayStatements(database);
    this.#entries = new EntryTable(database, canonicalText);
    this.ledger = new LedgerTable(database);
    this.links = new LinkTable(database);
  }

  entries(query: EntryQuery): Entry[] {
    return this.#entries.list(query);
  }

  /** The revisions between which the entries of a query are. */
  revisionsOf(query: EntryQuery): { readonly after: number; readonly before: number } {
    const { after = 0, before = this.revision() + 1 } = this.#entries.boundsOf(query);
    return { after, before };
  }

  prune(before: string, upTo: number): number {
    return this.#entries.prune(before, upTo);
  }

  get(iri: string): StoredRecord | undefined {
    const row = this.#arrays(`SELECT ${STORED} FROM thing t WHERE t.iri = ?`).get(iri);
    return row && toStored(row as unknown as StoredColumns);
  }

  getById(id: number): StoredRecord | undefined {
    const row = this.#arrays(`SELECT ${STORED} FROM thing t WHERE t.id = ?`).get(id);
    return row && toStored(row as unknown as StoredColumns);
  }

  listedById(id: number): ListedRecord | undefined {
    const row = this.#arrays(`SELECT ${LISTED} FROM thing t WHERE t.id = ?`).get(id);
    return row && toListed(row as unknown as Columns);
  }

  key(iri: string): RecordKey | undefined {
    const row = this.#arrays('SELECT sort_key, iri, class_name FROM thing WHERE iri = ?').get(iri);
    return row && toKey(row as unknown as KeyColumns);
  }

  /** The keys of the records under IRIs that are there. */
  keys(iris: readonly string[]): RecordKey[] {
    if (iris.length === 1) return iris.flatMap((iri) => this.key(iri) ?? []);
    const rows = this.#arrays(
      `SELECT t.sort_key, t.iri, t.class_name FROM json_each(?) j CROSS JOIN thing t ON t.iri = j.value`,
    ).all(JSON.stringify(iris)) as unknown as KeyColumns[];
    return rows.map(toKey);
  }

  /** Of some IRIs, those that have a record. */
  having(iris: readonly string[]): string[] {
    const rows = this.#arrays('SELECT t.iri FROM json_each(?) j CROSS JOIN thing t ON t.iri = j.value').all(
      JSON.stringify(iris),
    );
    return (rows as unknown as [string][]).map(([iri]) => iri);
  }

  /** The keys of some rows, in any order. */
  keysById(ids: readonly number[]): (RecordKey & { readonly id: number })[] {
    const rows = this.#arrays(
      `SELECT t.id, t.sort_key, t.iri, t.class_name FROM json_each(?) j CROSS JOIN thing t ON t.id = j.value`,
    ).all(JSON.stringify(ids)) as unknown as [number, string, string, string][];
    return rows.map(([id, pid, iri, className]) => ({ id, pid, iri, className }));
  }

  /** The records of some rows, in their order. */
  recordsById(ids: readonly number[]): StoredRecord[] {
    const rows = this.#arrays(
      `SELECT ${STORED} FROM json_each(?) j CROSS JOIN thing t ON t.id = j.value ORDER BY j.key`,
    ).all(JSON.stringify(ids)) as unknown as StoredColumns[];
    return rows.map(toStored);
  }

  keyById(id: number): RecordKey | undefined {
    const row = this.#arrays('SELECT sort_key, iri, class_name FROM thing WHERE id = ?').get(id);
    return row && toKey(row as unknown as KeyColumns);
  }

  count(classes: ClassSet): number {
    return this.#current().total(classes);
  }

  /** How many records of the classes have a pid before this one. */
  rank(classes: ClassSet, pid: string): number {
    const { start, count } = this.#current().before(classes, { pid, iri: '' });
    const within = this.#sql(
      `SELECT count(*) AS n FROM thing INDEXED BY accession_order
       WHERE (sort_key, iri) >= (?, ?) AND sort_key < ? AND ${inClasses(classes)}`,
    ).get(start.pid, start.iri, pid, ...classList(classes)) as { n: number };
    return count + within.n;
  }

  /** The least and the most that {@link rank} may be, by the blocks. */
  rankWithin(classes: ClassSet, pid: string): Within {
    const { count, within } = this.#current().before(classes, { pid, iri: '' });
    return [count, count + within];
  }

  list(classes: ClassSet, range: Range): ListedRecord[] {
    const blocks = this.#current();
    const total = blocks.total(classes);
    if (range.offset >= total || range.limit <= 0) return [];
    const { start, skip } = blocks.locate(classes, range.offset);
    const limit = Math.min(range.limit, total - range.offset);
    const populated = blocks.populated(classes);
    const steps = ((skip + limit) * blocks.total(undefined)) / total;
    if (populated.length * (skip + limit) < steps) return this.#merge(populated, start, skip, limit);
    const records = this.#walk(classes, start, skip, limit);
    const last = records.at(-1);
    if (last) blocks.mark(classes, range.offset + records.length - 1, last);
    return records;
  }

  /** The records of the classes behind a place, for walking through all of them. */
  after(classes: ClassSet, place: OrderKey = BEGINNING, limit: number): StoredRecord[] {
    const rows = this.#sql(
      `SELECT ${RECORD_COLUMNS} FROM (
         SELECT id FROM thing INDEXED BY accession_order
         WHERE (sort_key, iri) > (?, ?) AND ${inClasses(classes)} ORDER BY sort_key, iri ${LIMIT}
       ) k CROSS JOIN thing t ON t.id = k.id ORDER BY t.sort_key, t.iri`,
    ).all(place.pid, place.iri, ...classList(classes), limit);
    return (rows as RecordTableRow[]).map(toRecord);
  }

  /** The keys of the records of the classes behind a place. */
  keysAfter(
    classes: ClassSet,
    place: OrderKey = BEGINNING,
    limit: number,
  ): (OrderKey & { readonly id: number })[] {
    const rows = this.#arrays(
      `SELECT id, sort_key, iri FROM thing INDEXED BY accession_order
       WHERE (sort_key, iri) > (?, ?) AND ${inClasses(classes)} ORDER BY sort_key, iri ${LIMIT}`,
    ).all(place.pid, place.iri, ...classList(classes), limit) as unknown as [number, string, string][];
    return rows.map(([id, pid, iri]) => ({ id, pid, iri }));
  }

  /** Steps through the order of all records, from a place on: right for sets that hold much of it. */
  #walk(classes: ClassSet, start: OrderKey, skip: number, limit: number): ListedRecord[] {
    const rows = this.#arrays(
      `SELECT ${LISTED} FROM (
         SELECT id FROM thing INDEXED BY accession_order
         WHERE (sort_key, iri) >= (?, ?) AND ${inClasses(classes)} ORDER BY sort_key, iri ${LIMIT_OFFSET}
       ) k CROSS JOIN thing t ON t.id = k.id`,
    ).all(start.pid, start.iri, ...classList(classes), limit, skip) as unknown as Columns[];
    // They come in order already; SQLite would sort them again, texts and all, if it were asked for it.
    return rows.map(toListed).sort(compareKeys);
  }

  /** Merges the orders of single classes: right for classes that are few among many. */
  #merge(classes: readonly string[], start: OrderKey, skip: number, limit: number): ListedRecord[] {
    const statement = this.#sql(
      `SELECT id, sort_key AS pid, iri FROM thing INDEXED BY accession_class_order
       WHERE class_name = ? AND (sort_key, iri) >= (?, ?) ORDER BY sort_key, iri ${LIMIT}`,
    );
    const found = classes.flatMap(
      (name) => statement.all(name, start.pid, start.iri, skip + limit) as (OrderKey & { id: number })[],
    );
    if (classes.length > 1) found.sort(compareKeys);
    return found.slice(skip, skip + limit).flatMap(({ id }) => this.listedById(id) ?? []);
  }

  revision(): number {
    return lastRevision(this.#sql);
  }

  /** Changes after a revision, up to another one. */
  changesSince(revision: number, limit: number, upTo: number): StoredChange[] {
    const rows = this.#sql(
      `SELECT t.id, t.iri, t.class_name, t.object, t.sort_key, e.revision, e.iri AS goneIri, e.pid AS gonePid
       FROM accession_entry e LEFT JOIN thing t ON t.iri = e.iri
       WHERE e.revision > ? AND e.revision <= ? AND ${IS_NEWEST} ORDER BY e.revision ${LIMIT}`,
    ).iterate(revision, upTo, limit) as Iterable<RecordTableRow & { goneIri: string; gonePid: string }>;
    const changes: StoredChange[] = [];
    let characters = 0;
    for (const row of rows) {
      if (row.id === null)
        changes.push({ kind: 'delete', iri: row.goneIri, pid: row.gonePid, revision: row.revision });
      else changes.push({ kind: 'put', record: toRecord(row) });
      characters += row.object?.length ?? 0;
      if (characters > MOST_CHARACTERS_READ) break;
    }
    return changes;
  }

  /**
   * Makes one change, inside a transaction that the caller has begun.
   *
   * @param by undefined for a change that was found, not asked for: its entry has no actor.
   */
  apply(change: Change, by?: Actor): ChangeResult {
    const blocks = this.#current();
    const iri = 'put' in change ? change.put.iri : change.delete;
    const row = this.#sql(`SELECT ${RECORD_COLUMNS} FROM thing t WHERE t.iri = ?`).get(iri) as
      | RecordTableRow
      | undefined;
    const replaced = row && toRecord(row);
    check(change.expect, replaced, iri);
    if ('put' in change) {
      this.#put(change.put, row);
      if (!row || row.class_name !== change.put.className || row.sort_key !== change.put.pid) {
        if (replaced) blocks.add(replaced, replaced.className, -1);
        blocks.add(change.put, change.put.className, 1);
      }
    } else {
      if (!row || !replaced) throw new ServiceError('record_missing', `The record '${iri}' does not exist.`);
      if (change.unreferenced) this.#requireUnreferenced(replaced);
      this.#sql('DELETE FROM thing WHERE id = ?').run(row.id);
      blocks.add(replaced, replaced.className, -1);
    }
    const revision = this.revision();
    const actor = change.by ?? by;
    if (actor) this.#entries.sign(revision, actor, change.note);
    return { revision, replaced };
  }

  /** Puts a record that was found, inside a transaction that the caller has begun; one that is there as it is stays. */
  adopt(record: PutRecord): void {
    const { iri, pid, className, json } = record;
    const blocks = this.#current();
    const found = this.#arrays(LISTED_BY_IRI).get(iri);
    if (!found) {
      this.#put(record, undefined);
      blocks.add(record, className, 1);
      return;
    }
    const former = toListed(found as unknown as Columns);
    const isSame = former.pid === pid && former.className === className && former.json === json;
    if (!isSame) this.apply({ put: record });
  }

  /**
   * Makes the change of an entry of another area, with the revision and time that it has there.
   *
   * @returns the change; undefined for the deletion of a record that this area does not have.
   */
  restore(entry: Entry): { change: Change; result: ChangeResult } | undefined {
    const { revision, iri, pid, className, kind, json } = entry;
    if (revision <= this.revision()) {
      throw new ServiceError(
        'precondition_failed',
        `The area is at revision ${this.revision()} already, and the entry has revision ${revision}.`,
      );
    }
    if (kind === 'delete' && !this.key(iri)) return void this.#entries.restoreDeletion(entry);
    const change: Change =
      kind === 'put' ? { put: { iri, pid, className, json: json ?? '{}' } } : { delete: iri };
    const result = this.apply(change);
    this.#entries.restore(result.revision, entry);
    return { change, result: { ...result, revision } };
  }

  /** Sets the links of records that have not changed since they were read, inside a transaction. */
  fillLinks(records: readonly LinksOfRecord[], position: LinkPosition): void {
    for (const { iri, revision, links } of records) {
      const row = this.#sql(`SELECT t.id FROM thing t WHERE t.iri = ? AND ${REVISION} = ?`).get(
        iri,
        revision,
      ) as { id: number } | undefined;
      if (row) this.links.replace(row.id, links);
    }
    this.links.setPosition(position);
  }

  /** @throws ServiceError `record_referenced` with the first referrers */
  #requireUnreferenced({ iri, pid }: StoredRecord): void {
    const referrers = this.links.to(iri, { offset: 0, limit: MOST_IRIS_NAMED });
    if (referrers.length > 0) throw recordReferenced(pid, referrers, this.links.countTo(iri));
  }

  /** Inserts a record and its links, or updates its row; the indexed columns of that only where they change. */
  #put({ iri, pid, className, json, links }: PutRecord, row: RecordTableRow | undefined): void {
    if (!row) {
      const { lastInsertRowid } = this.#sql(
        'INSERT INTO thing (iri, class_name, object, sort_key) VALUES (?, ?, ?, ?)',
      ).run(iri, className, json, pid);
      if (links) this.links.add(lastInsertRowid, links);
      return;
    }
    if (row.class_name === className && row.sort_key === pid) {
      this.#sql('UPDATE thing SET object = ? WHERE id = ?').run(json, row.id);
    } else {
      this.#sql('UPDATE thing SET class_name = ?, object = ?, sort_key = ? WHERE id = ?').run(
        className,
        json,
        pid,
        row.id,
      );
    }
    if (links) this.links.replace(row.id, links);
  }

  /** Must be called when a transaction, or a part of it, was taken back. */
  forget(): void {
    this.#blocks = undefined;
  }

  /** The blocks, read again if another process has written since. */
  #current(): Blocks {
    const { data_version: version } = this.#sql('PRAGMA data_version').get() as { data_version: number };
    if (!this.#blocks || version !== this.#othersVersion) {
      this.#blocks = new Blocks(this.#database, this.#access);
      this.#othersVersion = version;
    }
    return this.#blocks;
  }
}

/** So many characters of records are read at once by followers, and one record more. */
const MOST_CHARACTERS_READ = 1_000_000;
/** Before all records. */
const BEGINNING: OrderKey = { pid: '', iri: '' };

/** So many referrers are named in a refusal. */
const MOST_IRIS_NAMED = 100;

/** The refusal to delete a record that others refer to. */
export function recordReferenced(pid: string, referrers: readonly Referrer[], count: number): ServiceError {
  const problems = referrers.map((one) => ({
    type: 'record_referenced',
    loc: [one.pid, one.path],
    msg: `The record '${one.pid}' (${one.className}) refers to '${pid}' at ${one.path}.`,
  }));
  const refer = count === 1 ? '1 record refers' : `${count} records refer`;
  return new ServiceError('record_referenced', `The record '${pid}' is kept: ${refer} to it.`, problems);
}

/** The condition that a row is of one of the classes; takes {@link classList} as parameters. */
const inClasses = (classes: ClassSet) =>
  classes ? 'class_name IN (SELECT value FROM json_each(?))' : 'true';

const classList = (classes: ClassSet) => (classes ? [JSON.stringify(classes)] : []);

function toKey([pid, iri, className]: KeyColumns): RecordKey {
  return { pid, iri, className };
}

function toListed([pid, iri, className, object]: Columns): ListedRecord {
  return { pid, iri, className, json: canonicalText(object) };
}

function toStored([pid, iri, className, object, revision]: StoredColumns): StoredRecord {
  return { pid, iri, className, json: canonicalText(object), revision };
}

function toRecord(row: RecordTableRow): StoredRecord {
  return {
    pid: row.sort_key,
    iri: row.iri,
    className: row.class_name,
    json: canonicalText(row.object),
    revision: row.revision,
  };
}

/** The peer writes a blank behind each colon and keeps the order of the input; our text begins without one. */
const PEER_TEXT = /^\{"(?:[^"\\]|\\.)*": /;

function canonicalText(object: string): string {
  return PEER_TEXT.test(object) ? canonicalJson(parseJson(object)) : object;
}

/** @throws ServiceError `precondition_failed` if a record, or its absence, is not what a change expects. */
export function check(
  expectation: Expectation | undefined,
  found: StoredRecord | undefined,
  iri: string,
): void {
  if (!expectation) return;
  const refuse = (sentence: string): never => {
    throw new ServiceError('precondition_failed', sentence);
  };
  if ('absent' in expectation) {
    if (found) refuse(`The record '${iri}' exists already, at revision ${found.revision}.`);
  } else if (!found) {
    refuse(`The record '${iri}' does not exist, although one was expected.`);
  } else if ('revisions' in expectation && !expectation.revisions.includes(found.revision)) {
    const expected = expectation.revisions.join(' or ');
    refuse(`The record '${iri}' is at revision ${found.revision}, not ${expected} as expected.`);
  }
}
