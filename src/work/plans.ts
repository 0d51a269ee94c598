/**
 * Plans: changes of many records that can be tried out, take effect in one transaction, and can be undone. Their patches are
 * staged before it (`storage/staged.ts`), in transactions of some hundred; records that change meanwhile are looked at
 * again, the last ones in the transaction itself. What is staged for a plan that is not carried out, because the process has
 * ended, is discarded later.
 */
import { randomUUID } from 'node:crypto';
import { KEEP } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import type { Database, Draft, Reader } from '../storage/database.ts';
import { type Patch, stagePatches } from '../storage/staged.ts';
import type { Actor, AreaId, ChangeNote, RecordStore, StoredRecord } from '../storage/store.ts';
import { yielder } from '../yield.ts';

/** Rows of a page, and patches of a transaction that stages some. */
const PAGE = 200;
/** Records that the transaction of a plan looks at itself. */
const MOST_LATE = 200;
const MOST_CHARACTERS = 1_000_000;
/** How often a plan is staged again because more records have changed meanwhile. */
const PLAN_ATTEMPTS = 20;

export type Plan = {
  /** Begins with the time. */
  readonly id: string;
  readonly time: string;
  /** An undo of a switch is a switch back, which can't be undone. */
  readonly kind: 'rename' | 'merge' | 'switch' | 'undo' | 'edit';
  /** The curated area. */
  readonly area: AreaId;
  readonly collection: string;
};

type Planned = { readonly name: string; readonly curated: Pick<RecordStore, 'area'> };

export function newPlan(kind: Plan['kind'], { curated, name }: Planned): Plan {
  const time = new Date().toISOString();
  return { id: `${time}-${randomUUID().slice(0, 8)}`, time, kind, area: curated.area, collection: name };
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
export type KeptPlan<Kept> = Kept & { readonly state: 'done' | 'undone' };

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
       AND kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')}) ORDER BY id DESC LIMIT ${limit}`,
    [area, ...given.map(([, value]) => value)],
  );
  return rows.map(([state, json]) => ({ ...(JSON.parse(json) as Kept), state }));
}

/** Commits a transaction that may be prepared several times: {@link Database.transact}, or with more around it. */
type Commit = (prepare: (draft: Draft) => Promise<void>) => Promise<unknown>;

/** The areas that a plan changes, as whom and with which note. */
type Changing = {
  readonly plan: Plan;
  readonly by: Actor;
  readonly note: ChangeNote;
  areas(): Promise<readonly RecordStore[]>;
  readonly commit?: Commit;
};

/** The changes that a plan makes to records. */
export type Patching = Changing & {
  /** The path below which other areas may be made meanwhile. */
  readonly below?: string;
  /** The records of an area that it may change; those that change meanwhile are looked at, too. */
  candidates(store: RecordStore): AsyncIterable<StoredRecord>;
  patchOf(record: StoredRecord): Patch | undefined;
};

/** By IRI; undefined for records that are left as they are. */
type PatchesByArea = Map<AreaId, Map<string, Patch | undefined>>;

/** The patches of all candidates in an area: the dry run of a plan. */
export async function* patchesIn(
  { candidates, patchOf }: Patching,
  store: RecordStore,
): AsyncGenerator<Patch> {
  const yieldIfDue = yielder();
  for await (const record of candidates(store)) {
    const patch = patchOf(record);
    if (patch) yield patch;
    await yieldIfDue();
  }
}

/** More records have changed since they were staged than one transaction looks at. */
class Behind extends Error {}

/**
 * Carries out a plan.
 *
 * @param prepare adds what else the plan changes, and returns what is kept of it. It has to call `patch`, with further
 *   patches of curated records that it has read, and gets the number of all
 * @throws ServiceError `busy`, and what `commit` and `prepare` throw: then nothing of it is left
 */
