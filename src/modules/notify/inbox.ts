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
import { type ReviewPart, reviewPart } from '../review/part.ts';

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
  next: { ...textOrNull, description: 'Leads to older items as `after`; null if there are none.' },
  unread: { ...countSchema, description: `Of the last ${MOST_UNREAD}.` },
  read_until: textOrNull,
} as const);
export type Inbox = Shape<typeof inboxSchema>;

type Of = { readonly collection: Collection; readonly grant: Grant };

/** @throws ServiceError `payload_invalid` if there is no such position */
export async function inboxOf(
  { collection, grant }: Of,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<Inbox> {
  const { userId, label, permissions } = grant;
  const { readZone, curate } = permissions;
  const { review } = collection.part(reviewPart);
  const hasZone = collection.zones.exist && readZone && label !== undefined;
  const curates = curate && collection.zones.exist;
  const concerned = {
    userId,
    curates,
    ...(hasZone && { label }),
    visibility: collection.visibilityOf(grant),
  };
  const pageOf = async (page: { readonly after?: string; readonly limit: number }) =>
    hasZone || curates ? review.events(concerned, page) : { events: [], next: null };
  const until = await readUntil(collection.database, keyOf({ collection, grant }));
  const last = await pageOf({ limit: MOST_UNREAD });
  const { events, next } = after === undefined ? beginningOf(last, limit) : await pageOf({ after, limit });
  const isUnread = (time: string) => microsecondsOf(time) > until;
  return {
    items: events.map(({ event }) => ({ ...event, unread: isUnread(event.time) })),
    next,
    unread: last.events.filter(({ event }) => isUnread(event.time)).length,
    read_until: until === 0 ? null : timeOf(until),
  };
}

type Page = Awaited<ReturnType<ReviewPart['review']['events']>>;

function beginningOf(page: Page, limit: number): Page {
  if (page.events.length <= limit) return page;
  const events = page.events.slice(0, limit);
  return { events, next: events.at(-1)!.position };
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
