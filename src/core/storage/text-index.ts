/**
 * The texts of records under an index of trigrams (FTS5, pg_trgm). They only ever lag behind: a projection follows the
 * changes, and searches look at later ones one by one, so writes do not pay for them.
 */
import { fold, scalarsIn } from '#linkml/folding.ts';
import { parseJson } from '#linkml/json.ts';
import type { Connection } from './connection.ts';
import type { Derived } from './database.ts';
import type { AreaId, Entry } from './store.ts';

/** Longer records are not in the index, see `accession_record_long`, in characters. */
export const LONGEST_INDEXED = 65_536;

/** The projection (see `work/projections.ts`). What it leaves of deleted records, no search joins. */
export const TEXT_INDEX = {
  name: 'text',
  version: '1',
  reads: 'changes',
  places: 'all',
  async apply(
    entries: readonly Pick<Entry, 'iri' | 'kind'>[],
    draft: { derive(derived: Derived): void },
  ): Promise<void> {
    draft.derive({ of: 'texts', iris: entries.flatMap(({ iri, kind }) => (kind === 'put' ? iri : [])) });
  },
} as const;

/** Indexes records again, on the connection that writes: in a thread on SQLite. */
export async function indexTexts(
  connection: Connection,
  area: AreaId['id'],
  iris: readonly string[],
): Promise<void> {
  const { dialect } = connection;
  const rows = await connection.tuples<[id: number, json: string | null]>(
    `SELECT id, CASE WHEN length(json) <= ${LONGEST_INDEXED} THEN json END
     FROM accession_record WHERE area = $1 AND ${dialect.among('iri', 2)}`,
    [area, iris],
  );
  await connection.many(
    dialect.removeText,
    rows.map(([id]) => [id]),
  );
  await connection.many(
    dialect.addText,
    rows.flatMap(([id, json]) => (json === null ? [] : [[id, foldedText(json)]])),
  );
}

/** No database stores NUL here, which is a line break; so is the border between two values. */
function foldedText(json: string): string {
  return fold(scalarsIn(parseJson(json)).join('\n'))
    .replaceAll('\0', '\n')
    .toWellFormed();
}
