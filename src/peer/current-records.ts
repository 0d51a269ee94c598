/** Records as the database has them now, to compare them with files or with a log. */
import type { Database } from '../storage/database.ts';
import type { AreaId, RecordKey } from '../storage/store.ts';

export type CurrentRecord = RecordKey & { readonly json: string; readonly revision: number };

/** The records of an area that have one of the IRIs, by IRI. */
export async function currentRecords(database: Database, { id }: AreaId, iris: readonly string[]) {
  const rows = await database.tuples<[string, string, string, string, number]>(
    `SELECT iri, pid, class_name, json, revision FROM accession_record
     WHERE area = $1 AND ${database.dialect.among('iri', 2)}`,
    [id, iris],
  );
  return new Map<string, CurrentRecord>(
    rows.map(([iri, pid, className, json, revision]) => [iri, { iri, pid, className, json, revision }]),
  );
}
