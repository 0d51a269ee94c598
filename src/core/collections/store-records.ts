/** Stores of records in one area: the changes that they make, and many items in one transaction, each with its own condition. */
import { fewAtOnce } from '../batches.ts';
import { isServiceError, orRefusal, type ServiceError } from '../errors.ts';
import { type Condition, preconditionFailed } from '../records/condition.ts';
import type { RecordText } from '../records/record.ts';
import type { Draft } from '../storage/database.ts';
import type { Actor, Change, Expectation, RecordStore } from '../storage/store.ts';
import { unexpected } from '../storage/write/records.ts';
import type { StoreContext, StoreItem, SubmissionMetadata } from './area.ts';
import type { Collection } from './collection.ts';

/** The changes that store records. */
export function submittedChanges(
  records: readonly RecordText[],
  { basedOn, ...note }: SubmissionMetadata = {},
  expect?: Expectation,
): Change[] {
  return records.map(({ isChecked, ...put }, at) => ({
    put,
    note,
    ...(at === 0 && expect && { expect }),
    context: { isChecked, ...(at === 0 && { basedOn }) } satisfies StoreContext,
  }));
}

/** The store to write to, who writes, and how a condition of the caller is an expectation there. */
type Target = {
  readonly store: RecordStore;
  readonly by: Actor;
  expect(record: RecordText, condition: Condition): Promise<Expectation>;
};

/** An item, with what the client says of its submission. */
type NotedItem = StoreItem & { readonly metadata: SubmissionMetadata };

/**
 * Stores the items whose conditions are true, all in one transaction; with `allOrNothing` none if one is not.
 *
 * @returns for each item the revision of its first record, or why it is not stored; undefined for one that others have prevented
 */
export async function storeMany(
  collection: Collection,
  target: Target,
  items: readonly NotedItem[],
  allOrNothing: boolean,
): Promise<(ServiceError | number | undefined)[]> {
  const { refusals, written } = await collection.transact(async (draft) => {
    const refusals = await refusalsOf(draft, target, items);
    const isPrevented = allOrNothing && refusals.some((refusal) => refusal !== undefined);
    const accepted = isPrevented ? [] : items.filter((_, at) => refusals[at] === undefined);
    const changes = accepted.flatMap(({ records, metadata }) => submittedChanges(records, metadata));
    const { area } = target.store;
    return {
      refusals,
      written: changes.length > 0 ? await draft.write(area, changes, target.by) : undefined,
    };
  });
  let next = 0;
  return items.map(({ records }, at) => {
    if (refusals[at] || !written) return refusals[at];
    const revision = written.revisions[next];
    next += records.length;
    return revision;
  });
}

/** Why items are not stored. The transaction is prepared again if another client changes one of their records before the commit. */
async function refusalsOf(
  draft: Draft,
  { store, expect }: Target,
  items: readonly NotedItem[],
): Promise<(ServiceError | undefined)[]> {
  const conditional = items.flatMap(({ records: [first], condition }) =>
    first && condition ? [first.iri] : [],
  );
  if (conditional.length === 0) return items.map(() => undefined);
  const sql = `SELECT iri, revision FROM accession_record WHERE area = $1 AND ${draft.dialect.among('iri', 2)} ORDER BY iri`;
  const present = new Map(
    await draft.tuples<[iri: string, revision: number]>(sql, [store.area.id, [...new Set(conditional)]]),
  );
  const refusals: (ServiceError | undefined)[] = [];
  /** What items before this one write. */
  const written = new Set<string>();
  const refusal = async ({ records: [first], condition }: NotedItem) => {
    if (!first || !condition) return undefined;
    const revision = present.get(first.iri);
    const expected = await orRefusal(expect(first, condition));
    if (isServiceError(expected)) return expected;
    return unexpected(expected, revision === undefined ? undefined : { revision }, first.pid);
  };
  const found = await fewAtOnce(items, refusal);
  for (const [at, { records, condition }] of items.entries()) {
    const [first] = records;
    const isReplaced = condition && first && written.has(first.iri);
    const refused = isReplaced ? unexpectedAfterWrite(condition, first.pid) : found[at];
    refusals.push(refused);
    if (!refused) for (const { iri } of records) written.add(iri);
  }
  return refusals;
}

/** What an item has written is in no state that a client has read. */
function unexpectedAfterWrite({ kind }: Condition, pid: string): ServiceError | undefined {
  return kind === 'present' ? undefined : preconditionFailed(pid);
}
