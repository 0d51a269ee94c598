/**
 * Forgetting people and contents in decisions. Digests and decisions stay, so a rejection is still remembered.
 *
 * Entries of records are not touched: they are the history of the records themselves.
 */
import type { Database } from '../storage/database.ts';
import type { AreaId } from '../storage/store.ts';

/** The replacement of a user id. */
const FORGOTTEN = 'forgotten';

export type Forgettable = { readonly user: string } | { readonly iri: string };

/** @returns the number of decisions that were changed */
export function forget(database: Database, curated: AreaId, what: Forgettable): Promise<number> {
  const columns = 'iri' in what ? CONTENTS : PEOPLE;
  const isAffected =
    'iri' in what
      ? `iri = $2 AND (${columns.map((name) => `${name} IS NOT NULL`).join(' OR ')})`
      : `(${columns.map((name) => `${name} = $2`).join(' OR ')})`;
  const set =
    'iri' in what
      ? columns.map((name) => `${name} = NULL`)
      : columns.map((name) => `${name} = CASE WHEN ${name} = $2 THEN '${FORGOTTEN}' ELSE ${name} END`);
  const values = [curated.id, 'iri' in what ? what.iri : what.user];
  return database.transact(async (draft) => {
    const affected = `accession_decision WHERE curated = $1 AND ${isAffected}`;
    const [row] = await draft.tuples<[number]>(`SELECT count(*) FROM ${affected}`, values);
    draft.run(`UPDATE ${affected.replace(' WHERE', ` SET ${set.join(', ')} WHERE`)}`, values);
    draft.run('UPDATE accession_queue SET changes = changes + 1 WHERE curated = $1', [curated.id]);
    return row?.[0] ?? 0;
  });
}

const PEOPLE = ['submitter', 'reviewer', 'undone_by', 'edited_by'];
const CONTENTS = [
  ...['reason', 'message', 'base_class', 'base_json', 'submitted', 'before_class', 'before_json'],
  ...['after_class', 'after_json', 'carried'],
];
