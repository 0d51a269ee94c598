/** The statements that send a group of writes, and their values: one array for each column. */
import type { StoredRecord } from '../store.ts';
import { iriColumns, pidColumns } from './keys.ts';

export function recordColumns(records: readonly StoredRecord[]): unknown[][] {
  return columns(records, ({ iri, pid, className, revision, json }) => {
    const { key, long } = iriColumns(iri);
    const { start, end } = pidColumns(pid);
    return [key, long, start, end, className, revision, json];
  });
}

/** From rows to one array for each column. */
export function columns<T>(rows: readonly T[], valuesOf: (row: T) => unknown[]): unknown[][] {
  const result: unknown[][] = [];
  for (const row of rows) {
    for (const [index, value] of valuesOf(row).entries()) {
      const column = result[index] ?? [];
      column.push(value);
      result[index] = column;
    }
  }
  return result;
}

/**
 * The texts of records that are about to be replaced rest in their entries from now on. The entries are there: the insert
 * only makes sure that each is found by its key, also while the planner knows nothing of the tables.
 */
export const KEEP_TEXTS = `
  INSERT INTO accession_entry (area, revision, iri_key, pid, class_name, deleted, time, json)
  SELECT $1, n.revision, '', '', '', false, 0, r.json
  FROM unnest($2::text[], $3::bigint[]) AS n (iri_key, revision)
  CROSS JOIN LATERAL (
    SELECT 1 FROM accession_entry e WHERE e.area = $1 AND e.revision = n.revision AND e.json IS NULL LIMIT 1
  ) e
  CROSS JOIN LATERAL (SELECT r.json FROM accession_record r WHERE r.area = $1 AND r.iri_key = n.iri_key LIMIT 1) r
  ON CONFLICT (area, revision) DO UPDATE SET json = excluded.json`;

export const REMOVE_TOMBSTONES = 'DELETE FROM accession_tombstone WHERE area = $1 AND iri_key = ANY ($2)';

export const DELETE_RECORDS = 'DELETE FROM accession_record WHERE area = $1 AND iri_key = ANY ($2)';

export const PUT_RECORDS = `
  INSERT INTO accession_record (area, iri_key, iri_long, pid_start, pid_end, class_name, revision, json)
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[])
  ON CONFLICT (area, iri_key) DO UPDATE SET pid_start = excluded.pid_start, pid_end = excluded.pid_end,
    class_name = excluded.class_name, revision = excluded.revision, json = excluded.json`;

export const PUT_TOMBSTONES = `
  INSERT INTO accession_tombstone (area, iri_key, iri_long, pid, revision)
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[])
  ON CONFLICT (area, iri_key) DO UPDATE SET pid = excluded.pid, revision = excluded.revision`;

export const INSERT_ENTRIES = `
  INSERT INTO accession_entry
    (area, revision, iri_key, iri_long, pid, class_name, deleted, time, committer, author, role, note, json)
  SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::bigint[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])`;
