/** Plans as rows of `accession_plan`: what was done to many records at once, and can be undone. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Draft, ReadDatabase } from '../storage/database.ts';
import type { Reader } from '../storage/reader.ts';
import type { AreaId, RecordStore } from '../storage/store.ts';

export type Plan = {
  /** Begins with the time, or one that is behind those of former plans. */
  readonly id: string;
  readonly time: string;
  /** An undo of a switch is a switch back, which can't be undone. */
  readonly kind: 'rename' | 'merge' | 'switch' | 'undo' | 'edit';
  /** The curated area. */
  readonly area: AreaId;
  readonly collection: string;
};

type PlanSource = { readonly name: string; readonly curated: Pick<RecordStore, 'area'> };

/** A plan whose id is greater than those of all before, also if the clock is set back: the newest has the greatest. */
export async function newPlan(
  kind: Plan['kind'],
  { database, curated, name }: PlanSource & { readonly database: Pick<Reader, 'tuples'> },
): Promise<Plan> {
  const time = new Date().toISOString();
  const [last] = await database.tuples<[id: string]>(
    'SELECT id FROM accession_plan WHERE area = $1 ORDER BY id DESC LIMIT 1',
    [curated.area.id],
  );
  const former = last?.[0].slice(0, time.length) ?? '';
  const begin = former < time ? time : new Date(Date.parse(former) + 1).toISOString();
  return { id: `${begin}-${randomUUID().slice(0, 8)}`, time, kind, area: curated.area, collection: name };
}

/** Keeps a plan. @param kept for its list and its undo */
export function keepPlan(draft: Draft, plan: Plan, state: 'staging' | 'done', kept: object): void {
  const { id, kind, area, collection } = plan;
  draft.run(
    `INSERT INTO accession_plan (id, kind, area, collection, state, json) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, json = excluded.json`,
    [id, kind, area.id, collection, state, JSON.stringify(kept)],
  );
}

/** A plan that was carried out, with what was kept of it. */
type KeptPlan<Kept> = Kept & { readonly state: 'done' | 'undone' };

/**
 * The plans of some kinds on a curated area that were carried out, newest first.
 *
 * @param only those of a collection, or one with an id
 */
export async function keptPlans<Kept extends object>(
  reader: Pick<Reader, 'tuples'>,
  { id: area }: AreaId,
  kinds: readonly Plan['kind'][],
  only: { readonly id?: string; readonly collection?: string; readonly state?: 'done' },
  limit = 1,
): Promise<KeptPlan<Kept>[]> {
  const given = Object.entries(only);
  const conditions = given.map(([name], at) => ` AND ${name} = $${at + 2}`).join('');
  const rows = await reader.tuples<[state: 'done' | 'undone', json: string]>(
    `SELECT state, json FROM accession_plan WHERE area = $1${conditions} AND state <> 'staging'
       AND ${kindAmong(kinds)} ORDER BY id DESC LIMIT ${limit}`,
    [area, ...given.map(([, value]) => value)],
  );
  return rows.map(([state, json]) => ({ ...(JSON.parse(json) as Kept), state }));
}

/** The kinds of plans that are changes of schemas: an edit took effect without a switch. */
export const SCHEMA_CHANGES = ['switch', 'undo', 'edit'] as const;

/** The newest change of the schema of a collection. */
export async function lastSchemaChange(
  reader: Pick<Reader, 'tuples'>,
  { curated, name }: PlanSource,
): Promise<{ id: string; time: string; kind: string } | undefined> {
  const [row] = await reader.tuples<[id: string, kind: string, json: string]>(
    `SELECT id, kind, json FROM accession_plan WHERE area = $1 AND collection = $2 AND state <> 'staging'
       AND ${kindAmong(SCHEMA_CHANGES)} ORDER BY id DESC LIMIT 1`,
    [curated.area.id, name],
  );
  return row && { id: row[0], time: (JSON.parse(row[2]) as Plan).time, kind: row[1] };
}

/** The plans of some kinds with some ids, by id, whether they are undone or not. */
export async function plansWithIds<Kept>(
  { tuples, dialect }: Pick<ReadDatabase, 'tuples' | 'dialect'>,
  { id: area }: AreaId,
  kinds: readonly Plan['kind'][],
  ids: readonly string[],
): Promise<Map<string, Kept>> {
  if (ids.length === 0) return new Map();
  const rows = await tuples<[id: string, json: string]>(
    `SELECT id, json FROM accession_plan WHERE area = $1 AND ${kindAmong(kinds)} AND ${dialect.among('id', 2)}`,
    [area, ids],
  );
  return new Map(rows.map(([id, json]) => [id, JSON.parse(json) as Kept]));
}

const kindAmong = (kinds: readonly Plan['kind'][]) =>
  `kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')})`;

/** The refusal of a plan, or of its undo, whose records are not as they were read. */
export function recordsChanged(message: string): ServiceError {
  return new ServiceError('precondition_failed', message);
}
