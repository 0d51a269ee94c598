/**
 * Refusals over changes of the schema. A change that mends records gives a refused claim another form: what was rejected
 * stays rejected only if the content that its decision keeps is mended as well.
 */
import type { LedgerChange, RecordStore } from '../storage/store.ts';
import { DECISION, type KeptDecision } from './ledger-rows.ts';
import type { Content } from './types.ts';

/** The contents of a refusal by the schemas that records were mended for, under the id of the decision. */
export const CARRIED = 'decision-carried';

type Carried = { readonly contents: Readonly<Record<string, Content>>; readonly last: string };

const PAGE = 500;

/**
 * The rows that carry refusals over to another schema, for the transaction of the change.
 *
 * @param from, to digests of the schemas
 * @param mend the content as it is mended; without it, refusals become what they were under `to`
 */
export async function carriedRows(
  { ledger }: Pick<RecordStore, 'ledger'>,
  { from, to }: { readonly from: string; readonly to: string },
  mend?: (content: Content, pid: string) => Content | undefined,
): Promise<LedgerChange[]> {
  const changes: LedgerChange[] = [];
  for (let after = ''; ; ) {
    const rows = await ledger.list({ kind: DECISION, after, limit: PAGE });
    for (const { id, json } of rows) {
      const { decision, submitted } = JSON.parse(json) as KeptDecision;
      if (decision.decision === 'accept' || decision.undone || !submitted) continue;
      const row = await ledger.get(CARRIED, id);
      const { contents }: Pick<Carried, 'contents'> = row ? JSON.parse(row.json) : { contents: {} };
      const former = contents[from] ?? submitted;
      const next = mend ? mend(former, decision.pid) : contents[to];
      if (!row && !next) continue;
      const carried: Carried = {
        contents: { ...contents, [from]: former, [to]: next ?? (mend ? former : submitted) },
        last: to,
      };
      changes.push({ set: { kind: CARRIED, id, keys: [], json: JSON.stringify(carried) } });
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return changes;
    after = last.id;
  }
}

/** What a decision refused, in the form that it has under a schema; undefined if it was not carried over. */
export async function carriedContent(
  { ledger }: Pick<RecordStore, 'ledger'>,
  id: string,
  schema: string,
): Promise<Content | undefined> {
  const row = await ledger.get(CARRIED, id);
  if (!row) return undefined;
  const { contents, last } = JSON.parse(row.json) as Carried;
  return contents[schema] ?? contents[last];
}
