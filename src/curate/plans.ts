/**
 * Plans: changes of many records that take effect in one transaction and can be undone. Their patches are staged before it
 * (`storage/staged.ts`), in transactions of some hundred; records that change meanwhile are looked at again, the last ones
 * in the transaction itself. What is staged for a plan that is not carried out, because the process has ended, is discarded
 * later.
 */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Database, Draft, Reader } from '../storage/database.ts';
import { changesOf, type Patch, stagePatches, unstagePatch } from '../storage/staged.ts';
import type { Actor, AreaId, ChangeNote, RecordStore, StoredRecord } from '../storage/store.ts';
import { slices } from '../work/turns.ts';
import type { CollectionStores } from './stores.ts';

/** Rows of a page, and patches of a transaction that stages some. */
const PAGE = 200;
/** Records that the transaction of a plan looks at itself. */
const MOST_LATE = 200;
const MOST_CHARACTERS = 1_000_000;
/** How often a plan is staged again because more records have changed meanwhile. */
const PLAN_ATTEMPTS = 20;
/** A plan that was not carried out after so many milliseconds is not going to be. */
const ABANDONED_MS = 6 * 3_600_000;

export type Plan = {
  /** Begins with the time. */
  readonly id: string;
  readonly time: string;
  /** An undo of a switch is a switch back, which can't be undone. */
  readonly kind: 'rename' | 'merge' | 'switch' | 'undo';
  /** The curated area. */
  readonly area: AreaId;
  readonly collection: string;
};

export function newPlan(kind: Plan['kind'], { curated, name }: CollectionStores): Plan {
  const time = new Date().toISOString();
  return { id: `${time}-${randomUUID().slice(0, 8)}`, time, kind, area: curated.area, collection: name };
}

/** Keeps the state of a plan. */
export function keepPlan(
  draft: Draft,
  { id, kind, area, collection }: Omit<Plan, 'time'>,
  state: 'staging' | 'done' | 'undone',
  details: object,
): void {
  draft.run(
    `INSERT INTO accession_plan (id, kind, area, collection, state, json) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, json = excluded.json`,
    [id, kind, area.id, collection, state, JSON.stringify(details)],
  );
}

/** What a plan does to records. */
export type Patching = {
  readonly plan: Plan;
  readonly by: Actor;
  readonly note: ChangeNote;
  /** The areas that it may change. */
  areas(): Promise<readonly RecordStore[]>;
  /** The path below which other areas may be made meanwhile. */
  readonly below?: string;
  /** The records of an area that it may change; those that change meanwhile are looked at, too. */
  candidates(store: RecordStore): AsyncIterable<StoredRecord>;
  patchOf(record: StoredRecord): Patch | undefined;
};

/** Commits a transaction that may be prepared several times: {@link Database.transact}, or with more around it. */
export type Commit = (prepare: (draft: Draft) => Promise<void>) => Promise<unknown>;

/** More records have changed since they were staged than one transaction looks at. */
class Behind extends Error {}

/**
 * Carries out a plan.
 *
 * @param prepare adds what else the plan changes; it has to call `patches.addTo`
 * @throws ServiceError `busy`, and what `commit` and `prepare` throw: then nothing of it is left
 */
export async function carryOut(
  database: Database,
  patching: Patching,
  commit: Commit,
  prepare: (draft: Draft, patches: Patches) => Promise<void>,
): Promise<void> {
  const patches = new Patches(database, patching);
  try {
    for (let attempt = 1; attempt <= PLAN_ATTEMPTS; attempt++) {
      await patches.stage();
      try {
        await commit((draft) => prepare(draft, patches));
        return;
      } catch (error) {
        if (!(error instanceof Behind)) throw error;
      }
    }
    throw new ServiceError('busy', 'Too many records are changed at the same time. Try again.');
  } catch (error) {
    await discardPatches(database, patching.plan.id);
    throw error;
  }
}

/** The patches of a plan. */
export class Patches {
  readonly #database: Database;
  readonly #patching: Patching;
  readonly #staging: Staging;
  /** By area, the revision up to which its records were looked at. */
  readonly #seen = new Map<number, number>();

  constructor(database: Database, patching: Patching) {
    this.#database = database;
    this.#patching = patching;
    this.#staging = new Staging(database, patching.plan);
  }

