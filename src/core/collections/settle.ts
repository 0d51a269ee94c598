/**
 * Updates the parts of records that the schema decides: the IRI that a pid resolves to and, with `+stl`, the `schema_type`. Both are decided
 * when a record is stored. When a schema is opened whose prefixes have changed, they are brought up to date, without
 * entries: the records are what they were.
 */
import { BACKENDS } from '../config/backends.ts';
import type { Schema } from '../schema/schema.ts';
import { addSchemaType } from '../schema-type.ts';
import { cursorVersions, setCursor } from '../storage/cursors.ts';
import type { Database, Draft } from '../storage/database.ts';
import type { StoreLog } from '../storage/log.ts';
import { recordPages } from '../storage/read/paging.ts';
import type { AreaId } from '../storage/store.ts';
import { describedIn, type IriColumn, moduleMeta } from '../storage/tables.ts';
import type { Collection } from './collection.ts';

/** Identifies the schema and the form by which an area is settled. */
type SettleContext = {
  readonly database: Database;
  readonly schema: Pick<Schema, 'expand' | 'schemaTypeOf' | 'digest'>;
  /** Whether the schema decides about `schema_type`. */
  readonly types: boolean;
};

/** The cursor has the digest of the schema that an area fits; while it is empty, some records do not. */
const CURSOR = 'schema';
/** Areas that one transaction notes, and records that one handles. */
const NOTED_AT_ONCE = 1000;
const SETTLED_AT_ONCE = 200;

/** Brings the records of all areas of a collection up to date. A reader leaves that to the owner. */
export async function settleRecords(collection: Collection, log: StoreLog): Promise<void> {
  const { name, config, database, schema, curated, zones } = collection;
  if (database.readOnly) return;
  const settling = { database, schema, types: BACKENDS[config.backend.type].schemaTypeLayer };
  const known = await cursorVersions(database, CURSOR);
  const settled: AreaId[] = [];
  for (const area of [curated.area, ...(await zones.areas())]) {
    const digest = known.get(area.id);
    if (digest === schema.digest) continue;
    const isBehind = digest === '' || !(await fits(settling, area));
    const conflicts = isBehind ? await rewrite(settling, area) : [];
    for (const conflict of conflicts) log.warn({ collection: name, area: area.path }, conflict);
    if (conflicts.length === 0) settled.push(area);
  }
  for (let from = 0; from < settled.length; from += NOTED_AT_ONCE)
    await database.transact(async (draft) => {
      for (const { id } of settled.slice(from, from + NOTED_AT_ONCE))
        setCursor(draft, CURSOR, id, [0, schema.digest]);
    });
}

type PidRow = [pid: string, iri: string];
type ClassRow = [className: string, json: string];

/** One record represents all with its prefix, and one all of its class: a million records have a handful of both. */
async function fits(settling: SettleContext, { id }: AreaId): Promise<boolean> {
  const { database, schema } = settling;
  const behind =
    'SELECT pid, iri FROM accession_record WHERE area = $1 AND pid >= $2 ORDER BY pid, iri LIMIT 1';
  for (let from = ''; ; ) {
    const [row] = await database.tuples<PidRow>(behind, [id, from]);
    if (!row) break;
    const [pid, iri] = row;
    if ((schema.expand(pid) ?? iri) !== iri) return false;
    const colon = pid.indexOf(':');
    // The character after the colon is behind all pids with the prefix.
    from = colon < 0 ? `${pid}\0` : `${pid.slice(0, colon)};`;
  }
  const next = `SELECT class_name, json FROM accession_record WHERE area = $1 AND class_name > $2
    ORDER BY class_name, pid, iri LIMIT 1`;
  for (let after = ''; settling.types; ) {
    const [row] = await database.tuples<ClassRow>(next, [id, after]);
    if (!row) break;
    if (typed(settling, row[0], row[1]) !== row[1]) return false;
    after = row[0];
  }
  return true;
}

