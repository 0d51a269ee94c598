/** The inbox of a user in a collection, and up to when it was read. */

import type { Grant } from '../../core/access/grant.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { refusal } from '../../core/json-schema.ts';
import {
  countSchema,
  flagSchema,
  listOf,
  objectOf,
  type Shape,
  textOrNull,
  textSchema,
} from '../../core/shapes.ts';
import type { ReadDatabase } from '../../core/storage/database.ts';
import { microsecondsOf, timeOf } from '../../core/storage/times.ts';
import { EVENT_KINDS } from '../review/events.ts';
import { reviewPart } from '../review/part.ts';

/** Items that are counted as unread: the desk shows no more at once. */
export const MOST_UNREAD = 50;

export const inboxSchema = objectOf({
  items: {
    description: 'What has happened, newest first.',
    ...listOf(
      objectOf({
        kind: { enum: EVENT_KINDS },
        time: textSchema,
        label: textSchema,
        pid: textSchema,
        class: textSchema,
        title: textOrNull,
        by: { ...textOrNull, description: 'Who submitted or commented; null if the caller is not shown it.' },
        text: { ...textOrNull, description: 'The comment, or the message of the submission.' },
        requests: { ...textOrNull, description: 'What a comment asks for: `answer` or `changes`.' },
        unread: flagSchema,
      } as const),
    ),
  },
  unread: { ...countSchema, description: `Of the last ${MOST_UNREAD}.` },
  read_until: textOrNull,
} as const);
export type Inbox = Shape<typeof inboxSchema>;

type Of = { readonly collection: Collection; readonly grant: Grant };

export async function inboxOf(
  { collection, grant }: Of,
  {
    before = Number.MAX_SAFE_INTEGER,
    limit,
  }: { readonly before?: number | undefined; readonly limit: number },
): Promise<Inbox> {
  const { userId, label, permissions } = grant;
  const { readZone, readCurated, curate } = permissions;
  const { review } = collection.part(reviewPart);
  const hasZone = collection.zones.exist && readZone && label !== undefined;
  const concerned = {
    ...{ userId, curates: curate && collection.zones.exist, ...(hasZone && { label }) },
    sight: { readCurated, visibility: collection.visibilityOf(grant) },
  };
  const until = await readUntil(collection.database, keyOf({ collection, grant }));
  const last =
    hasZone || concerned.curates
      ? await review.events(concerned, { before: Number.MAX_SAFE_INTEGER, limit: MOST_UNREAD })
      : [];
  const isUnread = (time: string) => microsecondsOf(time) > until;
  const items =
    before === Number.MAX_SAFE_INTEGER && limit <= MOST_UNREAD
      ? last.slice(0, limit)
      : await review.events(concerned, { before, limit });
  return {
    items: items.map((item) => ({ ...item, unread: isUnread(item.time) })),
    unread: last.filter(({ time }) => isUnread(time)).length,
    read_until: until === 0 ? null : timeOf(until),
  };
}

const keyOf = ({ collection: { curated, name }, grant }: Of) => [curated.area.id, name, grant.userId];

async function readUntil(
  database: Pick<ReadDatabase, 'tuples'>,
  key: readonly (string | number)[],
): Promise<number> {
  const sql = 'SELECT until FROM accession_inbox_read WHERE area = $1 AND collection = $2 AND user_id = $3';
  return (await database.tuples<[number]>(sql, key))[0]?.[0] ?? 0;
}

/**
 * Marks what has happened up to a time, but not the future, as read, and what is later as unread; without one, forgets the user.
 *
 * @throws ServiceError `payload_invalid` if there is no such time
 */
export async function markRead(of: Of, until: string | null): Promise<void> {
  const key = keyOf(of);
  const time = until === null ? 0 : microsecondsOf(until);
  if (Number.isNaN(time)) {
    const msg = `expected the time of an item, found '${until}'`;
    throw refusal('payload_invalid', [{ type: 'value_error', loc: ['body', 'until'], msg }]);
  }
  await of.collection.database.transact(async (draft) => {
    if (until === null)
      draft.run('DELETE FROM accession_inbox_read WHERE area = $1 AND collection = $2 AND user_id = $3', key);
    else
      draft.run(
        `INSERT INTO accession_inbox_read (area, collection, user_id, until) VALUES ($1, $2, $3, $4)
         ON CONFLICT (area, collection, user_id) DO UPDATE SET until = excluded.until`,
        [...key, Math.max(0, Math.min(time, Date.now() * 1000 + 999))],
      );
  });
}
