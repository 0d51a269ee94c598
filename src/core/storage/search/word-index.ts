/**
 * The index of words. It follows the changes as a projection, so writes do not pay for it; searches read what it lacks beside it.
 * A document is a record. Its columns change with the record in one transaction (see `write/records.ts`), its words do later.
 */
import { hash } from 'node:crypto';
import type { Connection } from '../connection.ts';
import type { Derived, RevisionSpan } from '../database.ts';
import type { Value } from '../dialect.ts';
import type { AreaId } from '../store.ts';
import { type WordOptions, wordsOf } from '../tokens.ts';
import { CHANGED_IN_SPAN, LONGEST_INDEXED, mergeSegments } from './text-index.ts';

/** The name of its cursors. */
export const WORD_INDEX = 'words';
/** The cursors of an index that is made again: up to which revision its words are those of the records. */
export const FORMER_INDEX = 'words before';
const KEEP_REACHED = `INSERT INTO accession_cursor (name, area, revision, version)
  SELECT CAST($2 AS TEXT), $1, max(c.revision), '' FROM accession_cursor c WHERE c.area = $1 AND c.name IN ($2, $3)
  GROUP BY c.area
  ON CONFLICT (name, area) DO UPDATE SET revision = excluded.revision`;
/** Raised if words are found otherwise. */
const VERSION = '5';

/** The projection (see `work/projections.ts`) of areas whose records are indexed in one way. */
export function wordIndex(options: WordOptions) {
  return {
    name: WORD_INDEX,
    cursor: WORD_INDEX,
    version: `${VERSION} ${hash('sha256', JSON.stringify(options), 'base64url').slice(0, 10)}`,
    reads: 'spans',
    places: 'all',
    /** While an area is indexed again, the words that it has answer. */
    begin(draft: { readonly area: AreaId; run(sql: string, values: readonly Value[]): void }): void {
      draft.run(KEEP_REACHED, [draft.area.id, FORMER_INDEX, WORD_INDEX]);
    },
    derived: (span: RevisionSpan): Derived => ({ of: 'words', span, options }),
  } as const;
}

/** Areas have ranges of documents, so a search passes those of others. */
const DOCS_OF_AREA = 2 ** 32;

/** The document of a record; of the number 0, the first one of the area. */
export function docOf({ id }: Pick<AreaId, 'id'>, record = 0): number {
  return id * DOCS_OF_AREA + record;
}

export function recordOfDoc(doc: number): number {
  return doc % DOCS_OF_AREA;
}

/** Indexes records again, on the connection that writes: in a thread on SQLite. */
export async function indexWords(
  connection: Connection,
  area: AreaId['id'],
  { from, to }: RevisionSpan,
  options: WordOptions,
): Promise<void> {
  const { dialect } = connection;
  const rows = await connection.tuples<
    [id: number, className: string, policy: string, length: number, json: string]
  >(
    `SELECT r.id, r.class_name, r.policy, length(r.json),
       CASE WHEN length(r.json) <= ${LONGEST_INDEXED} THEN r.json ELSE '' END
     FROM ${CHANGED_IN_SPAN}`,
    [area, from, to],
  );
  const docs = rows.map(([id]) => [docOf({ id: area }, id)]);
  await connection.many(dialect.words.remove, docs);
  await connection.many('DELETE FROM accession_doc WHERE doc = $1', docs);
  const short = rows.filter(([, , , length]) => length <= LONGEST_INDEXED);
  await connection.many(
    'INSERT INTO accession_doc (doc, class_name, policy) VALUES ($1, $2, $3)',
    short.map(([id, className, policy]) => [docOf({ id: area }, id), className, policy]),
  );
  const added = short.map(([id, className, , , json]) =>
    dialect.words.row(docOf({ id: area }, id), wordsOf(json, className, options)),
  );
  await connection.many(dialect.words.add, added);
  await mergeSegments(connection, dialect.words.merge, added);
}
