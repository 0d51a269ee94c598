/**
 * Records that users follow: the last change of each is in their inbox. A user may follow a collection, too: then it is kept up to
 * which change they have seen it, and what has changed since is read from its feed.
 */
import { ServiceError } from '../../core/errors.ts';
import { resolvePid } from '../../core/records/record.ts';
import { listOf, objectOf, orNull, type Shape, textSchema } from '../../core/shapes.ts';
import type { FeedChange, ReadStore } from '../../core/storage/store.ts';
import { timeOf } from '../../core/storage/times.ts';
import type {} from './codes.ts';
import { type InboxOf, OF_USER, userKey } from './person.ts';

/** Records that a user follows in a collection, at most: each is looked up when the inbox is read. */
export const MOST_FOLLOWED = 100;

export const followedSchema = objectOf({
  records: {
    description: 'The pids of the records, as they are now, the last one first.',
    ...listOf(textSchema),
  },
  visit: {
    ...orNull(objectOf({ cursor: textSchema, time: textSchema } as const)),
    description: 'Up to which change the collection was seen, and when that was; null if it is not followed.',
  },
} as const);
type Followed = Shape<typeof followedSchema>;

/** A record that is followed. */
type FollowedRecord = {
  /** The pid that it had then. */
  readonly pid: string;
  /** The revision of the curated area when it was followed. */
  readonly after: number;
  /** The IRIs by which it was followed. */
  readonly former: readonly string[];
};

export const FOLLOWED_KINDS = ['changed', 'deleted'] as const;
export type FollowedKind = (typeof FOLLOWED_KINDS)[number];

/** The last change of a followed record. */
export type FollowedChange = Pick<
  FeedChange,
  'iri' | 'pid' | 'className' | 'time' | 'author' | 'revision'
> & {
  readonly kind: FollowedKind;
};

/** What a user follows in a collection. */
export async function followedBy(of: InboxOf): Promise<Followed> {
  const records = await recordsOf(of);
  const named = await pidsSeen(of, [...records.keys()]);
  const [visit] = await of.collection.database.tuples<[cursor: string, time: number]>(
    `SELECT cursor, time FROM accession_inbox_visit WHERE ${OF_USER}`,
    userKey(of),
  );
  return {
    records: [...records].map(([iri, { pid }]) => named.get(iri) ?? pid).reverse(),
    visit: visit ? { cursor: visit[0], time: timeOf(visit[1]) } : null,
  };
}

/** The present pids of the records that the user sees, by IRI. */
async function pidsSeen(of: InboxOf, iris: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const present = of.grant.permissions.readCurated ? await (await seenBy(of)).present(iris) : [];
  return new Map(present.map(({ iri, pid }) => [iri, pid]));
}

/** Follows a record from now on. @throws ServiceError `record_missing`, `prefix_unknown`, `followed_too_many` */
export async function follow(of: InboxOf, pid: string): Promise<void> {
  const { database, curated, schema } = of.collection;
  const iri = resolvePid(schema, pid);
  const isSeen = of.grant.permissions.readCurated && (await (await seenBy(of)).having([iri])).length > 0;
  if (!isSeen) throw new ServiceError('record_missing', `The record '${pid}' does not exist.`);
  const records = await recordsOf(of);
  if (records.has(iri)) return;
  if (records.size >= MOST_FOLLOWED)
    throw new ServiceError(
      'followed_too_many',
      `You follow ${MOST_FOLLOWED} records of the collection: stop following one first.`,
    );
  const revision = await curated.revision();
  await database.transact(
    async (draft) =>
      void draft.run(
        `INSERT INTO accession_inbox_followed (area, collection, user_id, iri, pid, revision)
         SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS BIGINT)
         WHERE NOT EXISTS (SELECT 1 FROM accession_inbox_followed WHERE ${OF_USER} AND iri = $4)`,
        [...userKey(of), iri, pid, revision],
      ),
  );
}

