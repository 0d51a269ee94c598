/**
 * The patches of plans: they are staged in transactions of some hundred, read back for an undo, and discarded when no undo
 * needs them.
 */
import { KEEP } from '../durations.ts';
import type { Database } from '../storage/database.ts';
import type { Patch } from '../storage/patch.ts';
import { formerTextAt } from '../storage/read/record-sql.ts';
import type { Reader } from '../storage/reader.ts';
import { type AreaId, LONGEST_TOGETHER, type RecordStore, type StoredRecord } from '../storage/store.ts';
import { stagePatches } from '../storage/write/staged.ts';
import { keepPlan, type Plan, recordsChanged } from './kept-plans.ts';

/** Rows of a page, and patches of a transaction that stages some. */
const PAGE = 200;
const MOST_CHARACTERS = 1_000_000;

/** By IRI; undefined for records that are left as they are. */
export type PatchesByArea = Map<AreaId, Map<string, Patch | undefined>>;

/** Stages patches in transactions of a few hundred. */
export class Staging {
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
    putPatch(this.#waiting, area, iri, patch);
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

export function putPatch(patches: PatchesByArea, area: AreaId, iri: string, patch: Patch | undefined): void {
  patches.set(area, (patches.get(area) ?? new Map<string, Patch | undefined>()).set(iri, patch));
}

export function iriOf({ before, after }: Patch): string {
  return (before ?? after)!.iri;
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
  /** The revision of the entry with the text before; null if it was removed. */
  readonly entry: number | null;
  /** That text; null if it is long. */
  readonly former: string | null;
};

/** The patches that take those of a plan back, in an area. */
export async function* inversePatches(
  reader: Pick<Reader, 'read' | 'tuples'>,
  plan: string,
  area: AreaId,
): AsyncGenerator<Patch> {
  for (let after = ''; ; ) {
    const rows = await reader.read<MadeRow>(
      `SELECT p.iri, p.revision, p.pid, p.class_name, p.new_iri, p.new_pid, p.new_class, p.made,
         o.revision AS at_iri, n.revision AS at_new,
         CASE WHEN e.former IS NOT NULL THEN e.revision END AS entry,
         CASE WHEN octet_length(e.former) <= ${LONGEST_TOGETHER} THEN e.former END AS former,
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
    for (const row of rows) {
      requireAsMade(row);
      const { entry, former } = row;
      const long = entry === null || former !== null ? undefined : await formerTextAt(reader, area.id, entry);
      yield inverseOf(row, former ?? long ?? null);
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.iri;
  }
}

function requireAsMade(row: MadeRow): void {
  if (row.new_iri !== null && !row.as_made)
    throw recordsChanged(
      `The record '${row.new_pid}' was changed since. Restore it from its history, then undo.`,
    );
  if (row.new_iri !== row.iri && row.at_iri !== null)
    throw recordsChanged(`There is a record '${row.pid}' again.`);
}

function inverseOf(row: MadeRow, former: string | null): Patch {
  if (row.revision !== null && former === null)
    throw recordsChanged(`The entry with the former text of the record '${row.pid}' was removed.`);
  const key = { iri: row.iri, pid: row.pid, className: row.class_name };
  return {
    before:
      row.new_iri === null
        ? null
        : { iri: row.new_iri, pid: row.new_pid, className: row.new_class, revision: row.at_new! },
    after: row.revision === null ? null : { ...key, json: former! },
  };
}

/** The records of an area that were changed after a revision, up to another one; undefined for those that are gone. */
export async function* changedRecords(
  reader: Pick<Reader, 'tuples'>,
  { area, records }: Pick<RecordStore, 'area' | 'records'>,
  after: number,
  upTo: number,
): AsyncGenerator<{ readonly iri: string; readonly record: StoredRecord | undefined }> {
  while (after < upTo) {
    const entries = await reader.tuples<[revision: number, iri: string]>(
      `SELECT revision, iri FROM accession_entry WHERE area = $1 AND revision > $2 AND revision <= $3
       ORDER BY revision LIMIT ${PAGE}`,
      [area.id, after, upTo],
    );
    if (entries.length === 0) return;
    const gone = new Set(entries.map(([, iri]) => iri));
    for await (const record of records([...gone])) {
      gone.delete(record.iri);
      yield { iri: record.iri, record };
    }
    for (const iri of gone) yield { iri, record: undefined };
    after = entries.at(-1)![0];
  }
}

/** The records that a plan that was made has changed, in the order of their IRIs. */
export async function* patchedRecords(
  reader: Pick<Reader, 'tuples'>,
  plan: string,
  area: AreaId,
): AsyncGenerator<{ readonly pid: string; readonly className: string; readonly isDeleted: boolean }> {
  for (let after = ''; ; ) {
    const rows = await reader.tuples<[iri: string, pid: string, className: string, newIri: string | null]>(
      `SELECT iri, pid, class_name, new_iri FROM accession_patch WHERE plan = $1 AND area = $2 AND iri > $3
       ORDER BY iri LIMIT ${PAGE}`,
      [plan, area.id, after],
    );
    for (const [, pid, className, newIri] of rows) yield { pid, className, isDeleted: newIri === null };
    if (rows.length < PAGE) return;
    after = rows.at(-1)![0];
  }
}

/** Hides neither that a plan was made nor why it was not: what is left is discarded at the next start. */
export const discardNowOrLater = (database: Database, plan: string) =>
  discardPatches(database, plan).catch(() => {});

/** A plan that is done keeps its patches for its undo, also if its commit was reported as of unknown outcome. */
const NOT_KEPT = `NOT EXISTS (SELECT 1 FROM accession_plan k WHERE k.id = $1 AND k.state = 'done' AND k.kind <> 'undo')`;

/** Removes the patches of a plan, in transactions of some hundred, and the plan if it was never carried out. */
async function discardPatches(database: Database, plan: string): Promise<void> {
  for (;;) {
    const [last] = await database.tuples<[area: number, iri: string]>(
      `SELECT area, iri FROM (
         SELECT area, iri FROM accession_patch WHERE plan = $1 AND ${NOT_KEPT} ORDER BY area, iri LIMIT 1000
       ) p ORDER BY area DESC, iri DESC LIMIT 1`,
      [plan],
    );
    if (!last) break;
    await database.transact(async (draft) =>
      draft.run(`DELETE FROM accession_patch WHERE plan = $1 AND (area, iri) <= ($2, $3) AND ${NOT_KEPT}`, [
        plan,
        ...last,
      ]),
    );
  }
  await database.transact(async (draft) =>
    draft.run("DELETE FROM accession_plan WHERE id = $1 AND state = 'staging'", [plan]),
  );
}

/**
 * Discards what processes have left that ended while they staged a plan, or after an undo. The time of a plan is by the clock of
 * the process that made it, so a plan is abandoned if this process has seen it being staged for long.
 *
 * @param seen when plans were first seen being staged, which is kept from one call to the next
 * @param time by a clock of this process that is not set
 */
export async function discardAbandoned(
  database: Database,
  area: AreaId,
  seen: Map<string, number>,
  time = performance.now(),
): Promise<void> {
  const plans = await database.tuples<[id: string, state: string]>(
    `SELECT id, state FROM accession_plan p WHERE area = $1
       AND (state = 'undone' OR kind = 'undo' AND state = 'done' OR state = 'staging')
       AND (state = 'staging' OR EXISTS (SELECT 1 FROM accession_patch c WHERE c.plan = p.id))`,
    [area.id],
  );
  const staged = new Set(plans.flatMap(([id, state]) => (state === 'staging' ? [id] : [])));
  for (const id of seen.keys()) if (!staged.has(id)) seen.delete(id);
  for (const id of staged) if (!seen.has(id)) seen.set(id, time);
  for (const [id] of plans)
    if (!staged.has(id) || time - seen.get(id)! >= KEEP.plan) await discardPatches(database, id);
}
