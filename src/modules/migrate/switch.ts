/**
 * Switches a collection to another schema in one transaction: the address in the configuration and the chosen patches of
 * records in all areas. The patches are staged while the records are judged; records that change meanwhile are judged
 * again, the last ones in the transaction itself. A switch can be undone.
 */
import type { SchemaStep } from '../../core/collections/part.ts';
import { areasOf, type CollectionStores } from '../../core/collections/stores.ts';
import type { ConfiguredTerms } from '../../core/collections/terms.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Schema } from '../../core/schema/schema.ts';
import type { Draft } from '../../core/storage/database.ts';
import type { Patch } from '../../core/storage/patch.ts';
import type { Reader } from '../../core/storage/reader.ts';
import type { Actor, AreaId, RecordStore, StoredRecord } from '../../core/storage/store.ts';
import { keptPlans, newPlan, type Plan, recordsChanged, SCHEMA_CHANGES } from '../../core/work/kept-plans.ts';
import { carryOut, undoPlan } from '../../core/work/plans.ts';
import { runIfLong } from '../../core/work/pool.ts';
import { compareSchemas } from './compare-schemas.ts';
import type { Correction } from './judged.ts';
import { migratedIn, switchedIn } from './tasks.ts';

/** A schema as the configuration names it, and which state of it was meant. */
export type SchemaVersion = {
  readonly address: string;
  readonly digest: string;
  readonly vocabularies?: ConfiguredTerms;
};

export type SwitchPlan = {
  readonly id: string;
  readonly collection: string;
  readonly from: SchemaVersion;
  readonly to: SchemaVersion;
  readonly time: string;
  /** Null for a change without a switch: see `schema-edits.ts`. */
  readonly by: string | null;
  /** Patched records. */
  readonly records: number;
  /** The switch that this one undoes. */
  readonly undoes: string | null;
  readonly state: 'done' | 'undone';
};

/** The parts of other rooms that a switch works with. */
export type Switching = {
  /**
   * Gives the collection another schema in the configuration.
   *
   * @param also adds to the same transaction; may be called several times
   * @throws ServiceError `precondition_failed` if the collection was set otherwise meanwhile
   */
  configure(version: SchemaVersion, also: (draft: Draft) => Promise<void>): Promise<unknown>;
  /** Carries over what else is kept of records, in the same transaction. */
  carry(draft: Draft, step: SchemaStep): Promise<void>;
  /** The address of a schema as plans keep it, which have to do when the store was moved. */
  stored(address: string): string;
};

/** Which records that can be migrated are: all, none, or those with these pids. */
export type Chosen = boolean | ReadonlySet<string>;

type SwitchRequest = {
  readonly to: Schema;
  /** The address at which the schema is found from now on. */
  readonly address: string;
  /** The vocabularies of the collection after the switch, and before. */
  readonly vocabularies?: ConfiguredTerms;
  readonly formerVocabularies?: ConfiguredTerms;
  readonly chosen: Chosen;
  /** By the IRI of a record in whatever area, or by `<area> <IRI>`, which comes first. */
  readonly corrections?: ReadonlyMap<string, Correction>;
  /** Whether records that would not fit the schema refuse the switch. */
  readonly ifValid: boolean;
  readonly by: Actor;
};

/** Records named by a refusal. */
const MOST_NAMED = 100;
/**
 * Carries out a schema change.
 *
 * @throws ServiceError `schema_breaks_records`, `precondition_failed`, `busy`
 */
