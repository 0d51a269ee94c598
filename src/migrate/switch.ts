/**
 * Switches a collection to another schema in one step: the address in the configuration and the chosen patches of records.
 *
 * If records and configuration are in one database, all of it is one transaction: other instances see it entirely or not
 * at all. Otherwise, the patches of the curated area and the plan of the switch are written in one transaction; then the
 * configuration is changed, which is the point of no return; then the patches of zones are written and the plan is marked
 * as carried out. A plan that a crash has left pending is carried out at the next start if the configuration was changed,
 * else it is undone. The plan is kept, so that a steward can undo it.
 */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { canonicalJson } from '../json.ts';
import { recordText } from '../records/record.ts';
import type { Actor, JointPart, LedgerChange, RecordStore } from '../storage/store.ts';
import { areaNamed, areasOf, SERVICE, type Stewarded } from './areas.ts';
import { compareSchemas } from './compare-schemas.ts';
import {
  changed,
  changesOf,
  inverse,
  type Patch,
  patchesOf,
  patchRows,
  patchText,
  rowsOf,
  sameText,
  type Text,
} from './patches.ts';
import { type RehearsalOf, rehearse } from './rehearsals.ts';
import { rehearseRecord } from './rehearse.ts';

/** A schema as the configuration names it, and which state of it was meant. */
export type SchemaVersion = { readonly address: string; readonly digest: string };

/** What is kept of a switch. */
export type SwitchPlan = {
  readonly id: string;
  readonly collection: string;
  readonly from: SchemaVersion;
  readonly to: SchemaVersion;
  readonly time: string;
  readonly by: string;
  /** Patched records. */
  readonly records: number;
  /** The switch that this one undoes. */
  readonly undoes: string | null;
  readonly state: 'pending' | 'done' | 'undone';
  /** The process that carries it out. */
  readonly owner: string;
};

/** How the configuration gets the address of the schema. */
export type Configuring = {
  /** The database of the configuration, if areas can be changed in one transaction with it. */
  readonly database: object | undefined;
  /** @throws ServiceError `precondition_failed` if the collection was set otherwise meanwhile */
  apply(address: string, together: readonly JointPart[]): Promise<void>;
};

/** A record as it is mended for another schema; undefined if it stays as it is. */
export type Mend = (
  content: Pick<Text, 'className' | 'json'>,
  pid: string,
) => Pick<Text, 'className' | 'json'> | undefined;

/**
 * What other rooms keep of records and carry over to another schema, in the transaction of the curated area.
 *
 * @param mend absent if a change is taken back
 */
export type Carry = (
  digests: { readonly from: string; readonly to: string },
  mend?: Mend,
) => Promise<LedgerChange[]>;

const PLAN = 'switch';

/** Distinguishes the plans of this process from those that another one has left. */
const OWNER = randomUUID();

/** Which mendable records are patched: all, none, or those with these pids. */
export type Chosen = boolean | ReadonlySet<string>;

/**
 * The patches that a switch would make.
 *
 * @throws ServiceError `schema_breaks_records` if `ifValid` and records would not fit the new schema afterwards
 */
async function patchesFor(of: RehearsalOf, chosen: Chosen, ifValid: boolean): Promise<Patch[]> {
  const comparison = compareSchemas(of.stewarded.schema, of.to);
  const patches: Patch[] = [];
  const broken: string[] = [];
  for await (const { area, outcome, mended, stored } of rehearse(of, comparison)) {
    const isChosen = typeof chosen === 'boolean' ? chosen : chosen.has(stored.pid);
    if (mended && isChosen)
      patches.push({ area, before: patchText(stored), after: recordText(of.to, mended) });
    else if (outcome !== 'valid' && outcome !== 'invalid_before') broken.push(stored.pid);
  }
  if (ifValid && broken.length > 0) throw schemaBreaksRecords(broken);
  return patches;
}

/** The refusal of a schema that records do not fit. @param pids the first of them */
export function schemaBreaksRecords(pids: readonly string[], number = pids.length): ServiceError {
  const problems = pids.slice(0, 100).map((pid) => ({
    type: 'schema_breaks_records',
    loc: [pid],
    msg: `The record '${pid}' does not fit the new schema.`,
  }));
  const fit = number === 1 ? '1 record would not fit it' : `${number} records would not fit it`;
  return new ServiceError('schema_breaks_records', `The schema is not changed: ${fit}.`, problems);
}

/**
 * Carries out a rehearsed change.
 *
 * @param to the address at which the new schema is found from now on
 * @throws ServiceError `schema_breaks_records`, `precondition_failed` if a record has changed meanwhile
 */
