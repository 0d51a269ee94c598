/** A group of writes, carried out in memory inside the transaction that has locked their area. */
import { ServiceError } from '../../errors.ts';
import { type Block, withDifferences } from '../block-order.ts';
import { microsecondsOf, noteOf } from '../entry-table.ts';
import { check } from '../record-table.ts';
import type { ChangeNote, ChangeResult, Entry, StoredRecord } from '../store.ts';
import type { AreaRow, DatabaseArea } from './area.ts';
import { BLOCK_SIZE, cut, writeBlocks } from './blocks.ts';
import { type Run, together } from './database.ts';
import {
  columns,
  DELETE_RECORDS,
  INSERT_ENTRIES,
  KEEP_TEXTS,
  PUT_RECORDS,
  PUT_TOMBSTONES,
  REMOVE_TOMBSTONES,
  recordColumns,
} from './draft-statements.ts';
import { indexKey, iriColumns, isLong, requireStorable } from './keys.ts';
import { applyToLedger, type LedgerState, writeLedger } from './ledger.ts';
import { type ChangedLinks, differentLinks, type LinkState, requireUnreferenced } from './link-draft.ts';
import { writeLinks } from './link-rows.ts';
import { keysBetween } from './records.ts';
import type { AreaWrite } from './writer.ts';

type DraftEntry = Omit<Entry, keyof ChangeNote | 'kind' | 'time'> & {
  readonly deleted: boolean;
  /** In microseconds. */
  readonly time: number;
  readonly note: string | null;
};

/** A write whose expectations are met: its results, and what makes its changes in the draft. */
export type StagedWrite = { readonly results: ChangeResult[]; readonly keep: () => void };

export class GroupDraft {
  readonly #area: DatabaseArea;
  readonly #row: AreaRow;
  /** The records that the group names, before it and now. */
  readonly #before: ReadonlyMap<string, StoredRecord>;
  readonly #now = new Map<string, StoredRecord | undefined>();
  readonly #entries: DraftEntry[] = [];
  readonly #ledger: LedgerState;
  readonly #ledgerNow: LedgerState = new Map();
  readonly #links: LinkState;
  readonly #linksNow: ChangedLinks = new Map();
  /** The links of all records are known up to this revision. */
  #linksRevision: number;
  #blocks: Block[] = [];
  /** Whether what is sent depends on answers: then the commit has to wait for {@link send}. */
  isCutting = false;

  constructor(
    area: DatabaseArea,
    row: AreaRow,
    records: readonly StoredRecord[],
    ledger: LedgerState,
    links: LinkState,
  ) {
    this.#area = area;
    this.#row = row;
    this.#before = new Map(records.map((record) => [record.iri, record]));
    this.#ledger = ledger;
    this.#links = links;
    this.#linksRevision = row.links_revision;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#ledgerNow.size === 0;
  }

  /**
   * All changes of a write, or none of them: they are made by `keep`, before anything else is staged.
   *
   * @throws ServiceError `precondition_failed`, `record_missing`, `record_referenced`, or `record_invalid` for what can't be
   *   stored
   */
  stage({ restored, ...write }: AreaWrite): StagedWrite {
    if (restored.length > 0) this.#restore(restored);
    return this.#stage(write);
  }