export async function carryOut<Kept extends object>(
  database: Database,
  patching: Patching,
  prepare: (draft: Draft, patch: (own?: readonly Patch[]) => Promise<number>) => Promise<Kept>,
): Promise<Kept> {
  const { plan, areas, patchOf, commit = database.transact } = patching;
  const staging = new Staging(database, plan);
  /** By area, the revision up to which its records were looked at. */
  const seen = new Map<number, number>();
  let kept: Kept | undefined;
  try {
    for (let attempt = 1; attempt <= PLAN_ATTEMPTS; attempt++) {
      for (const store of await areas()) {
        const { area } = store;
        const revision = await store.revision();
        const since = seen.get(area.id);
        if (since === undefined)
          for await (const patch of patchesIn(patching, store)) await staging.add(area, patch);
        else
          for await (const page of changedRecords(database, area, since, revision))
            for (const { iri, record } of page) await staging.add(area, record && patchOf(record), iri);
        seen.set(area.id, revision);
      }
      await staging.end();
      try {
        await commit(async (draft) => {
          kept = await prepare(draft, (own) => addPatches(draft, patching, staging, seen, own));
          keepPlan(draft, plan, 'done', kept);
        });
        return kept!;
      } catch (error) {
        if (!(error instanceof Behind)) throw error;
      }
    }
    throw new ServiceError('busy', 'Too many records are changed at the same time. Try again.');
  } catch (error) {
    await discardNowOrLater(database, plan.id);
    throw error;
  }
}

/** Adds all patches to a transaction, with those of the records that have changed since they were staged. */
async function addPatches(
  draft: Draft,
  patching: Patching,
  staging: Staging,
  seen: ReadonlyMap<number, number>,
  own: readonly Patch[] = [],
): Promise<number> {
  const { plan, patchOf } = patching;
  const late: PatchesByArea = new Map();
  let looked = 0;
  for (const [area, since, revision] of await changedAreas(draft, patching, seen))
    for await (const page of changedRecords(draft, area, since, revision)) {
      looked += page.length;
      if (looked > MOST_LATE) throw new Behind();
      for (const { iri, record } of page) put(late, area, iri, record && patchOf(record));
    }
  for (const patch of own) put(late, plan.area, iriOf(patch), patch);
  const counted = 'SELECT count(*) FROM accession_patch WHERE plan = $1';
  let [[records]] = (await draft.tuples<[number]>(counted, [plan.id])) as [[number]];
  for (const [{ id }, patches] of late) {
    const replaced = `${counted} AND area = $2 AND ${draft.dialect.among('iri', 3)}`;
    const [[n]] = (await draft.tuples(replaced, [plan.id, id, [...patches.keys()]])) as [[number]];
    records += [...patches.values()].filter((patch) => patch).length - n;
  }
  await addStaged(draft, patching, staging, late);
  return records;
}

/** The areas whose revision is not the one up to which they were looked at. */
async function changedAreas(
  draft: Draft,
  { areas, below }: Patching,
  seen: ReadonlyMap<number, number>,
): Promise<[area: AreaId, since: number, revision: number][]> {
  const known = new Map((await areas()).map(({ area }) => [area.id, area]));
  const others = below ? 'OR path >= $2 AND path < $3' : '';
  const rows = await draft.tuples<[id: number, revision: number]>(
    `SELECT area, revision FROM accession_area WHERE ${draft.dialect.among('area', 1, 'bigint')} ${others} ORDER BY area`,
    [[...known.keys()], ...(below ? [`${below}/`, `${below}0`] : [])],
  );
  return rows.flatMap(([id, revision]): [AreaId, number, number][] => {
    const since = seen.get(id) ?? 0;
    const area = known.get(id);
    if (since === revision) return [];
    // The area was made a moment ago.
    if (!area) throw new Behind();
    return [[area, since, revision]];
  });
}

/** Stages patches in transactions of a few hundred. */
class Staging {
  /** The areas that have patches. */
  readonly areas = new Set<AreaId>();
  readonly #database: Database;
  readonly #plan: Plan;
  /** A record that has changed meanwhile may come twice, and without a patch then. */
  readonly #waiting: PatchesByArea = new Map();
  #records = 0;
  #characters = 0;

  constructor(database: Database, plan: Plan) {
    this.#database = database;
    this.#plan = plan;
  }

