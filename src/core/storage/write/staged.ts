/**
 * Changes that are staged in `accession_patch` and then made in one transaction, with memory for a few of them: renames,
 * merges and schema changes of a million records are not one message.
 */
import type { Connection } from '../connection.ts';
import type { Draft, StagedStep } from '../database.ts';
import type { Value } from '../dialect.ts';
import type { Patch, Patches } from '../patch.ts';
import { type AreaId, type Change, type ChangeNote, type LinkLines, LONGEST_TOGETHER } from '../store.ts';
import { writeRecords } from './records.ts';

/** Patches that are made together. */
const MADE_AT_ONCE = 200;
/** Patches of one statement: each has eleven values, and SQLite takes 32,766. */
const ROWS_OF_A_STATEMENT = 100;

/** Stages patches of an area, in place of former ones for the same records. */
export function stagePatches(draft: Draft, plan: string, { id }: AreaId, patches: Patches): void {
  const made: [iri: string, patch: Patch][] = [];
  for (const [iri, patch] of patches) {
    if (patch) made.push([iri, patch]);
    else draft.run('DELETE FROM accession_patch WHERE plan = $1 AND area = $2 AND iri = $3', [plan, id, iri]);
  }
  for (let from = 0; from < made.length; from += ROWS_OF_A_STATEMENT) {
    const values: Value[] = [];
    const rows = made.slice(from, from + ROWS_OF_A_STATEMENT).map(([iri, { before, after }]) => {
      const row = [
        plan,
        id,
        iri,
        before?.revision ?? null,
        before?.pid ?? null,
        before?.className ?? null,
        after?.iri ?? null,
        after?.pid ?? null,
        after?.className ?? null,
        after?.json ?? null,
        after?.links ?? null,
      ];
      const parameters = row.map((_, at) => `$${values.length + at + 1}`);
      values.push(...row);
      return `(${parameters.join(', ')})`;
    });
    draft.run(
      `INSERT INTO accession_patch
         (plan, area, iri, revision, pid, class_name, new_iri, new_pid, new_class, json, links)
       VALUES ${rows.join(', ')}
       ON CONFLICT (plan, area, iri) DO UPDATE SET revision = excluded.revision, pid = excluded.pid,
         class_name = excluded.class_name, new_iri = excluded.new_iri, new_pid = excluded.new_pid,
         new_class = excluded.new_class, json = excluded.json, links = excluded.links`,
      values,
    );
  }
}

/** The changes of a patch: two if the record gets another IRI. */
export function changesOf({ before, after }: Patch, note?: ChangeNote): Change[] {
  const expect = before ? { revisions: [before.revision] } : ({ absent: true } as const);
  if (after && (!before || before.iri === after.iri)) return [{ put: after, expect, note }];
  const deleted: Change = { delete: before!.iri, expect, note };
  return after ? [deleted, { put: after, expect: { absent: true }, note }] : [deleted];
}

/** A patch that is still to be made. */
type StagedChange = { readonly iri: string; readonly changes: readonly Change[] };

/** The changes of a plan that are still to be made, by IRI. @param condition on `accession_patch p` */
export async function* stagedChanges(
  reads: Pick<Connection, 'tuples'>,
  { id }: AreaId,
  plan: string,
  note?: ChangeNote,
  condition = '1 = 1',
): AsyncGenerator<StagedChange[]> {
  for (let after = ''; ; ) {
    const rows = await reads.tuples<RowTuple>(
      `SELECT iri, revision, pid, class_name, new_iri, new_pid, new_class,
         CASE WHEN ${IS_SHORT} THEN json END, CASE WHEN ${IS_SHORT} THEN links END FROM accession_patch p
       WHERE plan = $1 AND area = $2 AND iri > $3 AND made IS NULL AND (${condition}) ORDER BY iri LIMIT ${MADE_AT_ONCE}`,
      [plan, id, after],
    );
    const changeOf = (row: RowTuple) => ({ iri: row[0], changes: changesOf(patchOf(row), note) });
    let together: StagedChange[] = [];
    for (const row of rows) {
      const [iri, , , , newIri, , , json] = row;
      if (newIri === null || json !== null) {
        together.push(changeOf(row));
        continue;
      }
      if (together.length > 0) yield together;
      together = [];
      const [texts] = await reads.tuples<[json: string, links: LinkLines | null]>(TEXTS, [plan, id, iri]);
      yield [changeOf([...row.slice(0, 7), ...texts!] as RowTuple)];
    }
    if (together.length > 0) yield together;
    if (rows.length < MADE_AT_ONCE) return;
    after = rows.at(-1)![0];
  }
}

const IS_SHORT = `octet_length(json) + COALESCE(octet_length(links), 0) <= ${LONGEST_TOGETHER}`;
const TEXTS = 'SELECT json, links FROM accession_patch WHERE plan = $1 AND area = $2 AND iri = $3';

type RowTuple = [
  iri: string,
  revision: number | null,
  pid: string,
  className: string,
  newIri: string | null,
  newPid: string,
  newClass: string,
  json: string | null,
  links: LinkLines | null,
];

function patchOf([iri, revision, pid, className, newIri, newPid, newClass, json, links]: RowTuple): Patch {
  const found = links === null ? {} : { links };
  return {
    before: revision === null ? null : { iri, pid, className, revision },
    after: newIri === null ? null : { iri: newIri, pid: newPid, className: newClass, json: json!, ...found },
  };
}

/**
 * Makes the staged changes of an area, in the order of the IRIs, and keeps the revision of each for an undo.
 *
 * @throws what {@link writeRecords} throws
 */
export async function writeStaged(
  connection: Connection,
  { area, staged, by, note }: StagedStep,
): Promise<void> {
  for await (const page of stagedChanges(connection, area, staged, note)) {
    const changes = page.flatMap((one) => one.changes);
    const revisions = await writeRecords(connection, area.id, changes, by);
    let last = -1;
    const made = page.map((one) => {
      last += one.changes.length;
      return [staged, area.id, one.iri, revisions[last]!];
    });
    await connection.many(
      `UPDATE accession_patch SET made = $4, json = NULL, links = NULL WHERE plan = $1 AND area = $2 AND iri = $3`,
      made,
    );
  }
}