  #stage({ changes, by, ledger, rowsAfter }: Omit<AreaWrite, 'restored'>): StagedWrite {
    const now = new Map<string, StoredRecord | undefined>();
    const entries: DraftEntry[] = [];
    const results: ChangeResult[] = [];
    const links: ChangedLinks = new Map();
    let linksRevision = this.#linksRevision;
    const recordOf = (iri: string) => (now.has(iri) ? now.get(iri) : this.#current(iri));
    const first = this.#revision + 1;
    // Later than every change before, also if the clock is set back.
    const firstTime = Math.max(Date.now() * 1000, this.changed + 1);
    for (const change of changes) {
      const revision = first + entries.length;
      const iri = 'put' in change ? change.put.iri : change.delete;
      const replaced = recordOf(iri);
      check(change.expect, replaced, iri);
      const note = change.note === undefined ? null : JSON.stringify(change.note);
      const common = { revision, iri, ...(change.by ?? by), note, time: firstTime + entries.length };
      if ('put' in change) {
        const { pid, className, json } = change.put;
        requireStorable(change.put);
        now.set(iri, { pid, iri, className, json, revision });
        if (change.put.links) links.set(iri, change.put.links);
        entries.push({ ...common, pid, className, json, deleted: false });
      } else {
        if (!replaced)
          throw new ServiceError('record_missing', `The record '${iri}' to delete does not exist.`);
        if (change.unreferenced)
          requireUnreferenced(replaced, this.#links, [this.#linksNow, links], recordOf);
        now.set(iri, undefined);
        links.set(iri, []);
        entries.push({
          ...common,
          pid: replaced.pid,
          className: replaced.className,
          json: null,
          deleted: true,
        });
      }
      const known = 'delete' in change || change.put.links !== undefined;
      if (known && linksRevision === revision - 1) linksRevision = revision;
      results.push({ revision, replaced });
    }
    const ledgerNow: LedgerState = new Map(this.#ledgerNow);
    for (const change of ledger) applyToLedger(this.#ledger, ledgerNow, change);
    for (const set of rowsAfter?.(results.map(({ revision }) => revision)) ?? [])
      applyToLedger(this.#ledger, ledgerNow, { set });
    const keep = () => {
      for (const [iri, record] of now) this.#now.set(iri, record);
      for (const [name, row] of ledgerNow) this.#ledgerNow.set(name, row);
      for (const [iri, ofRecord] of links) this.#linksNow.set(iri, ofRecord);
      this.#linksRevision = linksRevision;
      this.#entries.push(...entries);
    };
    return { results, keep };
  }

  /**
   * Adds entries of another area as they are there, with the changes that they describe.
   *
   * @throws ServiceError `precondition_failed`
   */
  #restore(entries: readonly Entry[]): void {
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
      if (deleted) {
        this.#linksNow.set(iri, []);
        if (this.#linksRevision === revision - 1) this.#linksRevision = revision;
      }
      const actor = { committer, author, role };
      const common = { revision, iri, pid, className, json, deleted };
      this.#entries.push({ ...common, ...actor, time: microsecondsOf(time), note: noteOf(entry) });
    }
  }

  /** Sends everything but the commit: at once, or in three round trips if a block has grown so large that it is cut. */
  async send(run: Run): Promise<void> {
    const { id } = this.#area;
    const revision = this.#revision;
    const hasLongKeys = this.#hasLongKeys();
    const written = this.#send(run);
    const blocks = this.#changedBlocks();
    this.isCutting = blocks.some(({ records }) => records > 2 * BLOCK_SIZE);
    if (this.isCutting) await written;
    this.#blocks = this.isCutting ? await this.#cut(run, blocks, hasLongKeys) : blocks;
    await together([
      written,
      writeBlocks(run, id, this.#blocks, revision),
      run(
        `UPDATE accession_area SET revision = $2, changed = $3, has_long_keys = has_long_keys OR $4, links_revision = $5
         WHERE area = $1`,
        [id, revision, this.changed, hasLongKeys, this.#linksRevision],
      ),
    ]);
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

  /** How the group is found in the database once it is there: its first entry, if it has one. */
  get mark(): { revision: number; time: number } | undefined {
    return this.#entries[0];
  }

  /** What the group makes of ledger rows. */
  get ledger(): LedgerState {
    return this.#ledgerNow;
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
    const replaced = now.flatMap(([iri]) => this.#before.get(iri) ?? []);
    const added = puts.filter(({ iri }) => !this.#before.has(iri)).map(({ iri }) => indexKey(iri));
    const deleted = now
      .filter(([iri, record]) => !record && this.#before.has(iri))
      .map(([iri]) => indexKey(iri));
    const sent: Promise<unknown>[] = [];
    if (replaced.length > 0) {
      const keys = replaced.map(({ iri }) => indexKey(iri));
      sent.push(run(KEEP_TEXTS, [id, keys, replaced.map(({ revision }) => revision)]));
    }
    if (added.length > 0) sent.push(run(REMOVE_TOMBSTONES, [id, added]));
    if (deleted.length > 0) sent.push(run(DELETE_RECORDS, [id, deleted]));
    if (puts.length > 0) sent.push(run(PUT_RECORDS, [id, ...recordColumns(puts)]));
    sent.push(this.#sendEntries(run), this.#sendTombstones(run), writeLedger(run, id, this.#ledgerNow));
    sent.push(writeLinks(run, id, differentLinks(this.#links, this.#linksNow)));
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

  /** The blocks whose counts the group changes, with the counts after it. */
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
