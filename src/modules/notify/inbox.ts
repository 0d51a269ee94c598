/** The inbox of a user in a collection, and up to when it was read. */

import type { FormerGrant, Grant } from '../../core/access/grant.ts';
import type { Collection } from '../../core/collections/collection.ts';
import type { Registry } from '../../core/collections/registry.ts';
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

/** Whose inbox it is, and of which collection. */
export type InboxOf = { readonly collection: Collection; readonly grant: Grant };

/** @throws ServiceError `payload_invalid` if there is no such position */
export async function inboxOf(
  { collection, grant }: InboxOf,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<Inbox> {
  const pageOf = (page: PageQuery) => eventsOf({ collection, grant }, page);
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

/**
 * Whose inbox it is when they have not sent their token: what they may read at the moment, as far as the token went.
 *
 * @returns undefined for nothing, also while maintenance keeps others than curators out
 */
export async function inboxAgain(
  collection: Collection,
  granted: FormerGrant,
  registry: Pick<Registry, 'current'>,
): Promise<InboxOf | undefined> {
  const grant = await collection.authorizeAgain(granted);
  const isClosed = registry.current().maintenance.has(collection.name) && !grant?.permissions.curate;
  return grant && !isClosed ? { collection, grant } : undefined;
}

type Page = Awaited<ReturnType<ReviewPart['review']['events']>>;
type PageQuery = { readonly after?: string; readonly limit: number };

/**
 * A page of what has happened that concerns a user and may be shown to them, newest first.
 *
 * @throws ServiceError `payload_invalid` if there is no such position, `policies_unavailable`
 */
export async function eventsOf({ collection, grant }: InboxOf, page: PageQuery): Promise<Page> {
  const { userId, label, permissions } = grant;
  const hasZone = collection.zones.exist && permissions.readZone && label !== undefined;
  const curates = permissions.curate && collection.zones.exist;
  if (!hasZone && !curates) return { events: [], next: null };
  const visibility = collection.visibilityOf(grant);
  const { review } = collection.part(reviewPart);
  return review.events({ userId, curates, ...(hasZone && { label }), visibility }, page);
}

function beginningOf(page: Page, limit: number): Page {
  if (page.events.length <= limit) return page;
  const events = page.events.slice(0, limit);
  return { events, next: events.at(-1)!.position };
}

const keyOf = ({ collection: { curated, name }, grant }: InboxOf) => [curated.area.id, name, grant.userId];

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
export async function markRead(of: InboxOf, until: string | null): Promise<void> {
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
