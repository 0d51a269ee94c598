/** A group of writes, carried out in memory inside the transaction that has locked their area. */
import { ServiceError } from '../../errors.ts';
import { microsecondsOf, noteOf } from '../entry-table.ts';
import { check } from '../record-table.ts';
import type { Actor, Change, ChangeNote, ChangeResult, Entry, LedgerChange, StoredRecord } from '../store.ts';
import type { Area, AreaRow } from './area.ts';
import { BLOCK_SIZE, type Block, cut, withDifferences, writeBlocks } from './blocks.ts';
import { type Run, together } from './database.ts';
import { iriColumns, isLong, keyOf, pidColumns, requireStorable } from './keys.ts';
import { applyToLedger, type LedgerState, writeLedger } from './ledger.ts';
import { keysBetween } from './records.ts';

type DraftEntry = Omit<Entry, keyof ChangeNote | 'kind' | 'time'> & {
  readonly deleted: boolean;
  /** In microseconds. */
  readonly time: number;
  readonly note: string | null;
};

export class Draft {
  readonly #area: Area;
  readonly #row: AreaRow;
  /** The records that the group names, before it and now. */
  readonly #before: ReadonlyMap<string, StoredRecord>;
  readonly #now = new Map<string, StoredRecord | undefined>();
  readonly #entries: DraftEntry[] = [];
  readonly #ledger: LedgerState;
  readonly #ledgerNow: LedgerState = new Map();
  #blocks: Block[] = [];
  /** Whether the commit was sent: from then on its outcome is in the database. */
  sent = false;

  constructor(area: Area, row: AreaRow, records: readonly StoredRecord[], ledger: LedgerState) {
    this.#area = area;
    this.#row = row;
    this.#before = new Map(records.map((record) => [record.iri, record]));
    this.#ledger = ledger;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#ledgerNow.size === 0;
  }

