/** The numbers of submissions that the database keeps. */
import assert from 'node:assert/strict';
import type { Reader } from '../../src/core/storage/reader.ts';

/** Requires that kept numbers are those of the rows, and that rows are those of the records. */
export async function requireCounted({ database }: { readonly database: Reader }): Promise<void> {
  const kinds = `queue, label, class_name, status, state, COALESCE(submitter, ''), COALESCE(batch, ''), valid`;
  const counted = await database.tuples(
    `SELECT ${kinds}, count(*) FROM accession_submission GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8`,
  );
  const kept = await database.tuples(
    `SELECT ${kinds}, n FROM accession_submission_count ORDER BY 1, 2, 3, 4, 5, 6, 7, 8`,
  );
  assert.deepEqual(kept, counted);
  const present = await database.tuples(
    `SELECT area, iri, revision FROM accession_submission WHERE present = 1 ORDER BY area, iri`,
  );
  const records = await database.tuples(
    `SELECT r.area, r.iri, r.revision FROM accession_record r JOIN accession_area a ON a.area = r.area
     WHERE a.path LIKE '%incoming/%' ORDER BY r.area, r.iri`,
  );
  assert.deepEqual(present, records);
}