/** Follows a record no more, by the pid that it has or had. @throws ServiceError `prefix_unknown` */
export async function stopFollowing(of: InboxOf, pid: string): Promise<void> {
  const iri = resolvePid(of.collection.schema, pid);
  const followed = (await recordsOf(of)).get(iri);
  await of.collection.database.transact(async (draft) => {
    const iris = [iri, ...(followed?.former ?? [])];
    for (const one of iris)
      draft.run(`DELETE FROM accession_inbox_followed WHERE ${OF_USER} AND iri = $4`, [...userKey(of), one]);
  });
}

/** Notes that a user has seen a collection up to a cursor of its feed; null ends that they follow it. */
export async function noteVisit(of: InboxOf, cursor: string | null): Promise<void> {
  await of.collection.database.transact(async (draft) => {
    if (cursor === null) draft.run(`DELETE FROM accession_inbox_visit WHERE ${OF_USER}`, userKey(of));
    else
      draft.run(
        `INSERT INTO accession_inbox_visit (area, collection, user_id, cursor, time) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (area, collection, user_id) DO UPDATE SET cursor = excluded.cursor, time = excluded.time`,
        [...userKey(of), cursor, Date.now() * 1000],
      );
  });
}

/**
 * The last change of each followed record, if another user made it and the reader sees it: a record that was hidden from them
 * is silent.
 */
export async function followedChanges(of: InboxOf): Promise<FollowedChange[]> {
  const { collection, grant } = of;
  if (!grant.permissions.readCurated) return [];
  const records = await recordsOf(of);
  if (records.size === 0) return [];
  const { curated } = collection;
  const seen = await seenBy(of);
  const revision = await curated.revision();
  const found: FollowedChange[] = [];
  for (const [iri, { after }] of records) {
    const last = await lastChange(curated, iri, after, revision);
    if (!last || last.author === grant.userId) continue;
    const [shown] = (await seen.feed({ iri, after: last.revision - 1, limit: 1 })).changes;
    if (shown?.revision !== last.revision) continue;
    // To one from whom it hides the record, a change is a deletion.
    if (shown.kind === 'deleted' && last.kind !== 'deleted') continue;
    found.push({ ...shown, kind: shown.kind === 'deleted' ? 'deleted' : 'changed' });
  }
  return found;
}

async function lastChange(
  store: Pick<ReadStore, 'feed'>,
  iri: string,
  after: number,
  upTo: number,
): Promise<FeedChange | undefined> {
  if (after >= upTo) return undefined;
  return (await store.feed({ iri, after, limit: 1, lastUpTo: upTo })).changes[0];
}

/** The curated records that a user sees. @throws ServiceError `policies_unavailable` */
export function seenBy({ collection, grant }: InboxOf): Promise<ReadStore> {
  return collection.seen<ReadStore>(collection.curated, collection.visibilityOf(grant));
}

/**
 * By their present IRIs, in the order in which they were followed: records may have been renamed, and merged. One that became a record
 * which the user does not see is gone to them, as it is in the feed of the collection.
 */
async function recordsOf(of: InboxOf): Promise<Map<string, FollowedRecord>> {
  const { database, curated, moves } = of.collection;
  const rows = await database.tuples<[iri: string, pid: string, revision: number]>(
    `SELECT iri, pid, revision FROM accession_inbox_followed WHERE ${OF_USER} ORDER BY id`,
    userKey(of),
  );
  const records = new Map<string, FollowedRecord>();
  if (rows.length === 0) return records;
  const present = new Set(await curated.having(rows.map(([iri]) => iri)));
  const moved = new Map<string, string>();
  for (const [iri] of rows) {
    const to = present.has(iri) ? undefined : await moves?.movedTo(iri);
    if (to !== undefined) moved.set(iri, to);
  }
  const targets = [...new Set(moved.values())];
  const seen = await pidsSeen(of, targets);
  const hidden = new Set((await curated.having(targets)).filter((iri) => !seen.has(iri)));
  for (const [iri, pid, after] of rows) {
    const target = moved.get(iri);
    const to = target === undefined || hidden.has(target) ? iri : target;
    const other = records.get(to);
    records.set(to, { pid, after, ...other, former: [...(other?.former ?? []), iri] });
  }
  return records;
}
