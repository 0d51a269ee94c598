/**
 * Forgetting people and contents in decisions and comments. Digests and decisions stay, so a rejection is still remembered.
 *
 * Entries of records are not touched: they are the history of the records themselves.
 */
import type { Database } from '../../../core/storage/database.ts';
import type { AreaId } from '../../../core/storage/store.ts';

type Forgettable = { readonly user: string } | { readonly iri: string };

/** @returns the number of decisions that were changed */
export function forget(database: Database, { id: curated }: AreaId, what: Forgettable): Promise<number> {
  return database.transact(async (draft) => {
    const values = [curated, 'iri' in what ? what.iri : what.user];
    const affected = `accession_decision WHERE curated = $1 AND ${'iri' in what ? ON_IRI : OF_USER}`;
    const [row] = await draft.tuples<[number]>(`SELECT count(*) FROM ${affected}`, values);
    if ('iri' in what) {
      draft.run(
        `DELETE FROM accession_kept WHERE curated = $1 AND id IN (SELECT id FROM ${affected})`,
        values,
      );
      draft.run('UPDATE accession_decision SET reason = NULL WHERE curated = $1 AND iri = $2', values);
    } else {
      const set = USERS.map((name) => `${name} = CASE WHEN ${name} = $2 THEN 'forgotten' ELSE ${name} END`);
      draft.run(`UPDATE accession_decision SET ${set.join(', ')} WHERE curated = $1 AND ${OF_USER}`, values);
    }
    draft.run(
      'iri' in what
        ? `DELETE FROM accession_comment WHERE ${OF_QUEUES} AND iri = $2`
        : `UPDATE accession_comment SET author = 'forgotten' WHERE ${OF_QUEUES} AND author = $2`,
      values,
    );
    draft.run('UPDATE accession_queue SET changes = changes + 1 WHERE curated = $1', [curated]);
    return row?.[0] ?? 0;
  });
}

const OF_QUEUES = 'queue IN (SELECT queue FROM accession_queue WHERE curated = $1)';
const USERS = ['submitter', 'edited_by', 'reviewer', 'undone_by'];
const OF_USER = `(${USERS.map((name) => `${name} = $2`).join(' OR ')})`;
const ON_IRI = `iri = $2 AND (reason IS NOT NULL OR EXISTS (SELECT 1 FROM accession_kept k
  WHERE k.curated = $1 AND k.id = accession_decision.id))`;
