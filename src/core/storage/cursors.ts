/** Cursors: up to which revision of an area something that follows it has come, and in which version of itself. */
import type { Connection } from './connection.ts';
import type { Draft } from './database.ts';

export type Cursor = readonly [revision: number, version: string];

export async function readCursor(
  reads: Pick<Connection, 'tuples'>,
  name: string,
  area: number,
): Promise<Cursor | undefined> {
  const sql = 'SELECT revision, version FROM accession_cursor WHERE name = $1 AND area = $2';
  return (await reads.tuples<Cursor>(sql, [name, area]))[0];
}

/** How many records an area has, its revision, and its cursors of some names, as of one moment. */
export async function progressIn(
  reads: Pick<Connection, 'tuples'>,
  area: number,
  names: readonly string[],
): Promise<{ records: number; revision: number; cursors: ReadonlyMap<string, Cursor> }> {
  const rows = await reads.tuples<[records: number, revision: number, name: string | null, ...Cursor]>(
    `SELECT a.records, a.revision, c.name, c.revision, c.version FROM accession_area a LEFT JOIN accession_cursor c
       ON c.area = a.area AND c.name IN (${names.map((_, at) => `$${at + 2}`).join(', ')}) WHERE a.area = $1`,
    [area, ...names],
  );
  const [records, revision] = rows[0] ?? [0, 0];
  const cursors = rows.flatMap(([, , name, ...cursor]) => (name === null ? [] : [[name, cursor] as const]));
  return { records, revision, cursors: new Map(cursors) };
}

/** The versions of the cursors of a name, by area. */
export async function cursorVersions(
  reads: Pick<Connection, 'tuples'>,
  name: string,
): Promise<Map<number, string>> {
  const sql = 'SELECT area, version FROM accession_cursor WHERE name = $1';
  return new Map(await reads.tuples<[number, string]>(sql, [name]));
}

export function setCursor(draft: Pick<Draft, 'run'>, name: string, area: number, cursor: Cursor): void {
  draft.run(
    `INSERT INTO accession_cursor (name, area, revision, version) VALUES ($1, $2, $3, $4)
     ON CONFLICT (name, area) DO UPDATE SET revision = excluded.revision, version = excluded.version`,
    [name, area, ...cursor],
  );
}

export function removeCursor(draft: Pick<Draft, 'run'>, name: string, area: number): void {
  draft.run('DELETE FROM accession_cursor WHERE name = $1 AND area = $2', [name, area]);
}

/** Removes the cursors of a name from all areas. */
export function removeCursors(draft: Pick<Draft, 'run'>, name: string): void {
  draft.run('DELETE FROM accession_cursor WHERE name = $1', [name]);
}

/** Makes a cursor, unless there is one, if the area has some revision at the commit. */
export function startCursorAt(
  draft: Pick<Draft, 'run'>,
  name: string,
  area: number,
  { version, revision }: { readonly version: string; readonly revision: number },
): void {
  draft.run(
    `INSERT INTO accession_cursor (name, area, revision, version)
     SELECT CAST($1 AS TEXT), a.area, 0, CAST($3 AS TEXT) FROM accession_area a WHERE a.area = $2 AND a.revision = $4
     ON CONFLICT (name, area) DO NOTHING`,
    [name, area, version, revision],
  );
}

/** Moves a cursor to the revision that the area has at the commit: what follows it does not look at earlier changes. */
export function setCursorToNow(draft: Pick<Draft, 'run'>, name: string, area: number, version: string): void {
  draft.run(
    `INSERT INTO accession_cursor (name, area, revision, version)
     SELECT CAST($1 AS TEXT), a.area, a.revision, CAST($2 AS TEXT) FROM accession_area a WHERE a.area = $3
     ON CONFLICT (name, area) DO UPDATE SET revision = excluded.revision, version = excluded.version`,
    [name, version, area],
  );
}

/** An expression for statements: the revision that an area has at the commit. @param parameter the number of its id */
export function revisionAtCommit(parameter: number): string {
  return `(SELECT a.revision FROM accession_area a WHERE a.area = $${parameter})`;
}
