/**
 * The texts of records under an index of trigrams (FTS5, pg_trgm). They only ever lag behind: a cursor of each area has the
 * revision up to which they are complete, and searches look at later changes one by one, so writes do not pay for them.
 */
import { fold, scalarsIn } from '../folding.ts';
import { parseJson } from '../json.ts';
import { type Connection, first } from './connection.ts';

/** The cursor of the index. */
export const TEXT_CURSOR = 'text';

/** Longer records are not in the index, see `accession_record_long`, in characters. */
export const LONGEST_INDEXED = 65_536;

/** Changes that one transaction indexes, and the characters after which it takes no further one. */
const CHANGES_AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 200_000;

/**
 * Indexes the next changes of an area, inside of a transaction of the caller.
 *
 * @returns whether the index of the area is complete
 */
export async function advanceTextIndex(connection: Connection, area: number): Promise<boolean> {
  const [state] = await connection.tuples<[revision: number, indexed: number | null]>(
    `SELECT a.revision, c.revision FROM accession_area a
     LEFT JOIN accession_cursor c ON c.area = a.area AND c.name = $2 WHERE a.area = $1`,
    [area, TEXT_CURSOR],
  );
  const [revision, indexed] = state ?? [0, 0];
  if ((indexed ?? 0) >= revision) return true;
  const rows = await connection.tuples<[revision: number, iri: string]>(
    'SELECT revision, iri FROM accession_entry WHERE area = $1 AND revision > $2 ORDER BY revision LIMIT CAST($3 AS INTEGER)',
    [area, indexed ?? 0, CHANGES_AT_ONCE],
  );
  let characters = 0;
  let reached = rows.length < CHANGES_AT_ONCE ? revision : rows.at(-1)![0];
  for (const [changed, iri] of rows) {
    const record = await first<[id: number, json: string, revision: number]>(
      connection,
      'SELECT id, json, revision FROM accession_record WHERE area = $1 AND iri = $2',
      [area, iri],
    );
    if (record === undefined || record[2] !== changed) continue;
    const [id, json] = record;
    await connection.run(connection.dialect.removeText, [id]);
    if (json.length <= LONGEST_INDEXED)
      await connection.run(connection.dialect.addText, [id, foldedText(json)]);
    characters += json.length;
    if (characters < CHARACTERS_AT_ONCE) continue;
    reached = changed;
    break;
  }
  await connection.run(
    `INSERT INTO accession_cursor (name, area, revision) VALUES ($2, $1, $3)
     ON CONFLICT (name, area) DO UPDATE SET revision = excluded.revision`,
    [area, TEXT_CURSOR, reached],
  );
  return reached >= revision;
}

/** The areas whose index is not complete. */
export async function areasToIndex(connection: Pick<Connection, 'tuples'>): Promise<number[]> {
  const rows = await connection.tuples<[number]>(
    `SELECT a.area FROM accession_area a LEFT JOIN accession_cursor c ON c.area = a.area AND c.name = $1
     WHERE a.revision > coalesce(c.revision, 0)`,
    [TEXT_CURSOR],
  );
  return rows.map(([area]) => area);
}

/** No database stores NUL here, which is a line break; so is the border between two values. */
function foldedText(json: string): string {
  return fold(scalarsIn(parseJson(json)).join('\n'))
    .replaceAll('\0', '\n')
    .toWellFormed();
}
