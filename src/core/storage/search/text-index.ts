/**
 * The texts of records under an index of trigrams (FTS5, pg_trgm). They only ever lag behind: a projection follows the
 * changes, and searches look at later ones one by one, so writes do not pay for them.
 */
import { fold, scalarsIn } from '#linkml/folding.ts';
import { parseJson } from '#linkml/json.ts';
import type { Connection } from '../connection.ts';
import type { Derived, RevisionSpan } from '../database.ts';
import { charactersIn, type Value } from '../dialect.ts';
import type { AreaId } from '../store.ts';

/** Longer records are not in the index, see `accession_record_long`, in characters. */
export const LONGEST_INDEXED = 65_536;

/** The projection (see `work/projections.ts`). What it leaves of deleted records, no search joins. */
export const TEXT_INDEX = {
  name: 'text',
  version: '1',
  reads: 'spans',
  places: 'all',
  derived: (span: RevisionSpan): Derived => ({ of: 'texts', span }),
} as const;

/** The records `r` of an area ($1) whose last change is between two revisions ($2, $3). */
export const CHANGED_IN_SPAN = `accession_entry e JOIN accession_record r ON r.area = e.area AND r.iri = e.iri AND r.revision = e.revision
  WHERE e.area = $1 AND e.revision >= $2 AND e.revision <= $3`;

/** Indexes records again, on the connection that writes: in a thread on SQLite. */
export async function indexTexts(
  connection: Connection,
  area: AreaId['id'],
  { from, to }: RevisionSpan,
): Promise<void> {
  const { dialect } = connection;
  const rows = await connection.tuples<[id: number, json: string | null]>(
    `SELECT r.id, CASE WHEN length(r.json) <= ${LONGEST_INDEXED} THEN r.json END FROM ${CHANGED_IN_SPAN}`,
    [area, from, to],
  );
  await connection.many(
    dialect.removeText,
    rows.map(([id]) => [id]),
  );
  const added = rows.flatMap(([id, json]) => (json === null ? [] : [[id, foldedText(json)]]));
  await connection.many(dialect.addText, added);
  await mergeSegments(connection, dialect.mergeTexts, added);
}

/** Added characters for which a page is merged. With that, an index of 120,000 records kept at most 8 segments of each size. */
const CHARACTERS_OF_PAGE = 250;

/** Merges a part of an index to which rows were added, so that no commit ever has to merge much. */
export async function mergeSegments(
  connection: Connection,
  merge: string | undefined,
  added: readonly (readonly Value[])[],
): Promise<void> {
  if (merge === undefined || added.length === 0) return;
  const characters = added.reduce((sum, values) => sum + charactersIn(values), 0);
  await connection.run(merge, [Math.ceil(characters / CHARACTERS_OF_PAGE)]);
}

/** No database stores NUL here, which is a line break; so is the border between two values. */
function foldedText(json: string): string {
  return fold(scalarsIn(parseJson(json)).join('\n'))
    .replaceAll('\0', '\n')
    .toWellFormed();
}
