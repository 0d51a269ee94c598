/** A transaction that is being prepared; see {@link Draft}. */
import { fingerprint, type Revisions } from './apply.ts';
import type {
  Check,
  Companion,
  Draft,
  Participants,
  RevisionOf,
  Step,
  StoredText,
  Value,
  Written,
} from './database.ts';
import type { Dialect } from './dialect.ts';
import type { Query } from './engine.ts';
import type { Actor, AreaId, Change } from './store.ts';

/** Changes of a draft, and their revisions once they are committed. */
class WrittenStep implements Written {
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

export class TransactionDraft implements Draft {
  readonly dialect: Dialect;
  readonly checks: Check[] = [];
  readonly steps: Step[] = [];
  readonly #query: Query;
  readonly #companions: Participants['companions'];
  readonly #written: WrittenStep[] = [];

  constructor(dialect: Dialect, query: Query, companions: Participants['companions']) {
    this.dialect = dialect;
    this.#query = query;
    this.#companions = companions;
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

  async write(area: AreaId, changes: readonly Change[], by: Actor | null): Promise<Written> {
    const { id, path } = area;
    const written = this.#add({ area: { id, path }, changes: changes.map(withoutContext), by });
    for (const companion of this.#companions(path)) await companion(this, area, changes, by, written);
    return written;
  }

  run(sql: string, values: readonly (Value | RevisionOf)[] = []): Written {
    return this.#add({ sql, values });
  }

  /** Adds a step of another kind. */
  add(step: Step): Written {
    return this.#add(step);
  }

  /** Makes the revisions known. */
  commit(revisions: Revisions): void {
    for (const written of this.#written) written.commit(revisions);
  }

  #add(step: Step): Written {
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

/** A row as an object. */
export function objectOf<Row extends object>(columns: readonly string[], row: readonly unknown[]): Row {
  const object: Record<string, unknown> = {};
  for (const [at, name] of columns.entries()) object[name] = row[at];
  return object as Row;
}

/** What companions have read is not sent to the writer. */
function withoutContext(change: Change): Change {
  if (change.context === undefined) return change;
  const { context: _, ...rest } = change;
  return rest;
}

export const NO_COMPANIONS: readonly Companion[] = [];
