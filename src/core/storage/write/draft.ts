/** A transaction that is being prepared; see {@link Draft}. */

import type {
  Check,
  Companion,
  Derived,
  Draft,
  Participants,
  RecordOfArea,
  RevisionOf,
  StagedOptions,
  Step,
  StoredText,
  WriteReceipt,
} from '../database.ts';
import type { Dialect, Value } from '../dialect.ts';
import type { Query } from '../engine.ts';
import type { Patches } from '../patch.ts';
import type { Actor, AreaId, Change, Entry } from '../store.ts';
import { fingerprint, type Revisions } from './apply.ts';
import { changesOf, stagedChanges, stagePatches } from './staged.ts';

/** Changes of a draft, and their revisions once they are committed. */
class WrittenStep implements WriteReceipt {
  readonly #step: number;
  #revisions: readonly number[] | undefined;

  constructor(step: number) {
    this.#step = step;
  }

  revision(change: number): RevisionOf {
    return { step: this.#step, change };
  }

  get revisions(): readonly number[] {
    if (!this.#revisions) throw new Error('The revisions of a write are known after its commit.');
    return this.#revisions;
  }

  commit(revisions: Revisions): void {
    this.#revisions = revisions[this.#step] ?? [];
  }
}

/** Of staged changes. */
const UNKNOWN: WriteReceipt = {
  revision: () => {
    throw new Error('The revisions of staged changes are not known to companions.');
  },
  get revisions(): never {
    throw new Error('The revisions of staged changes are not known to companions.');
  },
};

export class TransactionDraft implements Draft {
  readonly dialect: Dialect;
  readonly checks: Check[] = [];
  readonly steps: Step[] = [];
  readonly #query: Query;
  readonly #participants: Pick<Participants, 'companions' | 'concerned'>;
  readonly #isFirst: boolean;
  readonly #written: WrittenStep[] = [];
  readonly #locals = new Map<symbol, unknown>();

  /** @param isFirst whether no transaction was prepared before this one and found to be outdated */
  constructor(
    dialect: Dialect,
    query: Query,
    participants: Pick<Participants, 'companions' | 'concerned'>,
    isFirst: boolean,
  ) {
    this.dialect = dialect;
    this.#query = query;
    this.#participants = participants;
    this.#isFirst = isFirst;
  }

  local<T>(key: symbol, make: () => T): T {
    if (!this.#locals.has(key)) this.#locals.set(key, make());
    return this.#locals.get(key) as T;
  }

  async read<Row extends object>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    const { columns, rows } = await this.#checked(sql, values);
    return rows.map((row) => objectOf<Row>(columns, row));
  }

  async tuples<Row extends readonly unknown[]>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return (await this.#checked(sql, values)).rows as unknown as Row[];
  }

  async record({ id }: AreaId, iri: string): Promise<StoredText | undefined> {
    const { rows } = await this.#query(
      'SELECT pid, class_name, json, revision FROM accession_record WHERE area = $1 AND iri = $2',
      [id, iri],
    );
    const [row] = rows as [pid: string, className: string, json: string, revision: number][];
    // The revision stands for the rest.
    const expected = fingerprint(row ? [[row[3]]] : []);
    const sql = 'SELECT revision FROM accession_record WHERE area = $1 AND iri = $2';
    this.checks.push({ sql, values: [id, iri], expected });
    return row && { pid: row[0], className: row[1], json: row[2], revision: row[3] };
  }

  records(areas: readonly number[], iris: readonly string[]): Promise<RecordOfArea[]> {
    return this.read<RecordOfArea>(
      `SELECT r.area, r.iri, r.pid, r.class_name AS "className", r.revision, r.json FROM accession_record r
       WHERE ${this.dialect.among('r.area', 1, 'bigint')} AND ${this.dialect.among('r.iri', 2)}`,
      [areas, iris],
    );
  }

  async rareRows<Row extends object>(sql: string, values: readonly Value[]): Promise<Row[]> {
    if (!this.#isFirst) return this.read<Row>(sql, values);
    this.checks.push({ sql, values, expected: NO_ROWS });
    return [];
  }

  async refuseIf(sql: string, values: readonly Value[], refusal: () => Error): Promise<void> {
    if ((await this.rareRows(sql, values)).length > 0) throw refusal();
  }

  async write(area: AreaId, changes: readonly Change[], by: Actor | null): Promise<WriteReceipt> {
    const { id, path } = area;
    const written = this.#add({ area: { id, path }, changes, by });
    for (const companion of this.#participants.companions(path))
      await companion(this, area, changes, by, written);
    return written;
  }

  async staged({ id, path }: AreaId, plan: string, making: StagedOptions): Promise<void> {
    const { by, note, late = new Map() as Patches, companions } = making;
    const area = { id, path };
    stagePatches(this, plan, area, late);
    this.#add({ area, staged: plan, by, ...(note && { note }) });
    const concerned = companions ? this.#participants.concerned?.(path) : undefined;
    if (concerned === undefined) return;
    const reads = {
      tuples: async <Row extends readonly unknown[]>(sql: string, values: readonly Value[] = []) =>
        (await this.#query(sql, values)).rows as unknown as Row[],
    };
    const pass = async (changes: readonly Change[]) => {
      for (const companion of this.#participants.companions(path))
        await companion(this, area, changes, by, UNKNOWN);
    };
    for await (const page of stagedChanges(reads, area, plan, note, concerned))
      await pass(page.flatMap(({ iri, changes }) => (late.has(iri) ? [] : changes)));
    await pass([...late.values()].flatMap((patch) => (patch ? changesOf(patch, note) : [])));
  }

  restore({ id, path }: AreaId, restored: readonly Entry[]): void {
    this.#add({ area: { id, path }, restored });
  }

  run(sql: string, values: readonly (Value | RevisionOf)[] = []): WriteReceipt {
    return this.#add({ sql, values });
  }

  derive({ id, path }: AreaId, derived: Derived): void {
    this.#add({ area: { id, path }, derived });
  }

  revisionOf({ id }: AreaId): WriteReceipt {
    return this.#add({ revisionOf: id });
  }

  /** Adds a step of another kind. */
  add(step: Step): WriteReceipt {
    return this.#add(step);
  }

  /** Makes the revisions known. */
  commit(revisions: Revisions): void {
    for (const written of this.#written) written.commit(revisions);
  }

  #add(step: Step): WriteReceipt {
    const written = new WrittenStep(this.steps.push(step) - 1);
    this.#written.push(written);
    return written;
  }

  async #checked(sql: string, values: readonly Value[]) {
    const result = await this.#query(sql, values);
    this.checks.push({ sql, values, expected: fingerprint(result.rows) });
    return result;
  }
}

const NO_ROWS = fingerprint([]);

/** A row as an object. */
export function objectOf<Row extends object>(columns: readonly string[], row: readonly unknown[]): Row {
  const object: Record<string, unknown> = {};
  for (const [at, name] of columns.entries()) object[name] = row[at];
  return object as Row;
}

/** A step as it is sent to the writer: without what companions and the mirror have read. */
export function sentStep(step: Step): Step {
  if (!('changes' in step) || step.changes.every(({ context }) => context === undefined)) return step;
  return { ...step, changes: step.changes.map(({ context: _, ...change }) => change) };
}

export const NO_COMPANIONS: readonly Companion[] = [];