export async function switchSchema(
  of: RehearsalOf,
  { to, chosen, ifValid, by }: { to: string; chosen: Chosen; ifValid: boolean; by: Actor },
  configuring: Configuring,
  carry: Carry,
): Promise<SwitchPlan> {
  const { name, schema } = of.stewarded;
  const patches = await patchesFor(of, chosen, ifValid);
  const plan = planOf(
    name,
    { address: schema.address, digest: schema.digest },
    { address: to, digest: of.to.digest },
    {
      by: by.author,
      records: patches.length,
      undoes: null,
    },
  );
  const comparison = compareSchemas(schema, of.to);
  const mend: Mend = (content, pid) => {
    const { mended } = rehearseRecord({ ...content, pid }, schema, of.to, comparison);
    return mended && { className: mended.className, json: canonicalJson(mended.record) };
  };
  const carried = await carry({ from: schema.digest, to: of.to.digest }, mend);
  await carryOut(of.stewarded, plan, { patches, carried }, by, configuring);
  return { ...plan, state: 'done' };
}

/**
 * Takes a switch back: the former schema, and the patched records as they were.
 *
 * @param isThere whether the former schema is still found at its address
 * @throws ServiceError `switch_unknown`, `precondition_failed` if a record, or the schema, has changed since
 */
export async function undoSwitch(
  stewarded: Stewarded,
  id: string,
  by: Actor,
  isThere: (version: SchemaVersion) => Promise<boolean>,
  configuring: Configuring,
  carry: Carry,
): Promise<SwitchPlan> {
  const row = await stewarded.curated.ledger.get(PLAN, id);
  const former = row && (JSON.parse(row.json) as SwitchPlan);
  if (former?.collection !== stewarded.name || former.undoes !== null)
    throw new ServiceError('switch_unknown', `There is no schema change '${id}' in '${stewarded.name}'.`);
  if (former.state !== 'done') throw changed(`The schema change '${id}' is ${former.state} already.`);
  if (stewarded.schema.digest !== former.to.digest)
    throw changed('The collection has another schema by now.');
  if (!(await isThere(former.from)))
    throw changed(`The former schema is no longer found at ${former.from.address}.`);
  const patches = (await patchesOf(stewarded.curated, id)).map(inverse);
  const plan = planOf(stewarded.name, former.to, former.from, {
    by: by.author,
    records: patches.length,
    undoes: id,
  });
  const carried = await carry({ from: former.to.digest, to: former.from.digest });
  await carryOut(stewarded, plan, { patches, carried }, by, configuring);
  return { ...plan, state: 'done' };
}

function planOf(
  collection: string,
  from: SchemaVersion,
  to: SchemaVersion,
  rest: Pick<SwitchPlan, 'by' | 'records' | 'undoes'>,
): SwitchPlan {
  const time = new Date().toISOString();
  return {
    ...{ id: `${time}-${randomUUID().slice(0, 8)}`, collection, from, to, time },
    ...rest,
    ...{ state: 'pending', owner: OWNER },
  };
}

async function carryOut(
  stewarded: Stewarded,
  plan: SwitchPlan,
  { patches, carried }: { readonly patches: readonly Patch[]; readonly carried: readonly LedgerChange[] },
  by: Actor,
  configuring: Configuring,
): Promise<void> {
  const { curated } = stewarded;
  if (await isWhole(stewarded, patches, configuring.database)) {
    await carryOutWhole(stewarded, plan, { patches, carried }, by, configuring);
    return;
  }
  for await (const { store } of areasOf(stewarded))
    await store.allowSchemas?.([plan.from.address, plan.to.address]);
  const ours = patches.filter(({ area }) => area === 'curated');
  const rows = rowsOf(plan.id, patches);
  await curated.write(await changesOf(curated, ours, plan.id), by, [...rows, ...carried, planRow(plan)]);
  try {
    await configuring.apply(plan.to.address, []);
  } catch (error) {
    await takeBack(curated, plan);
    throw error;
  }
  await finish(stewarded, plan, by);
}

/** Whether all that is changed is in one database with the configuration. */
async function isWhole(
  stewarded: Stewarded,
  patches: readonly Patch[],
  database: object | undefined,
): Promise<boolean> {
  if (database === undefined) return false;
  for (const area of new Set(['curated', ...patches.map((patch) => patch.area)]))
    if ((await areaNamed(stewarded, area)).joint?.database !== database) return false;
  return true;
}

/** How often a switch is repeated because a submitter has changed one of its records. */
const WHOLE_ATTEMPTS = 5;

