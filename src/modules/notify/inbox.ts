/** The inbox of a user in a collection, and up to when it was read. */

import { compareCodePoints } from '#linkml/json.ts';
import type { FormerGrant } from '../../core/access/grant.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { titled } from '../../core/collections/links.ts';
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
import {
  EVENT_KINDS,
  type EventPosition,
  eventPosition,
  OTHER_SOURCE,
  writtenPosition,
} from '../review/events.ts';
import { reviewPart } from '../review/part.ts';
import type { InboxEvent } from './event-texts.ts';
import { FOLLOWED_KINDS, type FollowedChange, followedChanges, seenBy } from './followed.ts';
import { type InboxOf, OF_USER, userKey } from './person.ts';

/** Items that are counted as unread: the desk shows no more at once. */
export const MOST_UNREAD = 50;

export const inboxSchema = objectOf({
  items: {
    description: 'What has happened, newest first.',
    ...listOf(
      objectOf({
        kind: { enum: [...EVENT_KINDS, ...FOLLOWED_KINDS] },
        time: textSchema,
        label: { ...textSchema, description: 'The zone of a submission; empty for a curated record.' },
        pid: textSchema,
        class: textSchema,
        title: textOrNull,
        by: {
          ...textOrNull,
          description: 'Who submitted, commented or changed; null if the caller is not shown it.',
        },
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
type Inbox = Shape<typeof inboxSchema>;

/** @throws ServiceError `payload_invalid` if there is no such position */
export async function inboxOf(
  { collection, grant }: InboxOf,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<Inbox> {
  const pageOf = (page: PageQuery) => eventsOf({ collection, grant }, page);
  const until = await readUntil(collection.database, userKey({ collection, grant }));
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

/** What has happened, newest first, and the position behind which older ones are; null if there are none. */
type Page = {
  readonly events: { readonly event: InboxEvent; readonly position: string }[];
  readonly next: string | null;
};
type PageQuery = { readonly after?: string; readonly limit: number };

/**
 * A page of what has happened that concerns a user and may be shown to them, newest first: to submissions, and to records that they
 * follow.
 *
 * @throws ServiceError `payload_invalid` if there is no such position, `policies_unavailable`
 */
export async function eventsOf(of: InboxOf, { after, limit }: PageQuery): Promise<Page> {
  const start = after === undefined ? undefined : eventPosition(after);
  const page = await submissionEvents(of, { ...(after !== undefined && { after }), limit });
  const changes = new Map((await followedChanges(of)).map((one) => [writtenPosition(positionOf(one)), one]));
  // There may be further events of submissions behind the end of the page.
  const end = page.next === null ? undefined : eventPosition(page.next);
  const added = [...changes.keys()].map(eventPosition).filter((one) => {
    const isBehind = start === undefined || inOrder(start, one) < 0;
    return isBehind && (end === undefined || inOrder(one, end) < 0);
  });
  if (added.length === 0) return page;
  const known = new Map(page.events.map(({ event, position }) => [position, event]));
  const all = [...page.events.map(({ position }) => eventPosition(position)), ...added].sort(inOrder);
  const positions = all.slice(0, limit).map(writtenPosition);
  const shown = positions.flatMap((position) => changes.get(position) ?? []);
  const titles = await titledChanges(of, shown);
  const events = positions.map((position) => ({
    event: known.get(position) ?? eventOf(of, changes.get(position)!, titles),
    position,
  }));
  return { events, next: all.length > limit ? positions.at(-1)! : page.next };
}

async function submissionEvents({ collection, grant }: InboxOf, page: PageQuery): Promise<Page> {
  const { userId, label, permissions } = grant;
  const hasZone = collection.zones.exist && permissions.readZone && label !== undefined;
  const curates = permissions.curate && collection.zones.exist;
  if (!hasZone && !curates) return { events: [], next: null };
  const visibility = collection.visibilityOf(grant);
  const { review } = collection.part(reviewPart);
  return review.events({ userId, curates, ...(hasZone && { label }), visibility }, page);
}

function positionOf({ time, pid, revision }: FollowedChange): EventPosition {
  return [microsecondsOf(time), OTHER_SOURCE, '', pid, revision];
}

/** Newest first. Events of submissions that happened at one moment stay in the order in which they were read. */
function inOrder(a: EventPosition, b: EventPosition): number {
  const [[time, source, , pid, number], [other, otherSource, , otherPid, otherNumber]] = [a, b];
  const isFollowed = source === OTHER_SOURCE && otherSource === OTHER_SOURCE;
  return (
    other - time ||
    source - otherSource ||
    (isFollowed ? compareCodePoints(otherPid, pid) || otherNumber - number : 0)
  );
}

type Titles = Awaited<ReturnType<typeof titled>>;

async function titledChanges(of: InboxOf, changes: readonly FollowedChange[]): Promise<Titles> {
  const present = changes.filter(({ kind }) => kind === 'changed');
  return present.length === 0 ? new Map() : titled(of.collection, await seenBy(of), present);
}

function eventOf({ grant }: InboxOf, change: FollowedChange, titles: Titles): InboxEvent {
  const { kind, time, pid, className, iri, author } = change;
  return {
    kind,
    time,
    label: '',
    pid,
    class: className,
    title: titles.get(iri)?.title ?? null,
    // As in the feed of the collection.
    by: grant.permissions.curate ? author : null,
    text: null,
    requests: null,
  };
}

function beginningOf(page: Page, limit: number): Page {
  if (page.events.length <= limit) return page;
  const events = page.events.slice(0, limit);
  return { events, next: events.at(-1)!.position };
}

async function readUntil(
  database: Pick<ReadDatabase, 'tuples'>,
  key: readonly (string | number)[],
): Promise<number> {
  const sql = `SELECT until FROM accession_inbox_read WHERE ${OF_USER}`;
  return (await database.tuples<[number]>(sql, key))[0]?.[0] ?? 0;
}

/**
 * Marks what has happened up to a time, but not the future, as read, and what is later as unread; without one, forgets the user.
 *
 * @throws ServiceError `payload_invalid` if there is no such time
 */
export async function markRead(of: InboxOf, until: string | null): Promise<void> {
  const key = userKey(of);
  const time = until === null ? 0 : microsecondsOf(until);
  if (Number.isNaN(time)) {
    const msg = `expected the time of an item, found '${until}'`;
    throw refusal('payload_invalid', [{ type: 'value_error', loc: ['body', 'until'], msg }]);
  }
  await of.collection.database.transact(async (draft) => {
    if (until === null) draft.run(`DELETE FROM accession_inbox_read WHERE ${OF_USER}`, key);
    else
      draft.run(
        `INSERT INTO accession_inbox_read (area, collection, user_id, until) VALUES ($1, $2, $3, $4)
         ON CONFLICT (area, collection, user_id) DO UPDATE SET until = excluded.until`,
        [...key, Math.max(0, Math.min(time, Date.now() * 1000 + 999))],
      );
  });
}
