/** The ledger of an area in its database. Everything here is synchronous, like the record table. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ServiceError } from '../errors.ts';
import { LIMIT, statements } from './database.ts';
import type { LedgerChange, LedgerQuery, LedgerRow, LedgerSelection } from './store.ts';

type LedgerTableRow = {
  readonly kind: string;
  readonly id: string;
  readonly keys: string;
  readonly json: string;
};

/** A row has a key; takes the key as a parameter. */
const HAS_KEY = `EXISTS (SELECT 1 FROM accession_ledger_key k WHERE k.kind = l.kind AND k.key = ? AND k.id = l.id)`;

export class LedgerTable {
  readonly #sql: (sql: string) => StatementSync;

  constructor(database: DatabaseSync) {
    this.#sql = statements(database);
  }

  get(kind: string, id: string): LedgerRow | undefined {
    const row = this.#sql('SELECT * FROM accession_ledger WHERE kind = ? AND id = ?').get(kind, id);
    return row && toRow(row as LedgerTableRow);
  }

  list({ kind, keys = [], after, before, newestFirst, limit }: LedgerQuery): LedgerRow[] {
    const { from, values } = rowsWith({ kind, keys });
    const rows = this.#sql(
      `SELECT l.* ${from} AND l.id > ? ${before === undefined ? '' : 'AND l.id < ?'}
       ORDER BY l.id ${newestFirst ? 'DESC' : 'ASC'} ${LIMIT}`,
    ).all(...values, after ?? '', ...(before === undefined ? [] : [before]), limit);
    return (rows as LedgerTableRow[]).map(toRow);
  }

  count(selection: LedgerSelection): number {
    const { from, values } = rowsWith(selection);
    return (this.#sql(`SELECT count(*) AS n ${from}`).get(...values) as { n: number }).n;
  }

  all(after: Pick<LedgerRow, 'kind' | 'id'> | undefined, limit: number): LedgerRow[] {
    const { kind, id } = after ?? { kind: '', id: '' };
    const rows = this.#sql(
      `SELECT * FROM accession_ledger WHERE (kind, id) > (?, ?) ORDER BY kind, id ${LIMIT}`,
    ).all(kind, id, limit);
    return (rows as LedgerTableRow[]).map(toRow);
  }

  /** Makes one change, inside a transaction that the caller has begun. */
  apply(change: LedgerChange): void {
    const { kind, id } = 'set' in change ? change.set : change.remove;
    const expect = 'set' in change ? change.expect : undefined;
    if (typeof expect === 'object') {
      const [newer] = this.list({ kind, keys: [expect.newestOf], after: expect.after, limit: 1 });
      if (newer) throw newerThan(expect.after, newer);
    } else if (expect !== undefined) {
      const isThere = this.get(kind, id) !== undefined;
      if (isThere !== (expect === 'present')) {
        const found = isThere ? 'exists' : 'does not exist';
        throw new ServiceError('precondition_failed', `The ${kind} '${id}' ${found}.`);
      }
    }
    const former = this.get(kind, id);
    for (const key of former?.keys ?? []) {
      this.#sql('DELETE FROM accession_ledger_key WHERE kind = ? AND key = ? AND id = ?').run(kind, key, id);
    }
    if ('remove' in change) {
      this.#sql('DELETE FROM accession_ledger WHERE kind = ? AND id = ?').run(kind, id);
      return;
    }
    const keys = [...new Set(change.set.keys)];
    const { json } = change.set;
    this.#sql('INSERT OR REPLACE INTO accession_ledger VALUES (?, ?, ?, ?)').run(
      kind,
      id,
      JSON.stringify(keys),
      json,
    );
    for (const key of keys) this.#sql('INSERT INTO accession_ledger_key VALUES (?, ?, ?)').run(kind, key, id);
  }
}

/** Why a row is not set: another one has been set since its writer looked. */
export function newerThan(after: string, { kind, id }: Pick<LedgerRow, 'kind' | 'id'>): ServiceError {
  return new ServiceError('precondition_failed', `The ${kind} '${id}' is newer than '${after}'.`);
}

/** The first key drives the search, the others filter it. */
function rowsWith({ kind, keys = [] }: LedgerSelection): { from: string; values: string[] } {
  const [first, ...others] = keys;
  const filters = others.map(() => ` AND ${HAS_KEY}`).join('');
  if (first === undefined) return { from: 'FROM accession_ledger l WHERE l.kind = ?', values: [kind] };
  return {
    from: `FROM accession_ledger_key f JOIN accession_ledger l ON l.kind = f.kind AND l.id = f.id
           WHERE f.kind = ? AND f.key = ?${filters}`,
    values: [kind, first, ...others],
  };
}

function toRow({ kind, id, keys, json }: LedgerTableRow): LedgerRow {
  return { kind, id, keys: JSON.parse(keys), json };
}