/** Everything in one transaction: other instances see all of it or nothing, and a crash leaves nothing pending. */
async function carryOutWhole(
  stewarded: Stewarded,
  plan: SwitchPlan,
  { patches, carried }: { readonly patches: readonly Patch[]; readonly carried: readonly LedgerChange[] },
  by: Actor,
  configuring: Configuring,
): Promise<void> {
  const rows = [...rowsOf(plan.id, patches), ...carried, ...(await doneRows(stewarded.curated, plan))];
  const byArea = Map.groupBy(patches, ({ area }) => area);
  for (let attempt = 1; ; attempt++) {
    const parts: JointPart[] = [];
    for (const area of new Set(['curated', ...byArea.keys()])) {
      const store = await areaNamed(stewarded, area);
      const ofArea = byArea.get(area) ?? [];
      const isCurated = area === 'curated';
      const open = isCurated ? ofArea : await openPatches(store, ofArea);
      const changes = await changesOf(store, open, plan.id);
      parts.push(store.joint!.part({ changes, by, ledger: isCurated ? rows : [] }));
    }
    try {
      return await configuring.apply(plan.to.address, parts);
    } catch (error) {
      const isRace = error instanceof ServiceError && error.code === 'precondition_failed';
      if (!isRace || attempt === WHOLE_ATTEMPTS) throw error;
    }
  }
}

/** The patches of records that are still as they were: a submitter may have replaced or withdrawn others meanwhile. */
async function openPatches(store: RecordStore, patches: readonly Patch[]): Promise<Patch[]> {
  const open: Patch[] = [];
  for (const patch of patches) if (await isThere(store, patch.before)) open.push(patch);
  return open;
}

/** The plan as it is carried out, and the one that it undoes. */
async function doneRows(curated: RecordStore, plan: SwitchPlan): Promise<LedgerChange[]> {
  const rows = [planRow({ ...plan, state: 'done' })];
  const undone = plan.undoes === null ? undefined : await curated.ledger.get(PLAN, plan.undoes);
  if (undone) rows.push(planRow({ ...(JSON.parse(undone.json) as SwitchPlan), state: 'undone' }));
  return rows;
}

function planRow(plan: SwitchPlan): LedgerChange {
  const keys = [plan.collection, `${plan.state}\n${plan.collection}`];
  return { set: { kind: PLAN, id: plan.id, keys, json: JSON.stringify(plan) } };
}

/** After the point of no return: patches of zones, then the mark. Done again, it does nothing. */
async function finish(stewarded: Stewarded, plan: SwitchPlan, by: Actor): Promise<void> {
  const { curated } = stewarded;
  for await (const { store } of areasOf(stewarded)) await store.useSchema?.(plan.to.address);
  const patches = (await patchesOf(curated, plan.id)).filter(({ area }) => area !== 'curated');
  for (const area of new Set(patches.map((patch) => patch.area))) {
    const store = await areaNamed(stewarded, area);
    const ofArea = patches.filter((patch) => patch.area === area);
    const open = await openPatches(store, ofArea);
    if (open.length > 0) await store.write(await changesOf(store, open, plan.id), by);
  }
  await curated.write([], SERVICE, await doneRows(curated, plan));
}

async function isThere(store: RecordStore, text: Text | null): Promise<boolean> {
  const record = text === null ? undefined : await store.get(text.iri);
  return record !== undefined && text !== null && sameText(record, text);
}

/** Before the point of no return: the curated records as they were, and no trace of the plan. */
async function takeBack(curated: RecordStore, plan: SwitchPlan): Promise<void> {
  const patches = await patchesOf(curated, plan.id);
  const back: Patch[] = [];
  for (const patch of patches)
    if (patch.area === 'curated' && (await isThere(curated, patch.after))) back.push(inverse(patch));
  const rows = await patchRows(curated, plan.id);
  const removed = rows.map(({ kind, id }): LedgerChange => ({ remove: { kind, id } }));
  await curated.write(await changesOf(curated, back, plan.id), SERVICE, [
    ...removed,
    { remove: { kind: PLAN, id: plan.id } },
  ]);
}

/** Settles what a crash has left of switches. To be called when the collection is opened, before it is served. */
export async function settleSwitches(stewarded: Stewarded): Promise<void> {
  const { curated, name, schema } = stewarded;
  const rows = await curated.ledger.list({ kind: PLAN, keys: [`pending\n${name}`], limit: 100 });
  for (const { json } of rows) {
    const plan = JSON.parse(json) as SwitchPlan;
    if (plan.owner === OWNER) continue;
    if (schema.address === plan.to.address) await finish(stewarded, plan, SERVICE);
    else await takeBack(curated, plan);
  }
}

/** The switches of a collection, newest first. */
export async function listSwitches({ curated, name }: Stewarded, limit: number): Promise<SwitchPlan[]> {
  const rows = await curated.ledger.list({ kind: PLAN, keys: [name], newestFirst: true, limit });
  return rows.map(({ json }) => JSON.parse(json) as SwitchPlan);
}
