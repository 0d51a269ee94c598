/**
 * Switches a collection to another schema in one transaction: the address in the configuration and the chosen patches of
 * records in all areas. The patches are staged while the records are judged; records that change meanwhile are judged
 * again, the last ones in the transaction itself. A switch can be undone.
 */

import {
  changed,
  changedRecords,
  discardPatches,
  inversePatches,
  keepPlan,
  MOST_DIRECT,
  newPlan,
  type Plan,
  Staging,
} from '../curate/plans.ts';
import { areasOf, type CollectionStores } from '../curate/stores.ts';
import { ServiceError } from '../errors.ts';
import { slices } from '../jobs/turns.ts';
import { canonicalJson } from '../json.ts';
import { recordText } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { Draft } from '../storage/database.ts';
import { type Patch, stagePatches, unstagePatch } from '../storage/staged.ts';
import type { Actor, AreaId, StoredRecord } from '../storage/store.ts';
import { compareSchemas } from './compare-schemas.ts';
import { judgeRecord } from './judge.ts';

/** A schema as the configuration names it, and which state of it was meant. */
export type SchemaVersion = { readonly address: string; readonly digest: string };

/** A switch in a response. */
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
  readonly state: 'done' | 'undone';
};

/** The text of a record in another version of the schema. */
export type Migrate = (
  content: { readonly className: string; readonly json: string },
  pid: string,
) => { readonly className: string; readonly json: string } | undefined;

/** What a switch needs of other rooms. */
export type Switching = {
  /**
   * Gives the collection another schema in the configuration.
   *
   * @param also adds to the same transaction; may be called several times
   * @throws ServiceError `precondition_failed` if the collection was set otherwise meanwhile
   */
  configure(address: string, also: (draft: Draft) => Promise<void>): Promise<unknown>;
  /**
   * Carries over what else is kept of records, in the same transaction.
   *
   * @param migrate absent if a switch is undone
   */
  carry(
    draft: Draft,
    digests: { readonly from: string; readonly to: string },
    migrate?: Migrate,
  ): Promise<void>;
};

/** Which records that can be migrated are: all, none, or those with these pids. */
export type Chosen = boolean | ReadonlySet<string>;

export type SwitchRequest = {
  readonly to: Schema;
  /** The address at which the schema is found from now on. */
  readonly address: string;
  readonly chosen: Chosen;
  /** Whether records that would not fit the schema refuse the switch. */
  readonly ifValid: boolean;
  readonly by: Actor;
};

/** Records named by a refusal. */
const MOST_NAMED = 100;
/** How often the rest is staged again because many records have changed meanwhile. */
const SWITCH_ATTEMPTS = 20;

/** More records have changed since they were judged than one transaction judges. */
class Behind extends Error {}

/**
 * Carries out a schema change.
 *
 * @throws ServiceError `schema_breaks_records`, `precondition_failed`, `busy`
 */
export async function switchSchema(
  stores: CollectionStores,
  request: SwitchRequest,
  { configure, carry }: Switching,
): Promise<SwitchPlan> {
  const { database, schema } = stores;
  const { to, address, by } = request;
  const plan = newPlan('switch', stores);
  const patches = new SwitchPatches(stores, plan, request);
  const digests = { from: schema.digest, to: to.digest };
  const made = switchOf(plan, schema, { address, digest: to.digest }, by);
  try {
    for (let attempt = 1; attempt <= SWITCH_ATTEMPTS; attempt++) {
      await patches.stage();
      let records = 0;
      try {
        await configure(address, async (draft) => {
          records = await patches.addTo(draft);
          await carry(draft, digests, (content, pid) => patches.migrate(content, pid));
          keepPlan(draft, plan, 'done', { ...made, records });
        });
        return { ...made, records };
      } catch (error) {
        if (!(error instanceof Behind)) throw error;
      }
    }
    throw new ServiceError('busy', 'Records are changed all the time, faster than they are judged. Try again.');
  } catch (error) {
    await discardPatches(database, plan.id);
    throw error;
  }
}

/** The patches of a switch. */
class SwitchPatches {
  readonly #stores: CollectionStores;
  readonly #plan: Plan;
  readonly #request: SwitchRequest;
  readonly #comparison;
  readonly #staging: Staging;
  /** By area, the revision up to which its records are judged. */
  readonly #judged = new Map<number, number>();