  async add(area: AreaId, patch: Patch | undefined, iri = iriOf(patch!)): Promise<void> {
    put(this.#waiting, area, iri, patch);
    this.areas.add(area);
    this.#records += 1;
    this.#characters += patch?.after?.json.length ?? 0;
    if (this.#records >= PAGE || this.#characters >= MOST_CHARACTERS) await this.end();
  }

  /** Stages what waits. */
  async end(): Promise<void> {
    if (this.#records === 0) return;
    await this.#database.transact(async (draft) => {
      keepPlan(draft, this.#plan, 'staging', {});
      for (const [area, patches] of this.#waiting) stagePatches(draft, this.#plan.id, area, patches);
    });
    this.#waiting.clear();
    this.#records = 0;
    this.#characters = 0;
  }
}

/**
 * Adds what is staged to a transaction. Of curated records, companions see the changes; what they keep of zones is made again
 * for another schema.
 */
async function addStaged(
  draft: Draft,
  { plan, by, note }: Changing,
  { areas }: Staging,
  late: PatchesByArea = new Map(),
): Promise<void> {
  for (const area of new Set([...areas, ...late.keys()]))
    await draft.staged(area, plan.id, {
      by,
      note,
      companions: area.id === plan.area.id,
      late: late.get(area),
    });
}

function put(patches: PatchesByArea, area: AreaId, iri: string, patch: Patch | undefined): void {
  patches.set(area, (patches.get(area) ?? new Map<string, Patch | undefined>()).set(iri, patch));
}

function iriOf({ before, after }: Patch): string {
  return (before ?? after)!.iri;
}

/** How a plan is undone. */
type Undoing = Changing & {
  /** The plan, if it can be undone; throws if it was undone meanwhile. */
  find(reader: Reader): Promise<object>;
  /** Adds what else is undone. @returns what is kept of the undo as a plan of its own, if it is one */
  prepare(draft: Draft): Promise<object | undefined>;
  /** Adds to a patch what only its room knows. */
  complete?(patch: Patch): Patch;
};

/**
 * Undoes a plan: stages the patches that take its own back, then makes them in one transaction.
 *
 * @throws ServiceError `precondition_failed` if one of the records is not as the plan has made it
 */
export async function undoPlan(database: Database, id: string, undoing: Undoing): Promise<void> {
  const { plan, areas, find, prepare, commit = database.transact, complete } = undoing;
  const staging = new Staging(database, plan);
  try {
    for (const { area } of await areas())
      for await (const page of inversePatches(database, id, area))
        for (const patch of page) await staging.add(area, complete?.(patch) ?? patch);
    await staging.end();
    await commit(async (draft) => {
      await find(draft);
      const kept = await prepare(draft);
      await addStaged(draft, undoing, staging);
      draft.run("UPDATE accession_plan SET state = 'undone' WHERE id = $1", [id]);
      if (kept) keepPlan(draft, plan, 'done', kept);
    });
  } catch (error) {
    // Another undo, and not a change of the records, may have been faster. Of other errors, this one may have been made.
    if (error instanceof ServiceError && error.code === 'precondition_failed') await find(database);
    throw error;
  } finally {
    await discardNowOrLater(database, plan.id);
  }
  await discardNowOrLater(database, id);
}

type MadeRow = {
  readonly iri: string;
  readonly revision: number | null;
  readonly pid: string;
  readonly class_name: string;
  readonly new_iri: string | null;
  readonly new_pid: string;
  readonly new_class: string;
  readonly made: number;
  /** The revisions of the records under both IRIs now. */
  readonly at_iri: number | null;
  readonly at_new: number | null;
  /** 1 if the record under the new IRI is as the plan has made it: not changed, or changed and changed back. */
  readonly as_made: number;
  /** The text before. */
  readonly former: string | null;
};

/** The patches that take those of a plan back, in an area, a page at a time. */
async function* inversePatches(
  reader: Pick<Reader, 'read'>,
  plan: string,
  area: AreaId,
): AsyncGenerator<Patch[]> {
  for (let after = ''; ; ) {
    const rows = await reader.read<MadeRow>(
      `SELECT p.iri, p.revision, p.pid, p.class_name, p.new_iri, p.new_pid, p.new_class, p.made,
         o.revision AS at_iri, n.revision AS at_new, e.former,
         CASE WHEN n.revision = p.made OR n.json = (
           SELECT next.former FROM accession_entry next
           WHERE next.area = p.area AND next.iri = p.new_iri AND next.revision > p.made
           ORDER BY next.revision LIMIT 1) THEN 1 ELSE 0 END AS as_made
       FROM accession_patch p
       LEFT JOIN accession_record o ON o.area = p.area AND o.iri = p.iri
       LEFT JOIN accession_record n ON n.area = p.area AND n.iri = p.new_iri
       LEFT JOIN accession_entry e ON e.area = p.area
         AND e.revision = CASE WHEN p.new_iri <> p.iri THEN p.made - 1 ELSE p.made END
       WHERE p.plan = $1 AND p.area = $2 AND p.iri > $3 ORDER BY p.iri LIMIT ${PAGE}`,
      [plan, area.id, after],
    );
    yield rows.map(inverseOf);
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.iri;
  }
}

function inverseOf(row: MadeRow): Patch {
  if (row.new_iri !== null && !row.as_made)
    throw changed(`The record '${row.new_pid}' has changed meanwhile.`);
  if (row.new_iri !== row.iri && row.at_iri !== null) throw changed(`There is a record '${row.pid}' again.`);
  if (row.revision !== null && row.former === null)
    throw changed(`The entry with the former text of the record '${row.pid}' was removed.`);
  const key = { iri: row.iri, pid: row.pid, className: row.class_name };
  return {
    before:
      row.new_iri === null
        ? null
        : { iri: row.new_iri, pid: row.new_pid, className: row.new_class, revision: row.at_new! },
    after: row.revision === null ? null : { ...key, json: row.former! },
  };
}

export function changed(message: string): ServiceError {
  return new ServiceError('precondition_failed', message);
}

/** The records of an area that were changed after a revision, up to another one; undefined for those that are gone. */
async function* changedRecords(
  reader: Pick<Database, 'tuples' | 'read' | 'dialect'>,
  { id }: AreaId,
  after: number,
  upTo: number,
): AsyncGenerator<{ readonly iri: string; readonly record: StoredRecord | undefined }[]> {
  while (after < upTo) {
    const entries = await reader.tuples<[revision: number, iri: string]>(
      `SELECT revision, iri FROM accession_entry WHERE area = $1 AND revision > $2 AND revision <= $3
       ORDER BY revision LIMIT ${PAGE}`,
      [id, after, upTo],
    );
    if (entries.length === 0) return;
    const iris = [...new Set(entries.map(([, iri]) => iri))];
    const records = await reader.read<StoredRecord>(
      `SELECT iri, pid, class_name AS "className", json, revision FROM accession_record
       WHERE area = $1 AND ${reader.dialect.among('iri', 2)} ORDER BY iri`,
      [id, iris],
    );
    const byIri = new Map(records.map((record) => [record.iri, record]));
    yield iris.map((iri) => ({ iri, record: byIri.get(iri) }));
    after = entries.at(-1)![0];
  }
}

/** Hides neither that a plan was made nor why it was not: what is left is discarded at the next start. */
const discardNowOrLater = (database: Database, plan: string) =>
  discardPatches(database, plan).catch(() => {});

/** Removes the patches of a plan, in transactions of some hundred, and the plan if it was never carried out. */
async function discardPatches(database: Database, plan: string): Promise<void> {
  for (;;) {
    const [last] = await database.tuples<[area: number, iri: string]>(
      `SELECT area, iri FROM (
         SELECT area, iri FROM accession_patch WHERE plan = $1 ORDER BY area, iri LIMIT 1000
       ) p ORDER BY area DESC, iri DESC LIMIT 1`,
      [plan],
    );
    if (!last) break;
    await database.transact(async (draft) =>
      draft.run('DELETE FROM accession_patch WHERE plan = $1 AND (area, iri) <= ($2, $3)', [plan, ...last]),
    );
  }
  await database.transact(async (draft) =>
    draft.run("DELETE FROM accession_plan WHERE id = $1 AND state = 'staging'", [plan]),
  );
}

/** Discards what processes have left that ended while they staged a plan, or after an undo. */
export async function discardAbandoned({
  database,
  curated,
}: Pick<Planned, 'curated'> & { readonly database: Database }): Promise<void> {
  const before = new Date(Date.now() - KEEP.plan).toISOString();
  const plans = await database.tuples<[id: string]>(
    `SELECT id FROM accession_plan p WHERE area = $1
       AND (state = 'undone' OR kind = 'undo' AND state = 'done' OR state = 'staging' AND id < $2)
       AND (state = 'staging' OR EXISTS (SELECT 1 FROM accession_patch c WHERE c.plan = p.id))`,
    [curated.area.id, before],
  );
  for (const [id] of plans) await discardPatches(database, id);
}
