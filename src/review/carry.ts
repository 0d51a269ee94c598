/**
 * Refusals over changes of the schema. A change that mends records gives a refused claim another form: what was rejected
 * stays rejected only if the content that its decision keeps is mended as well.
 */
import type { Draft } from '../storage/database.ts';
import type { AreaId } from '../storage/store.ts';
import type { Kept } from './decisions.ts';
import type { Content } from './types.ts';

/** The contents of a refusal by the schemas that records were mended for. */
type Carried = { readonly contents: Readonly<Record<string, Content>>; readonly last: string };

/**
 * Carries refusals over to another schema, in the transaction of the change, and has the submissions of the collection
 * compared again.
 *
 * @param from, to digests of the schemas
 * @param mend the content as it is mended; without it, refusals become what they were under `to`
 */
export async function carryRefusals(
  draft: Draft,
  collection: string,
  curated: AreaId,
  { from, to }: { readonly from: string; readonly to: string },
  mend?: (content: Content, pid: string) => Promise<Content | undefined>,
): Promise<void> {
  const rows = await draft.read<RefusalRow>(
    `SELECT d.id, d.pid, k.json, k.carried FROM accession_decision d
     JOIN accession_kept k ON k.curated = d.curated AND k.id = d.id
     WHERE d.curated = $1 AND d.decision <> 'accept' AND d.undone_at IS NULL`,
    [curated.id],
  );
  for (const { id, pid, json, carried } of rows) {
    const { submitted } = JSON.parse(json) as Kept;
    const contents = carried === null ? {} : (JSON.parse(carried) as Carried).contents;
    const former = contents[from] ?? submitted;
    const next = mend ? await mend(former, pid) : contents[to];
    if (carried === null && !next) continue;
    const kept: Carried = {
      contents: { ...contents, [from]: former, [to]: next ?? (mend ? former : submitted) },
      last: to,
    };
    draft.run('UPDATE accession_kept SET carried = $3 WHERE curated = $1 AND id = $2', [
      ...[curated.id, id, JSON.stringify(kept)],
    ]);
  }
  draft.run(
    `DELETE FROM accession_cursor WHERE name IN (
       SELECT 'review ' || queue FROM accession_queue WHERE collection = $1 AND curated = $2)`,
    [collection, curated.id],
  );
}

type RefusalRow = {
  readonly id: string;
  readonly pid: string;
  readonly json: string;
  readonly carried: string | null;
};

/** Returns the record that a decision refused, in the form that it has under a schema. */
export function contentUnder(carried: string | null, schema: string, submitted: Content): Content {
  if (carried === null) return submitted;
  const { contents, last } = JSON.parse(carried) as Carried;
  return contents[schema] ?? contents[last] ?? submitted;
}
