/** The ledger of an area. */
import { ServiceError } from '../../errors.ts';
import { compareCodePoints } from '../../json.ts';
import { newerThan } from '../ledger-table.ts';
import type { Ledger, LedgerChange, LedgerRow, LedgerSelection } from '../store.ts';
import type { DatabaseArea } from './area.ts';
import { type Run, together } from './database.ts';
import { comparable, indexKey, ledgerId } from './keys.ts';

type LedgerQueryRow = {
  readonly kind: string;
  readonly id: string;
  readonly keys: string;
  readonly json: string;
};

export function ledgerOf({ database, id: area }: DatabaseArea): Ledger {
  return {
    async get(kind, id) {
      const [row] = await database.query<LedgerQueryRow>(
        'SELECT kind, id, keys, json FROM accession_ledger WHERE area = $1 AND kind = $2 AND id = $3',
        [area, comparable(kind), ledgerId(id)],
      );
      return row && toRow(row);
    },
    async list({ after = '', before, newestFirst, limit, ...selection }) {
      const { from, values, id } = rowsWith(area, selection);
      const parameters = [
        ...values,
        ledgerId(after),
        limit,
        ...(before === undefined ? [] : [ledgerId(before)]),
      ];
      const n = values.length;
      const rows = await database.query<LedgerQueryRow>(
        `SELECT l.kind, l.id, l.keys, l.json ${from} AND ${id} > $${n + 1} ${before === undefined ? '' : `AND ${id} < $${n + 3}`}
         ORDER BY ${id} ${newestFirst ? 'DESC' : 'ASC'} LIMIT $${n + 2}`,
        parameters,
      );
      return rows.map(toRow);
    },
    async count(selection) {
      const { from, values } = rowsWith(area, selection);
      const [row] = await database.query<{ n: number }>(`SELECT count(*) AS n ${from}`, values);
      return row?.n ?? 0;
    },
    async all(after, limit) {
      const rows = await database.query<LedgerQueryRow>(
        `SELECT kind, id, keys, json FROM accession_ledger
         WHERE area = $1 AND (kind, id) > ($2, $3) ORDER BY kind, id LIMIT $4`,
        [area, after?.kind ?? '', after?.id ?? '', limit],
      );
      return rows.map(toRow);
    },
  };
}

/** The first key drives the search, the others filter it. @returns also the column of ids that the search goes along */
function rowsWith(
  area: number,
  { kind, keys = [] }: LedgerSelection,
): { from: string; values: unknown[]; id: string } {
  const [first, ...others] = keys.map(indexKey);
  if (first === undefined) {
    return {
      from: 'FROM accession_ledger l WHERE l.area = $1 AND l.kind = $2',
      values: [area, comparable(kind)],
      id: 'l.id',
    };
  }
  const filters = others.map(
    (_, index) => ` AND EXISTS (SELECT 1 FROM accession_ledger_key k
      WHERE k.area = $1 AND k.kind = $2 AND k.key = $${index + 4} AND k.id = l.id)`,
  );
  return {
    from: `FROM accession_ledger_key f JOIN accession_ledger l ON l.area = f.area AND l.kind = f.kind AND l.id = f.id
      WHERE f.area = $1 AND f.kind = $2 AND f.key = $3${filters.join('')}`,
    values: [area, comparable(kind), first, ...others],
    id: 'f.id',
  };
}

function toRow({ kind, id, keys, json }: LedgerQueryRow): LedgerRow {
  return { kind, id, keys: JSON.parse(keys), json };
}

/** The ledger rows that a group of writes names, as they are and as the writes leave them; undefined for absent ones. */
export type LedgerState = Map<string, LedgerRow | undefined>;

/** A change of a row under the id that it is stored under. */
export function withLedgerId(change: LedgerChange): LedgerChange {
  const { id } = 'set' in change ? change.set : change.remove;
  const stored = ledgerId(id);
  if (stored === id) return change;
  return 'set' in change
    ? { ...change, set: { ...change.set, id: stored } }
    : { remove: { ...change.remove, id: stored } };
}

const ledgerName = ({ kind, id }: Pick<LedgerRow, 'kind' | 'id'>) => JSON.stringify([kind, id]);

