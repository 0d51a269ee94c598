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