export async function switchSchema(
  stores: CollectionStores,
  { to, address, vocabularies, formerVocabularies, chosen, corrections, ifValid, by }: SwitchRequest,
  { configure, carry, stored }: Switching,
): Promise<SwitchPlan> {
  const { schema, pool } = stores;
  const plan = await newPlan('switch', stores);
  const comparison = compareSchemas(schema, to);
  const digests = { from: schema.digest, to: to.digest };
  const version = versionOf(to, address, vocabularies);
  const made = switchOf(
    plan,
    versionOf(schema, stored(schema.address), formerVocabularies),
    { ...version, address: stored(address) },
    by,
  );
  const broken: Broken = { records: [], number: 0 };
  const areaNames = new Map<number, string>();
  const patching = {
    plan,
    by,
    note: { batch: plan.id },
    below: stores.zones.path,
    async areas() {
      const named = await areasOf(stores);
      for (const { area, store } of named) areaNames.set(store.area.id, area);
      return named.map(({ store }) => store);
    },
    commit(prepare: (draft: Draft) => Promise<void>) {
      requireValid(broken);
      return configure(version, prepare);
    },
    candidates: (store: RecordStore) => store.scan({}),
    async patchOf(record: StoredRecord, area: AreaId): Promise<Patch | undefined> {
      const ofArea = corrections?.get(`${areaNames.get(area.id)} ${record.iri}`);
      const correction = ofArea ?? corrections?.get(record.iri);
      const isChosen =
        correction !== undefined || (typeof chosen === 'boolean' ? chosen : chosen.has(record.pid));
      const judging = { schema, to, comparison, record, correction, isChosen };
      const { outcome, why, after } = await runIfLong(pool, switchedIn, judging, record.json.length);
      if (after) return { before: record, after };
      if (ifValid && outcome !== 'valid' && outcome !== 'invalid_before') {
        broken.number += 1;
        if (broken.records.length < MOST_NAMED) broken.records.push({ pid: record.pid, why });
      }
      return undefined;
    },
  };
  const migrate: SchemaStep['migrate'] = async (content, pid) => {
    const record = { ...content, pid };
    return runIfLong(pool, migratedIn, { schema, to, comparison, record }, record.json.length);
  };
  return carryOut(stores.database, patching, async (draft, patch) => {
    const records = await patch();
    requireValid(broken);
    await carry(draft, { digests, migrate });
    return { ...made, records };
  });
}

/** Records that do not fit the new schema: the first of them with a reason, and how many there are. */
type Broken = {
  readonly records: { readonly pid: string; readonly why: string | undefined }[];
  number: number;
};

function requireValid({ records, number }: Broken): void {
  if (number > 0) throw schemaBreaksRecords(records, number);
}

/** The refusal of a schema that records do not fit. @param records the first of them */
export function schemaBreaksRecords(records: Broken['records'], number = records.length): ServiceError {
  const problems = records.slice(0, MOST_NAMED).map(({ pid, why }) => ({
    type: 'schema_breaks_records',
    loc: [pid],
    msg: `The record '${pid}' does not fit the new schema${why ? `: ${why}` : '.'}`,
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
  const find = async (reader: Reader) => {
    const [found] = await keptPlans<SwitchPlan>(reader, curated.area, ['switch', 'edit'], {
      id,
      collection: name,
    });
    if (!found) throw switchUnknown(name, id);
    if (found.state !== 'done') throw recordsChanged(`The schema change '${id}' is ${found.state} already.`);
    return found;
  };
  const former = await find(database);
  if (schema.digest !== former.to.digest) throw recordsChanged('The collection has another schema by now.');
  if (!(await isThere(former.from)))
    throw recordsChanged(`The former schema is no longer found at ${former.from.address}.`);
  const plan = await newPlan('undo', stores);
  const made = {
    ...switchOf(plan, former.to, former.from, by),
    records: former.records,
    undoes: id,
  };
  await undoPlan(database, id, {
    plan,
    by,
    find,
    note: { batch: plan.id },
    areas: async () => (await areasOf(stores)).map(({ store }) => store),
    commit: (prepare) => configure(former.from, prepare),
    async prepare(draft) {
      await carry(draft, { digests: { from: former.to.digest, to: former.from.digest } });
      return made;
    },
  });
  return made;
}

function switchUnknown(name: string, id: string): ServiceError {
  const message = `The collection '${name}' has no schema change '${id}' that can be undone. An undo cannot: switch to the schema again.`;
  return new ServiceError('switch_unknown', message);
}

function switchOf(
  { id, collection, time }: Plan,
  from: SchemaVersion,
  to: SchemaVersion,
  by: Actor,
): SwitchPlan {
  return { id, collection, from, to, time, by: by.author, records: 0, undoes: null, state: 'done' };
}

function versionOf({ digest }: Schema, address: string, vocabularies: ConfiguredTerms): SchemaVersion {
  return { address, digest, ...(vocabularies && { vocabularies }) };
}

/** The switches of a collection, newest first. */
export async function listSwitches(
  { database, curated, name }: CollectionStores,
  limit: number,
): Promise<SwitchPlan[]> {
  return keptPlans(database, curated.area, SCHEMA_CHANGES, { collection: name }, limit);
}