/** Reads the rows whose presence decides about changes. */
export async function readLedger(
  run: Run,
  area: number,
  changes: readonly LedgerChange[],
): Promise<LedgerState> {
  const named = changes.filter((change) => 'set' in change).map(({ set }) => set);
  if (named.length === 0) return new Map();
  const newest = changes.flatMap((change) => newestOf(change) ?? []);
  const newer =
    newest.length === 0
      ? []
      : run<LedgerQueryRow>(
          `SELECT l.kind, l.id, l.keys, l.json
           FROM unnest($2::text[], $3::text[], $4::text[]) AS n (kind, key, after) CROSS JOIN LATERAL (
             SELECT k.id FROM accession_ledger_key k
             WHERE k.area = $1 AND k.kind = n.kind AND k.key = n.key AND k.id > n.after ORDER BY k.id DESC LIMIT 1
           ) k JOIN accession_ledger l ON l.area = $1 AND l.kind = n.kind AND l.id = k.id`,
          [
            area,
            newest.map(({ kind }) => kind),
            newest.map(({ key }) => indexKey(key)),
            newest.map(({ after }) => after),
          ],
        );
  const rows = (await together([rowsNamed(run, area, named), newer])).flat();
  return new Map(rows.map((row) => [ledgerName(row), toRow(row)]));
}

function rowsNamed(
  run: Run,
  area: number,
  names: readonly Pick<LedgerRow, 'kind' | 'id'>[],
): Promise<LedgerQueryRow[]> {
  return run<LedgerQueryRow>(
    `SELECT l.kind, l.id, l.keys, l.json
     FROM unnest($2::text[], $3::text[]) AS n (kind, id)
     JOIN accession_ledger l ON l.area = $1 AND l.kind = n.kind AND l.id = n.id`,
    [area, names.map(({ kind }) => kind), names.map(({ id }) => id)],
  );
}

/** The key that must have no newer row than one that is set with it. */
function newestOf(change: LedgerChange): { kind: string; key: string; after: string } | undefined {
  if (!('set' in change) || typeof change.expect !== 'object') return undefined;
  return { kind: change.set.kind, key: change.expect.newestOf, after: change.expect.after };
}

/**
 * Makes one change in memory.
 *
 * @throws ServiceError `precondition_failed`
 */
export function applyToLedger(state: LedgerState, drafts: LedgerState, change: LedgerChange): void {
  const target = 'set' in change ? change.set : change.remove;
  const name = ledgerName(target);
  const expect = 'set' in change ? change.expect : undefined;
  if (typeof expect === 'object') {
    const isNewer = (row: LedgerRow | undefined) =>
      row?.kind === target.kind &&
      row.keys.includes(expect.newestOf) &&
      compareCodePoints(row.id, expect.after) > 0;
    const newer = [...drafts.values(), ...state.values()].find(isNewer);
    if (newer) throw newerThan(expect.after, newer);
  } else if (expect !== undefined) {
    const isThere = (drafts.has(name) ? drafts.get(name) : state.get(name)) !== undefined;
    if (isThere !== (expect === 'present')) {
      const found = isThere ? 'exists' : 'does not exist';
      throw new ServiceError('precondition_failed', `The ${target.kind} '${target.id}' ${found}.`);
    }
  }
  drafts.set(name, 'set' in change ? change.set : undefined);
}

/** Whether the rows in the database are what writes have made of them. */
export async function areAsLeft(run: Run, area: number, left: LedgerState): Promise<boolean> {
  const names = [...left.keys()].map((name) => JSON.parse(name) as [string, string]);
  const rows = await rowsNamed(
    run,
    area,
    names.map(([kind, id]) => ({ kind, id })),
  );
  const found = new Map(rows.map((row) => [ledgerName(row), row.json]));
  return [...left].every(([name, row]) => found.get(name) === row?.json);
}

/** Writes what has become of the rows. */
export async function writeLedger(run: Run, area: number, changed: LedgerState): Promise<void> {
  if (changed.size === 0) return;
  const names = [...changed.keys()].map((name) => JSON.parse(name) as [string, string]);
  const named = [area, names.map(([kind]) => kind), names.map(([, id]) => id)];
  const rows = [...changed.values()].filter((row) => row !== undefined);
  const keys = rows.flatMap(({ kind, id, keys }) =>
    [...new Set(keys)].map((key) => ({ kind, id, key: indexKey(key) })),
  );
  const inNames = `area = $1 AND (kind, id) IN (SELECT * FROM unnest($2::text[], $3::text[]))`;
  await together([
    run(`DELETE FROM accession_ledger_key WHERE ${inNames}`, named),
    run(`DELETE FROM accession_ledger WHERE ${inNames}`, named),
    run(
      `INSERT INTO accession_ledger (area, kind, id, keys, json)
       SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[])`,
      [
        area,
        rows.map(({ kind }) => kind),
        rows.map(({ id }) => id),
        rows.map(({ keys }) => JSON.stringify([...new Set(keys)])),
        rows.map(({ json }) => json),
      ],
    ),
    run(
      `INSERT INTO accession_ledger_key (area, kind, key, id)
       SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[])`,
      [area, keys.map(({ kind }) => kind), keys.map(({ key }) => key), keys.map(({ id }) => id)],
    ),
  ]);
}