function typed({ schema, types }: SettleContext, className: string, json: string): string {
  const schemaType = types ? schema.schemaTypeOf(className) : undefined;
  return schemaType === undefined ? json : addSchemaType(json, schemaType);
}

type SettledRow = [pid: string, iri: string, className: string, json: string];

/**
 * Looks at every record. An interrupted run begins again when the area is opened again.
 *
 * @returns a sentence for each record that keeps its old IRI, since another record has the new one
 */
async function rewrite(settling: SettleContext, area: AreaId): Promise<string[]> {
  const { database } = settling;
  await database.transact(async (draft) => setCursor(draft, CURSOR, area.id, [0, '']));
  const columns = await iriColumns(database);
  const conflicts: string[] = [];
  const pages = recordPages((last) =>
    database.tuples<SettledRow>(
      `SELECT pid, iri, class_name, json FROM accession_record WHERE area = $1 AND (pid, iri) > ($2, $3)
       ORDER BY pid, iri LIMIT $4`,
      [area.id, ...last, SETTLED_AT_ONCE],
    ),
  );
  for await (const rows of pages) {
    conflicts.push(
      ...(await database.transact(async (draft) => {
        const found: string[] = [];
        for (const row of rows) found.push(...(await rewriteRecord(settling, columns, draft, area, row)));
        return found;
      })),
    );
  }
  return conflicts;
}

/** Other tables name records by their IRI, too; links are found again for each schema. */
const IRI_COLUMNS: readonly IriColumn[] = [
  ['accession_record', 'area', 'iri'],
  ['accession_entry', 'area', 'iri'],
];

/** All columns with IRIs of records, those of modules included. */
async function iriColumns(database: Database): Promise<readonly IriColumn[]> {
  return [...IRI_COLUMNS, ...describedIn(await moduleMeta(database)).flatMap(({ iris = [] }) => iris)];
}

async function rewriteRecord(
  settling: SettleContext,
  columns: readonly IriColumn[],
  draft: Draft,
  area: AreaId,
  [pid, iri, className, json]: SettledRow,
): Promise<string[]> {
  const { id } = area;
  const text = typed(settling, className, json);
  if (text !== json)
    draft.run('UPDATE accession_record SET json = $4 WHERE area = $1 AND iri = $2 AND json = $3', [
      id,
      iri,
      json,
      text,
    ]);
  const resolved = settling.schema.expand(pid);
  if (resolved === undefined || resolved === iri) return [];
  const [other] = await draft.tuples<[string]>(
    'SELECT pid FROM accession_record WHERE area = $1 AND iri = $2',
    [id, resolved],
  );
  if (other)
    return [`the record '${pid}' keeps the IRI '${iri}': the record '${other[0]}' has the IRI '${resolved}'`];
  // Of a record that was deleted: who sees them depends on the policy of the record that has the IRI.
  const former = await draft.tuples<[number]>(
    'SELECT revision FROM accession_entry WHERE area = $1 AND iri = $2 AND policies IS NOT NULL',
    [id, resolved],
  );
  for (const [table, areaColumn, column] of columns)
    draft.run(`UPDATE ${table} SET ${column} = $3 WHERE ${areaColumn} = $1 AND ${column} = $2`, [
      id,
      iri,
      resolved,
    ]);
  if (former.length > 0)
    draft.derive(area, { of: 'entries', revisions: former.map(([revision]) => revision) });
  // The order of an area is kept in memory, too, as of a revision.
  draft.run('UPDATE accession_area SET revision = revision + 1 WHERE area = $1', [id]);
  draft.run(
    `UPDATE accession_block SET start_iri = $4, revision = (SELECT revision FROM accession_area WHERE area = $1)
     WHERE area = $1 AND start_pid = $2 AND start_iri = $3`,
    [id, pid, iri, resolved],
  );
  return [];
}