  constructor(stores: CollectionStores, plan: Plan, request: SwitchRequest) {
    this.#stores = stores;
    this.#plan = plan;
    this.#request = request;
    this.#comparison = compareSchemas(stores.schema, request.to);
    this.#staging = new Staging(stores.database, plan);
  }

  /** Stages the patches of all records, or of those that have changed since the last time. */
  async stage(): Promise<void> {
    const { database } = this.#stores;
    const breathe = slices();
    const broken: string[] = [];
    let number = 0;
    const consider = async (area: AreaId, iri: string, record: StoredRecord | undefined, isNew: boolean) => {
      await breathe();
      const patch = record && this.#patchOf(record);
      if (patch === 'broken') {
        number += 1;
        if (broken.length < MOST_NAMED) broken.push(record!.pid);
      }
      if (typeof patch === 'object') await this.#staging.add(area, patch);
      else if (!isNew) await database.transact(async (draft) => unstagePatch(draft, this.#plan.id, area, iri));
    };
    for (const { store } of await areasOf(this.#stores)) {
      const { area } = store;
      const since = this.#judged.get(area.id);
      const revision = await store.revision();
      if (since === undefined)
        for await (const record of store.scan({})) await consider(area, record.iri, record, true);
      else
        for await (const page of changedRecords(database, area, since, revision))
          for (const { iri, record } of page) await consider(area, iri, record, false);
      this.#judged.set(area.id, revision);
    }
    await this.#staging.end();
    if (number > 0) throw schemaBreaksRecords(broken, number);
  }

  /**
   * Adds all patches to a transaction, with those of the records that have changed since they were staged.
   *
   * @returns the number of patched records
   * @throws Behind
   */
  async addTo(draft: Draft): Promise<number> {
    const { id } = this.#plan;
    const areas = new Map(this.#staging.areas);
    const [staged] = await draft.tuples<[number]>('SELECT count(*) FROM accession_patch WHERE plan = $1', [id]);
    let records = staged![0];
    let late = 0;
    for (const [area, since, revision] of await this.#changedAreas(draft)) {
      for await (const page of changedRecords(draft, area, since, revision)) {
        late += page.length;
        if (late > MOST_DIRECT) throw new Behind();
        records -= await stagedAmong(
          draft,
          id,
          area,
          page.map(({ iri }) => iri),
        );
        for (const { iri, record } of page) {
          const patch = record && this.#patchOf(record);
          if (patch === 'broken') throw schemaBreaksRecords([record!.pid]);
          if (patch === undefined) unstagePatch(draft, id, area, iri);
          else {
            stagePatches(draft, id, area, [patch]);
            areas.set(area.id, area);
            records += 1;
          }
        }
      }
    }
    for (const area of areas.values()) await draft.staged(area, id, this.#request.by, { note: { batch: id } });
    return records;
  }

  migrate(content: Pick<StoredRecord, 'className' | 'json'>, pid: string) {
    const { migrated } = judgeRecord({ ...content, pid }, this.#stores.schema, this.#request.to, this.#comparison);
    return migrated && { className: migrated.className, json: canonicalJson(migrated.record) };
  }

  /** The areas whose revision is not the one that they were judged at. */
  async #changedAreas(draft: Draft): Promise<[area: AreaId, since: number, revision: number][]> {
    const { path } = this.#stores.zones;
    const areas = await areasOf(this.#stores);
    const known = new Map(areas.map(({ store }) => [store.area.id, store.area]));
    const below = path === '' ? '' : 'OR path >= $2 AND path < $3';
    const rows = await draft.tuples<[id: number, revision: number]>(
      `SELECT area, revision FROM accession_area WHERE ${draft.dialect.among('area', 1, 'bigint')} ${below} ORDER BY area`,
      [[...known.keys()], ...(path === '' ? [] : [`${path}/`, `${path}0`])],
    );
    return rows.flatMap(([id, revision]) => {
      const since = this.#judged.get(id) ?? 0;
      const area = known.get(id);
      if (since === revision) return [];
      // The area was made a moment ago.
      if (!area) throw new Behind();
      return [[area, since, revision] as [AreaId, number, number]];
    });
  }

  /** What the switch does to a record: nothing, a patch, or that it must not be made. */
  #patchOf(record: StoredRecord): Patch | 'broken' | undefined {
    const { to, chosen, ifValid } = this.#request;
    const { outcome, migrated } = judgeRecord(record, this.#stores.schema, to, this.#comparison);
    if (migrated && (typeof chosen === 'boolean' ? chosen : chosen.has(record.pid))) {
      // References are read again for every schema.
      const { links: _, ...after } = recordText(to, migrated);
      return { before: record, after };
    }
    return ifValid && outcome !== 'valid' && outcome !== 'invalid_before' ? 'broken' : undefined;
  }
}

async function stagedAmong(
  draft: Draft,
  plan: string,
  { id }: AreaId,
  iris: readonly string[],
): Promise<number> {
  const [row] = await draft.tuples<[number]>(
    `SELECT count(*) FROM accession_patch WHERE plan = $1 AND area = $2 AND ${draft.dialect.among('iri', 3)}`,
    [plan, id, iris],
  );
  return row![0];
}

/** The refusal of a schema that records do not fit. @param pids the first of them */
export function schemaBreaksRecords(pids: readonly string[], number = pids.length): ServiceError {
  const problems = pids.slice(0, MOST_NAMED).map((pid) => ({
    type: 'schema_breaks_records',
    loc: [pid],
    msg: `The record '${pid}' does not fit the new schema.`,
  }));
  const fit = number === 1 ? '1 record would not fit it' : `${number} records would not fit it`;
  return new ServiceError('schema_breaks_records', `The schema is not changed: ${fit}.`, problems);
}

/**
 * Undoes a switch: the former schema, and the patched records as they were.
 *
 * @param isThere whether the former schema is still found at its address
 * @throws ServiceError `switch_unknown`, `precondition_failed` if a record, or the schema, has changed since
 */
export async function undoSwitch(
  stores: CollectionStores,
  id: string,
  by: Actor,
  isThere: (version: SchemaVersion) => Promise<boolean>,
  { configure, carry }: Switching,
): Promise<SwitchPlan> {
  const { name, database, schema, curated } = stores;
  const [row] = await database.tuples<[state: string, json: string]>(
    `SELECT state, json FROM accession_plan WHERE id = $1 AND area = $2 AND collection = $3 AND kind = 'switch'
       AND state <> 'staging'`,
    [id, curated.area.id, name],
  );
  if (!row) throw new ServiceError('switch_unknown', `There is no schema change '${id}' in '${name}'.`);
  const [state, json] = row;
  const former = JSON.parse(json) as SwitchPlan;
  if (state !== 'done') throw changed(`The schema change '${id}' is ${state} already.`);
  if (schema.digest !== former.to.digest) throw changed('The collection has another schema by now.');
  if (!(await isThere(former.from)))
    throw changed(`The former schema is no longer found at ${former.from.address}.`);
  const plan = newPlan('undo', stores);
  const staging = new Staging(database, plan);
  const made = { ...switchOf(plan, schema, former.from, by), from: former.to, records: former.records, undoes: id };
  try {
    for (const { store } of await areasOf(stores))
      for await (const page of inversePatches(database, id, store.area))
        for (const patch of page) await staging.add(store.area, patch);
    await staging.end();
    await configure(former.from.address, async (draft) => {
      for (const area of staging.areas.values()) await draft.staged(area, plan.id, by, { note: { batch: plan.id } });
      await carry(draft, { from: former.to.digest, to: former.from.digest });
      keepPlan(draft, plan, 'done', made);
      keepPlan(draft, { ...plan, id, kind: 'switch' }, 'undone', { ...former, state: 'undone' });
    });
    await discardPatches(database, id);
    return made;
  } finally {
    await discardPatches(database, plan.id);
  }
}

function switchOf(
  { id, collection, time }: Plan & { readonly time: string },
  { address, digest }: Schema,
  to: SchemaVersion,
  by: Actor,
): SwitchPlan {
  const from = { address, digest };
  return { id, collection, from, to, time, by: by.author, records: 0, undoes: null, state: 'done' };
}

/** The switches of a collection, newest first. */
export async function listSwitches(
  { database, curated, name }: CollectionStores,
  limit: number,
): Promise<SwitchPlan[]> {
  const rows = await database.tuples<[json: string]>(
    `SELECT json FROM accession_plan WHERE area = $1 AND collection = $2 AND kind IN ('switch', 'undo') AND state <> 'staging' ORDER BY id DESC LIMIT $3`,
    [curated.area.id, name, limit],
  );
  return rows.map(([json]) => JSON.parse(json) as SwitchPlan);
}