  /** Stages the patches of all candidates, or of the records that have changed since the last time. */
  async stage(): Promise<void> {
    const { plan, areas, candidates, patchOf } = this.#patching;
    const breathe = slices();
    for (const store of await areas()) {
      const { area } = store;
      const revision = await store.revision();
      const since = this.#seen.get(area.id);
      if (since === undefined)
        for await (const record of candidates(store)) {
          const patch = patchOf(record);
          if (patch) await this.#staging.add(area, patch);
          await breathe();
        }
      else
        for await (const page of changedRecords(this.#database, area, since, revision))
          for (const { iri, record } of page) {
            const patch = record && patchOf(record);
            if (patch) await this.#staging.add(area, patch);
            else await this.#database.transact(async (draft) => unstagePatch(draft, plan.id, area, iri));
          }
      this.#seen.set(area.id, revision);
    }
    await this.#staging.end();
  }

  /**
   * Adds all patches to a transaction, with those of the records that have changed since they were staged.
   *
   * @param own further ones of the first area, of records that the transaction has read
   * @returns how many there are
   */
  async addTo(draft: Draft, own: readonly Patch[] = []): Promise<number> {
    const { plan, by, note, patchOf } = this.#patching;
    const counted = 'SELECT count(*) FROM accession_patch WHERE plan = $1';
    let records = (await draft.tuples<[number]>(counted, [plan.id]))[0]![0] + own.length;
    const late: [AreaId, Patch[]][] = own.length > 0 ? [[plan.area, [...own]]] : [];
    let seen = 0;
    for (const [area, since, revision] of await this.#changedAreas(draft)) {
      for await (const page of changedRecords(draft, area, since, revision)) {
        seen += page.length;
        if (seen > MOST_LATE) throw new Behind();
        const iris = page.map(({ iri }) => iri);
        const staged = await draft.tuples<[iri: string]>(
          `SELECT iri FROM accession_patch WHERE plan = $1 AND area = $2 AND ${draft.dialect.among('iri', 3)}`,
          [plan.id, area.id, iris],
        );
        for (const [iri] of staged) unstagePatch(draft, plan.id, area, iri);
        const patches = page.flatMap(({ record }) => (record && patchOf(record)) ?? []);
        records += patches.length - staged.length;
        if (patches.length > 0) late.push([area, patches]);
      }
    }
    await addStaged(draft, this.#staging, this.#patching);
    for (const [area, patches] of late) await makePatches(draft, plan.id, area, patches, by, note);
    return records;
  }

  /** The areas whose revision is not the one up to which they were looked at. */
  async #changedAreas(draft: Draft): Promise<[area: AreaId, since: number, revision: number][]> {
    const { areas, below } = this.#patching;
    const known = new Map((await areas()).map(({ area }) => [area.id, area]));
    const others = below ? 'OR path >= $2 AND path < $3' : '';
    const rows = await draft.tuples<[id: number, revision: number]>(
      `SELECT area, revision FROM accession_area WHERE ${draft.dialect.among('area', 1, 'bigint')} ${others} ORDER BY area`,
      [[...known.keys()], ...(below ? [`${below}/`, `${below}0`] : [])],
    );
    return rows.flatMap(([id, revision]): [AreaId, number, number][] => {
      const since = this.#seen.get(id) ?? 0;
      const area = known.get(id);
      if (since === revision) return [];
      // The area was made a moment ago.
      if (!area) throw new Behind();
      return [[area, since, revision]];
    });
  }
}

/** Stages patches in transactions of a few hundred. */
class Staging {
  /** The areas that have patches. */
  readonly areas = new Map<number, AreaId>();
  readonly #database: Database;
  readonly #plan: Plan;
  /** By area and IRI: a record that has changed meanwhile may come twice. */
  readonly #waiting = new Map<string, { readonly area: AreaId; readonly patch: Patch }>();
  #characters = 0;

  constructor(database: Database, plan: Plan) {
    this.#database = database;
    this.#plan = plan;
  }

  async add(area: AreaId, patch: Patch): Promise<void> {
    this.#waiting.set(`${area.id} ${(patch.before ?? patch.after)!.iri}`, { area, patch });
    this.#characters += patch.after?.json.length ?? 0;
    if (this.#waiting.size >= PAGE || this.#characters >= MOST_CHARACTERS) await this.end();
  }

  /** Stages what waits. */
  async end(): Promise<void> {
    const byArea = Map.groupBy(this.#waiting.values(), ({ area }) => area);
    if (byArea.size === 0) return;
    const isFirst = this.areas.size === 0;
    await this.#database.transact(async (draft) => {
      if (isFirst) keepPlan(draft, this.#plan, 'staging', {});
      for (const [area, some] of byArea) {
        const patches = some.map(({ patch }) => patch);
        stagePatches(draft, this.#plan.id, area, patches);
      }
    });
    for (const area of byArea.keys()) this.areas.set(area.id, area);
    this.#waiting.clear();
    this.#characters = 0;
  }
}

/**
 * Adds what is staged to a transaction. Of curated records, companions see the changes; what they keep of zones is made again
 * for another schema.
 */
async function addStaged(
  draft: Draft,
  { areas }: Staging,
  { plan, by, note }: Pick<Patching, 'plan' | 'by' | 'note'>,
): Promise<void> {
  for (const area of areas.values())
    await draft.staged(area, plan.id, by, { note, companions: area.id === plan.area.id });
}

/** Makes patches of an area in the transaction, and keeps what their undo needs. */
async function makePatches(
  draft: Draft,
  plan: string,
  area: AreaId,
  patches: readonly Patch[],
  by: Actor,
  note: ChangeNote,
): Promise<void> {
  const changes = patches.map((patch) => changesOf(patch, note));
  const written = await draft.write(area, changes.flat(), by);
  let last = -1;
  const made = changes.map((some) => {
    last += some.length;
    return written.revision(last);
  });
  stagePatches(draft, plan, area, patches, made);
}

/**
 * Undoes a plan: stages the patches that take its own back, then makes them in one transaction.
 *
 * @param complete adds to a patch what only its room knows
 * @throws ServiceError `precondition_failed` if one of the records has changed since
 */
export async function undoPlan(
  database: Database,
  id: string,
  patching: Omit<Patching, 'candidates' | 'patchOf'>,
  commit: Commit,
  prepare: (draft: Draft) => Promise<void>,
  complete: (patch: Patch) => Patch = (patch) => patch,
): Promise<void> {
  const { plan, areas } = patching;
  const staging = new Staging(database, plan);
  try {
    for (const { area } of await areas())
      for await (const page of inversePatches(database, id, area))
        for (const patch of page) await staging.add(area, complete(patch));
    await staging.end();
    await commit(async (draft) => {
      await prepare(draft);
      await addStaged(draft, staging, patching);
    });
  } finally {
    await discardPatches(database, plan.id);
  }
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
         o.revision AS at_iri, n.revision AS at_new, e.former
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
  if (row.new_iri !== null && row.at_new !== row.made)
    throw changed(`The record '${row.new_pid}' has changed meanwhile.`);
  if (row.new_iri !== row.iri && row.at_iri !== null) throw changed(`There is a record '${row.pid}' again.`);
  if (row.revision !== null && row.former === null)
    throw changed(`The entry with the former text of the record '${row.pid}' was removed.`);
  const key = { iri: row.iri, pid: row.pid, className: row.class_name };
  return {
    before:
      row.new_iri === null
        ? null
        : { iri: row.new_iri, pid: row.new_pid, className: row.new_class, revision: row.made },
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

/** Removes the patches of a plan, in transactions of some hundred, and the plan if it was never carried out. */
export async function discardPatches(database: Database, plan: string): Promise<void> {
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
export async function discardAbandoned({ database, curated }: CollectionStores): Promise<void> {
  const before = new Date(Date.now() - ABANDONED_MS).toISOString();
  const plans = await database.tuples<[id: string]>(
    `SELECT id FROM accession_plan p WHERE area = $1
       AND (state = 'undone' OR kind = 'undo' AND state = 'done' OR state = 'staging' AND id < $2)
       AND (state = 'staging' OR EXISTS (SELECT 1 FROM accession_patch c WHERE c.plan = p.id))`,
    [curated.area.id, before],
  );
  for (const [id] of plans) await discardPatches(database, id);
}
