/** Keeps the columns of entries and references that have policies, in the transaction that changes records. */
import type { Connection } from '../connection.ts';
import { LAST_TEXT, TEXT_AFTER } from '../history/entries.ts';
import { type PolicyTag, policiesColumn, policyColumn } from '../visibility.ts';

/** Parameters are the area, the IRI, and what the record names now. */
const POLICIES = "CASE WHEN policy = $3 THEN policy ELSE policy || '\n' || $3 END";
const FOLLOW = `UPDATE accession_entry SET policies = ${POLICIES}
  WHERE area = $1 AND iri = $2 AND policy IS NOT NULL AND policies <> ${POLICIES}`;
const FOLLOW_LINKS =
  'UPDATE accession_link SET policy = $3 WHERE area = $1 AND iri = $2 AND policy IS NOT NULL AND policy <> $3';

/** What a record names, other than before; `isNew` if there was none, which may have been deleted. */
type PolicyChange = { readonly iri: string; readonly policy: string; readonly isNew: boolean };

/** Has the entries of records, and their references, follow what the records name now. */
export async function followPolicies(
  connection: Connection,
  area: number,
  records: readonly PolicyChange[],
): Promise<void> {
  const valuesOf = (some: readonly PolicyChange[]) => some.map(({ iri, policy }) => [area, iri, policy]);
  await connection.many(FOLLOW, valuesOf(records));
  await connection.many(FOLLOW_LINKS, valuesOf(records.filter(({ isNew }) => !isNew)));
}

type EntryRow = [
  revision: number,
  version: string | null,
  former: string | null,
  ofRecord: string | null,
  last: string | null,
];

/** Computes the policies of entries again, by the tags that the area has now. Those of the records are up to date. */
export async function settleEntries(
  connection: Connection,
  area: number,
  revisions: readonly number[],
): Promise<void> {
  const [found] = await connection.tuples<[string]>(
    'SELECT policy_tags FROM accession_area WHERE area = $1',
    [area],
  );
  const tags = JSON.parse(found?.[0] ?? '[]') as PolicyTag[];
  const named = (json: string | null) => policyColumn(json ?? '{}', tags);
  const rows = await connection.tuples<EntryRow>(
    `SELECT e.revision, CASE WHEN e.deleted = 1 THEN e.former ELSE ${TEXT_AFTER} END, e.former, r.policy,
       CASE WHEN r.policy IS NULL THEN ${LAST_TEXT} END
     FROM accession_entry e LEFT JOIN accession_record r ON r.area = e.area AND r.iri = e.iri
     WHERE e.area = $1 AND ${connection.dialect.among('e.revision', 2, 'bigint')}`,
    [area, revisions],
  );
  const values = rows.map(([revision, version, former, ofRecord, last]) => {
    const policy = named(version);
    const before = former === null ? policy : named(former);
    const policies = policiesColumn(policy, ofRecord ?? named(last));
    return [area, revision, policy, before === policy ? null : before, policies];
  });
  await connection.many(
    `UPDATE accession_entry SET policy = $3, former_policy = $4, policies = $5 WHERE area = $1 AND revision = $2`,
    values,
  );
}
