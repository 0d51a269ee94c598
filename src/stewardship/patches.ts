/**
 * Patches: records before and after a step of stewards. They are written only over what was read, and kept as ledger rows
 * of the curated area, so that the step can be undone.
 */
import { ServiceError } from '../errors.ts';
import type { RecordText } from '../records/record.ts';
import { isSameRecord } from '../schema-type.ts';
import type { Change, LedgerChange, LedgerRow, RecordStore, StoredRecord } from '../storage/store.ts';

/** A record before and after a step; null if there was none, or is none. */
export type Patch = { readonly area: string; readonly before: Text | null; readonly after: Text | null };
export type Text = Pick<RecordText, 'pid' | 'iri' | 'className' | 'json' | 'links'>;

const PATCH = 'patch';
const PATCHES_AT_ONCE = 1000;

export function patchText({ pid, iri, className, json }: StoredRecord): Text {
  return { pid, iri, className, json };
}

/** Puts the patched texts in place of those before. @throws ServiceError `precondition_failed` if one has changed */
export async function changesOf(
  store: RecordStore,
  patches: readonly Patch[],
  id: string,
): Promise<Change[]> {
  const changes: Change[] = [];
  const note = { batch: id };
  for (const { before, after } of patches) {
    if (before === null) {
      if (after) changes.push({ put: after, expect: { absent: true }, note });
      continue;
    }
    const record = await store.get(before.iri);
    if (!record || !sameText(record, before))
      throw changed(`The record '${before.pid}' has changed meanwhile.`);
    const expect = { revisions: [record.revision] };
    if (after === null) changes.push({ delete: before.iri, expect, note });
    else if (after.iri === before.iri) changes.push({ put: after, expect, note });
    else changes.push({ delete: before.iri, expect, note }, { put: after, expect: { absent: true }, note });
  }
  return changes;
}

/** Whether a record is the one that was read. */
export function sameText(record: StoredRecord, { className, json }: Text): boolean {
  return record.className === className && isSameRecord(record.json, json);
}

/** The patch that takes another one back. */
export function inverse({ area, before, after }: Patch): Patch {
  return { area, before: after, after: before };
}

/** The ledger rows that keep the patches of a step. */
export function rowsOf(id: string, patches: readonly Patch[]): LedgerChange[] {
  return patches.map((patch) => {
    const row = `${id}\n${patch.area}\n${(patch.before ?? patch.after)?.iri}`;
    return { set: { kind: PATCH, id: row, keys: [id], json: JSON.stringify(patch) } };
  });
}

export async function patchRows(curated: RecordStore, plan: string): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for (;;) {
    const last = rows.at(-1)?.id;
    const page = await curated.ledger.list({
      kind: PATCH,
      keys: [plan],
      limit: PATCHES_AT_ONCE,
      ...(last !== undefined && { after: last }),
    });
    rows.push(...page);
    if (page.length < PATCHES_AT_ONCE) return rows;
  }
}

export async function patchesOf(curated: RecordStore, plan: string): Promise<Patch[]> {
  return (await patchRows(curated, plan)).map(({ json }) => JSON.parse(json) as Patch);
}

export function changed(message: string): ServiceError {
  return new ServiceError('precondition_failed', message);
}