  /**
   * All changes of a write, or none of them.
   *
   * @throws ServiceError `precondition_failed`, `record_missing`, or `record_invalid` for what can't be stored
   */
  carryOut(changes: readonly Change[], by: Actor, ledger: readonly LedgerChange[]): ChangeResult[] {
    const now = new Map<string, StoredRecord | undefined>();
    const entries: DraftEntry[] = [];
    const results: ChangeResult[] = [];
    const first = this.#revision + 1;
    // Later than every change before, also if the clock is set back.
    const firstTime = Math.max(Date.now() * 1000, this.changed + 1);
    for (const change of changes) {
      const revision = first + entries.length;
      const iri = 'put' in change ? change.put.iri : change.delete;
      const replaced = now.has(iri) ? now.get(iri) : this.#current(iri);
      check(change.expect, replaced, iri);
      const note = change.note === undefined ? null : JSON.stringify(change.note);
      const common = { revision, iri, ...by, note, time: firstTime + entries.length };
      if ('put' in change) {
        const { pid, className, json } = change.put;
        requireStorable(change.put);
        now.set(iri, { pid, iri, className, json, revision });
        entries.push({ ...common, pid, className, json, deleted: false });
      } else {
        if (!replaced)
          throw new ServiceError('record_missing', `The record '${iri}' to delete does not exist.`);
        now.set(iri, undefined);
        entries.push({
          ...common,
          pid: replaced.pid,
          className: replaced.className,
          json: null,
          deleted: true,
        });
      }
      results.push({ revision, replaced });
    }
    const ledgerNow: LedgerState = new Map(this.#ledgerNow);
    for (const change of ledger) applyToLedger(this.#ledger, ledgerNow, change);
    for (const [iri, record] of now) this.#now.set(iri, record);
    for (const [name, row] of ledgerNow) this.#ledgerNow.set(name, row);
    this.#entries.push(...entries);
    return results;
  }

  /**
   * Adds entries of another area as they are there, with the changes that they describe.
   *
   * @throws ServiceError `precondition_failed`
   */
  restore(entries: readonly Entry[]): void {
    const [first] = entries;
    if (first && first.revision <= this.#revision) {
      throw new ServiceError(
        'precondition_failed',
        `The area is at revision ${this.#revision} already, and the entry has revision ${first.revision}.`,
      );
    }
    for (const entry of entries) requireStorable(entry);
    for (const entry of entries) {
      const { revision, iri, pid, className, kind, time, committer, author, role, json } = entry;
      const deleted = kind === 'delete';
      this.#now.set(iri, deleted ? undefined : { iri, pid, className, revision, json: json ?? '{}' });
      const actor = { committer, author, role };
      const common = { revision, iri, pid, className, json, deleted };
      this.#entries.push({ ...common, ...actor, time: microsecondsOf(time), note: noteOf(entry) });
    }
  }

  /** Sends everything and commits: in one round trip, or three if a block has grown so large that it is cut. */
  async commit(run: Run): Promise<void> {
    const { id } = this.#area;
    const revision = this.#revision;
    const hasLongKeys = this.#hasLongKeys();
    const written = this.#send(run);
    const blocks = this.#changedBlocks();
    if (blocks.some(({ records }) => records > 2 * BLOCK_SIZE)) {
      await written;
      this.#blocks = await this.#cut(run, blocks, hasLongKeys);
    } else {
      this.#blocks = blocks;
    }
    const last = [
      written,
      writeBlocks(run, id, this.#blocks, revision),
      run(
        `UPDATE accession_area SET revision = $2, changed = $3, has_long_keys = has_long_keys OR $4 WHERE area = $1`,
        [id, revision, this.changed, hasLongKeys],
      ),
      run('COMMIT'),
    ];
    this.sent = true;
    await together(last);
  }

  /** To be called when the commit has succeeded: the blocks in memory follow it. */
  apply(): void {
    this.#area.hasLongKeys ||= this.#hasLongKeys();
    const { blocks } = this.#area;
    if (blocks.revision === this.#row.revision) {
      blocks.apply(this.#blocks, this.#revision);
    }
  }

  /** The time of the last change, in microseconds. */
  get changed(): number {
    return this.#entries.at(-1)?.time ?? this.#row.changed;
  }

  /** How the group is found in the database once it is there: its first entry. */
  get mark(): { revision: number; time: number } | undefined {
    return this.#entries[0];
  }

  /** The revision of the last change. */
  get #revision(): number {
    return this.#entries.at(-1)?.revision ?? this.#row.revision;
  }

  #current(iri: string): StoredRecord | undefined {
    return this.#now.has(iri) ? this.#now.get(iri) : this.#before.get(iri);
  }

  #hasLongKeys(): boolean {
    for (const record of this.#now.values()) if (record && isLong(record)) return true;
    return false;
  }

  async #send(run: Run): Promise<void> {
    const { id } = this.#area;
    const now = [...this.#now];
    const puts = now.flatMap(([, record]) => record ?? []);
    const replaced = now.filter(([iri]) => this.#before.has(iri)).map(([iri]) => keyOf(iri));
    const added = puts.filter(({ iri }) => !this.#before.has(iri)).map(({ iri }) => keyOf(iri));
    const deleted = now
      .filter(([iri, record]) => !record && this.#before.has(iri))
      .map(([iri]) => keyOf(iri));
    const sent: Promise<unknown>[] = [];
    if (replaced.length > 0) sent.push(run(KEEP_TEXTS, [id, replaced]));
    if (added.length > 0) sent.push(run(REMOVE_TOMBSTONES, [id, added]));
    if (deleted.length > 0) sent.push(run(DELETE_RECORDS, [id, deleted]));
    if (puts.length > 0) sent.push(run(PUT_RECORDS, [id, ...recordColumns(puts)]));
    sent.push(this.#sendEntries(run), this.#sendTombstones(run), writeLedger(run, id, this.#ledgerNow));
    await together(sent);
  }

  async #sendEntries(run: Run): Promise<void> {
    if (this.#entries.length === 0) return;
    const last = new Map(this.#entries.map((entry) => [entry.iri, entry]));
    await run(INSERT_ENTRIES, [
      this.#area.id,
      ...columns(this.#entries, (entry) => {
        const { revision, iri, pid, className, deleted, time, committer, author, role, note, json } = entry;
        const { key, long } = iriColumns(iri);
        // The text of the last change of a record is in the record.
        const text = last.get(iri) === entry ? null : json;
        return [revision, key, long, pid, className, deleted, time, committer, author, role, note, text];
      }),
    ]);
  }

  async #sendTombstones(run: Run): Promise<void> {
    const gone = this.#entries.filter(({ iri, deleted }) => deleted && this.#now.get(iri) === undefined);
    if (gone.length === 0) return;
    const last = [...new Map(gone.map((entry) => [entry.iri, entry])).values()];
    await run(PUT_TOMBSTONES, [
      this.#area.id,
      ...columns(last, ({ iri, pid, revision }) => {
        const { key, long } = iriColumns(iri);
        return [key, long, pid, revision];
      }),
    ]);
  }

  /** The blocks whose counts the group changes, as they are after it. */
  #changedBlocks(): Block[] {
    const { blocks } = this.#area;
    const differences = new Map<Block, Map<string, number>>();
    const count = (record: StoredRecord, difference: 1 | -1) => {
      const { block } = blocks.at(record);
      const ofBlock = differences.get(block) ?? new Map<string, number>();
      ofBlock.set(record.className, (ofBlock.get(record.className) ?? 0) + difference);
      differences.set(block, ofBlock);
    };
    for (const [iri, after] of this.#now) {
      const before = this.#before.get(iri);
      if (before && after && before.pid === after.pid && before.className === after.className) continue;
      if (before) count(before, -1);
      if (after) count(after, 1);
    }
    return [...differences]
      .filter(([, ofBlock]) => [...ofBlock.values()].some((difference) => difference !== 0))
      .map(([block, ofBlock]) => withDifferences(block, ofBlock));
  }

  async #cut(run: Run, changed: readonly Block[], hasLongKeys: boolean): Promise<Block[]> {
    const { blocks } = this.#area;
    const area = { ...this.#area, hasLongKeys: this.#area.hasLongKeys || hasLongKeys };
    let id = blocks.lastId;
    const cuts = changed.map(async (block) => {
      if (block.records <= 2 * BLOCK_SIZE) return [block];
      const keys = await keysBetween(run, area, block, blocks.at(block).next);
      return cut(block, keys, () => ++id);
    });
    return (await together(cuts)).flat();
  }
}

function recordColumns(records: readonly StoredRecord[]): unknown[][] {
  return columns(records, ({ iri, pid, className, revision, json }) => {
    const { key, long } = iriColumns(iri);
    const { start, end } = pidColumns(pid);
    return [key, long, start, end, className, revision, json];
  });
}

/** From rows to one array for each column. */
function columns<T>(rows: readonly T[], valuesOf: (row: T) => unknown[]): unknown[][] {
  const result: unknown[][] = [];
  for (const row of rows) {
    for (const [index, value] of valuesOf(row).entries()) {
      const column = result[index] ?? [];
      column.push(value);
      result[index] = column;
    }
  }
  return result;
}

/** The texts of records that are about to be replaced rest in their entries from now on. */
const KEEP_TEXTS = `
  UPDATE accession_entry e SET json = r.json FROM accession_record r
  WHERE r.area = $1 AND r.iri_key = ANY ($2) AND e.area = $1 AND e.revision = r.revision AND e.json IS NULL`;

const REMOVE_TOMBSTONES = 'DELETE FROM accession_tombstone WHERE area = $1 AND iri_key = ANY ($2)';

const DELETE_RECORDS = 'DELETE FROM accession_record WHERE area = $1 AND iri_key = ANY ($2)';

const PUT_RECORDS = `
  INSERT INTO accession_record (area, iri_key, iri_long, pid_start, pid_end, class_name, revision, json)
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[])
  ON CONFLICT (area, iri_key) DO UPDATE SET pid_start = excluded.pid_start, pid_end = excluded.pid_end,
    class_name = excluded.class_name, revision = excluded.revision, json = excluded.json`;

const PUT_TOMBSTONES = `
  INSERT INTO accession_tombstone (area, iri_key, iri_long, pid, revision)
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[])
  ON CONFLICT (area, iri_key) DO UPDATE SET pid = excluded.pid, revision = excluded.revision`;

const INSERT_ENTRIES = `
  INSERT INTO accession_entry
    (area, revision, iri_key, iri_long, pid, class_name, deleted, time, committer, author, role, note, json)
  SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::bigint[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])`;
