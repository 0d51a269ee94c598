/**
 * Plans: changes of many records that take effect in one transaction and can be undone. A few patches are made by that
 * transaction itself; more are staged before it (`storage/staged.ts`). A plan whose patches were staged and that was not
 * carried out, because the process has ended, is discarded later.
 */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Database, Draft, Reader, RevisionOf } from '../storage/database.ts';
import { type Patch, stagePatches } from '../storage/staged.ts';
import type { Actor, AreaId, Change, ChangeNote, StoredRecord } from '../storage/store.ts';
import type { CollectionStores } from './stores.ts';

/** Patches that a transaction makes itself. */
export const MOST_DIRECT = 200;
/** Patches and characters that are staged in one transaction. */
const STAGED_AT_ONCE = 200;
const MOST_CHARACTERS = 1_000_000;
/** A plan that was not carried out after so many milliseconds is not going to be. */
const ABANDONED_MS = 6 * 3_600_000;

export type Plan = {
  readonly id: string;
  /** An undo of a switch is a switch back, which can't be undone. */
  readonly kind: 'rename' | 'merge' | 'switch' | 'undo';
  /** The curated area. */
  readonly area: AreaId;
  readonly collection: string;
};

/** Ids of plans sort by time. */
export function newPlan(kind: Plan['kind'], { curated, name }: CollectionStores): Plan & { readonly time: string } {
  const time = new Date().toISOString();
  return { id: `${time}-${randomUUID().slice(0, 8)}`, kind, area: curated.area, collection: name, time };
}

/** Keeps the state of a plan. */
export function keepPlan(
  draft: Draft,
  { id, kind, area, collection }: Plan,
  state: 'staging' | 'done' | 'undone',
  details: object,
): void {
  draft.run(
    `INSERT INTO accession_plan (id, kind, area, collection, state, json) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, json = excluded.json`,
    [id, kind, area.id, collection, state, JSON.stringify(details)],
  );
}

/** Stages patches in transactions of a few hundred. */
export class Staging {
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
    this.#waiting.set(`${area.id} ${patch.before?.iri ?? patch.after?.iri}`, { area, patch });
    this.#characters += patch.after?.json.length ?? 0;
    if (this.#waiting.size >= STAGED_AT_ONCE || this.#characters >= MOST_CHARACTERS) await this.end();
  }

  /** Stages what waits. */
  async end(): Promise<void> {
    const byArea = Map.groupBy(this.#waiting.values(), ({ area }) => area);
    if (byArea.size === 0) return;
    const isFirst = this.areas.size === 0;
    await this.#database.transact(async (draft) => {
      if (isFirst) keepPlan(draft, this.#plan, 'staging', {});
      for (const [area, some] of byArea)
        stagePatches(
          draft,
          this.#plan.id,
          area,
          some.map(({ patch }) => patch),
        );
    });
    for (const area of byArea.keys()) this.areas.set(area.id, area);
    this.#waiting.clear();
    this.#characters = 0;
  }
}

/** Makes patches of an area in the transaction, and keeps what their undo needs. */
export async function makePatches(
  draft: Draft,
  plan: string,
  area: AreaId,
  patches: readonly Patch[],
  by: Actor,
  note: ChangeNote,
): Promise<void> {
  const changes: Change[] = [];
  const last: number[] = [];
  for (const patch of patches) {
    changes.push(...changesOf(patch, note));
    last.push(changes.length - 1);
  }
  const written = await draft.write(area, changes, by);
  const made: RevisionOf[] = last.map((change) => written.revision(change));
  stagePatches(draft, plan, area, patches, made);
}

function changesOf({ before, after }: Patch, note: ChangeNote): Change[] {
  const expect = before ? { revisions: [before.revision] } : ({ absent: true } as const);
  if (!after) return [{ delete: before!.iri, expect, note }];
  if (!before || before.iri === after.iri) return [{ put: after, expect, note }];
  return [
    { delete: before.iri, expect, note },
    { put: after, expect: { absent: true }, note },
  ];
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

const UNDONE_AT_ONCE = 200;

/**
 * The patches that take those of a plan back, in an area, a page at a time.
 *
 * @throws ServiceError `precondition_failed` if one of the records has changed since
 */
export async function* inversePatches(
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
       WHERE p.plan = $1 AND p.area = $2 AND p.iri > $3 ORDER BY p.iri LIMIT ${UNDONE_AT_ONCE}`,
      [plan, area.id, after],
    );
    yield rows.map(inverseOf);
    if (rows.length < UNDONE_AT_ONCE) return;
    after = rows.at(-1)!.iri;
  }
}

function inverseOf(row: MadeRow): Patch {
  if (row.new_iri !== null && row.at_new !== row.made)
    throw changed(`The record '${row.new_pid}' has changed meanwhile.`);
  if (row.new_iri !== row.iri && row.at_iri !== null)
    throw changed(`There is a record '${row.pid}' again.`);
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

type Reading = Pick<Database, 'tuples' | 'read' | 'dialect'>;

/** The records under some IRIs, in any order. */
export function recordsUnder(reader: Reading, { id }: AreaId, iris: readonly string[]): Promise<StoredRecord[]> {
  return reader.read<StoredRecord>(
    `SELECT iri, pid, class_name AS "className", json, revision FROM accession_record
     WHERE area = $1 AND ${reader.dialect.among('iri', 2)} ORDER BY iri`,
    [id, iris],
  );
}

/** The records of an area that were changed after a revision, up to another one; undefined for those that are gone. */
export async function* changedRecords(
  reader: Reading,
  area: AreaId,
  after: number,
  upTo: number,
): AsyncGenerator<{ readonly iri: string; readonly record: StoredRecord | undefined }[]> {
  while (after < upTo) {
    const entries = await reader.tuples<[revision: number, iri: string]>(
      'SELECT revision, iri FROM accession_entry WHERE area = $1 AND revision > $2 AND revision <= $3 ORDER BY revision LIMIT 200',
      [area.id, after, upTo],
    );
    if (entries.length === 0) return;
    const iris = [...new Set(entries.map(([, iri]) => iri))];
    const records = await recordsUnder(reader, area, iris);
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
