/**
 * Pieces of statements about records, and short reads of them, for tables whose rows belong to records: statements of modules name
 * no table of the core. Aliases: `r` is a record.
 */
import type { Reader } from '../reader.ts';
import type { Actor } from '../store.ts';
import type { Reads } from './records.ts';

/** Joins the record that a row is about. @param alias of the table of the row, which has the columns `area` and `iri` */
export const recordOfRow = (alias: string, condition = ''): string =>
  `LEFT JOIN accession_record r ON ${condition} r.area = ${alias}.area AND r.iri = ${alias}.iri`;

/** Whether one of some areas has a record. */
export const hasRecord = (areas: string, iri: string): string =>
  `EXISTS (SELECT 1 FROM accession_record r WHERE r.area IN (${areas}) AND r.iri = ${iri})`;

/** The text that the change with the revision of a row has replaced or deleted. @param alias of the table of the row */
export const formerTextOfRow = (alias: string): string =>
  `(SELECT e.former FROM accession_entry e WHERE e.area = ${alias}.area AND e.revision = ${alias}.revision)`;

/** The revision or the time of the last change of a record. */
export const ofLastChange = (column: 'revision' | 'time', area: string, iri: string): string =>
  `(SELECT ${column} FROM accession_entry WHERE area = ${area} AND iri = ${iri} ORDER BY revision DESC LIMIT 1)`;

/** The time of the last change of an area; NULL if there is no such area. */
export const changeOfArea = (area: string): string =>
  `(SELECT a.changed FROM accession_area a WHERE a.area = ${area})`;

/**
 * Selects IRIs of records of an area ($1) behind an IRI ($2), at most $3, in their order.
 *
 * @param join a table beside them
 * @param condition on the record and what is joined
 */
export const irisBeside = (join: string, condition: string): string =>
  `SELECT r.iri FROM accession_record r LEFT JOIN ${join}
   WHERE r.area = $1 AND r.iri > $2 AND (${condition}) ORDER BY r.iri LIMIT $3`;

/** The texts that areas have of some IRIs, without those of more bytes than some. */
export function textsInAreas(
  reads: Reads,
  areas: readonly number[],
  iris: readonly string[],
  most: number,
): Promise<[area: number, iri: string, json: string][]> {
  return reads.tuples(
    `SELECT area, iri, json FROM accession_record
     WHERE ${reads.dialect.among('area', 1, 'bigint')} AND ${reads.dialect.among('iri', 2)} AND octet_length(json) <= ${most}`,
    [areas, iris],
  );
}

/** The bytes of the texts that areas have of some IRIs together, by IRI. */
export function bytesInAreas(
  reads: Reads,
  areas: readonly number[],
  iris: readonly string[],
): Promise<[iri: string, bytes: number][]> {
  return reads.tuples(
    `SELECT r.iri, CAST(sum(octet_length(r.json)) AS BIGINT) FROM accession_record r
     WHERE ${reads.dialect.among('r.area', 1, 'bigint')} AND ${reads.dialect.among('r.iri', 2)} GROUP BY r.iri`,
    [areas, iris],
  );
}

/** The text of a record; undefined for none. */
export async function textOfRecord(
  reads: Pick<Reader, 'tuples'>,
  area: number,
  iri: string,
): Promise<string | undefined> {
  const sql = 'SELECT json FROM accession_record WHERE area = $1 AND iri = $2';
  return (await reads.tuples<[string]>(sql, [area, iri]))[0]?.[0];
}

/** The text that a change has replaced or deleted. */
export async function formerTextAt(
  reads: Pick<Reader, 'tuples'>,
  area: number,
  revision: number,
): Promise<string | undefined> {
  const sql = 'SELECT former FROM accession_entry WHERE area = $1 AND revision = $2';
  return (await reads.tuples<[string | null]>(sql, [area, revision]))[0]?.[0] ?? undefined;
}

type Deletion = {
  readonly revision: number;
  /** In microseconds since 1970. */
  readonly time: number;
  /** Of who deleted it; null for another program. */
  readonly role: Actor['role'] | null;
  /** The text that was deleted. */
  readonly json: string | null;
};

/** The last deletion of a record. */
export async function lastDeletion(
  reads: Pick<Reader, 'tuples'>,
  area: number,
  iri: string,
): Promise<Deletion | undefined> {
  const [row] = await reads.tuples<[number, number, Deletion['role'], string | null]>(
    `SELECT revision, time, role, former FROM accession_entry WHERE area = $1 AND iri = $2 AND deleted = 1
     ORDER BY revision DESC LIMIT 1`,
    [area, iri],
  );
  return row && { revision: row[0], time: row[1], role: row[2], json: row[3] };
}
