/** The inbox of a user in a collection, and up to where it was read. */

import type { FormerGrant } from '../../core/access/grant.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { titled } from '../../core/collections/links.ts';
import type { Registry } from '../../core/collections/registry.ts';
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
import { microsecondsOf } from '../../core/storage/times.ts';
import { type ReviewPart, reviewPart } from '../review/part.ts';
import {
  EVENT_KINDS,
  type EventPosition,
  NEWEST,
  OTHER_SOURCE,
  refuseAfter,
} from '../review/queue/events.ts';
import { cursorKey, openCursor, sealedCursor } from './cursors.ts';
import type { InboxEvent } from './event-texts.ts';
import { FOLLOWED_KINDS, type FollowedChange, followedChanges, seenBy } from './followed.ts';
import {
  cursorOf,
  type Happened,
  isBehind,
  MARK_COLUMNS,
  type Mark,
  markIn,
  markOf,
  presentMark,
} from './marks.ts';
import { MOST_UNREAD } from './most-unread.ts';
import { type InboxOf, OF_USER, userKey } from './person.ts';

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
  cursor: { ...textSchema, description: 'Up to where this is the inbox: marks all of it as read.' },
} as const);
type Inbox = Shape<typeof inboxSchema>;

/** @throws ServiceError `payload_invalid` if there is no such position */
export async function inboxOf(
  { collection, grant }: InboxOf,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<Inbox> {
  const of = { collection, grant };
  const key = await cursorKey(collection.database);
  // First: what happens meanwhile is behind it.
  const present = await presentMark(collection);
  const mark = markIn(present, await readMark(collection.database, userKey(of)));
  const last = await eventsOf(of, { mark, limit: MOST_UNREAD });
  const { events, next } =
    after === undefined
      ? beginningOf(last, limit)
      : await eventsOf(of, { mark, after: positionIn(key, after), limit });
  return {
    items: events.map(({ event, at }) => ({ ...event, unread: isBehind(mark, at) })),
    next: next && cursorBehind(key, next),
    unread: last.events.filter(({ at }) => isBehind(mark, at)).length,
    cursor: cursorOf(key, present),
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

/** Something that has happened. */
type Item = {
  readonly event: InboxEvent;
  readonly at: Happened;
  /** The same for it in each answer. */
  readonly key: string;
  /** Behind it, a page continues. */
  readonly position: InboxPosition;
};
/** What has happened, newest first, and the position behind which older ones are; null if there are none. */
type Page = { readonly events: Item[]; readonly next: InboxPosition | null };
type PageQuery = {
  readonly after?: InboxPosition | undefined;
  readonly limit: number;
  /** What is behind it comes first. */
  readonly mark?: Mark;
};

/**
 * A page of what has happened that concerns a user and may be shown to them, newest first: to submissions, and to records that they
 * follow. Both are in the order in which they happened. Among each other they have times alone, of clocks that may be wrong, so a mark
 * says more.
 *
 * @throws ServiceError `policies_unavailable`
 */
export async function eventsOf(
  of: InboxOf,
  { after: start = BEGINNING, limit, mark }: PageQuery,
): Promise<Page> {
  const submissions = await submissionEvents(of, { after: start.event, limit });
  const changes = (await followedChanges(of))
    .filter(({ revision }) => revision < start.revision)
    .sort((a, b) => b.revision - a.revision);
  const isFirst = (one: Happened, other: Happened) => {
    const isNew = mark !== undefined && isBehind(mark, one);
    return mark !== undefined && isBehind(mark, other) !== isNew ? isNew : one.time > other.time;
  };
  const chosen: { readonly found: InboxEvent | FollowedChange; readonly reached: InboxPosition }[] = [];
  let [reached, read, shown] = [start, 0, 0];
  while (chosen.length < limit) {
    const [submission, change] = [submissions.events[read], changes[shown]];
    // There may be further events of submissions behind the end of the page.
    if (!submission && (!change || submissions.next !== null)) break;
    if (change && (!submission || isFirst(placeOfChange(change), placeOf(submission.position)))) {
      shown += 1;
      reached = { ...reached, revision: change.revision };
      chosen.push({ found: change, reached });
    } else if (submission) {
      read += 1;
      reached = { ...reached, event: submission.position };
      chosen.push({ found: submission.event, reached });
    }
  }
  const titles = await titledChanges(of, changes.slice(0, shown));
  const events = chosen.map(({ found, reached }): Item => {
    const position = reached;
    if (!('revision' in found)) {
      const [, ...key] = reached.event;
      return { event: found, at: placeOf(reached.event), key: written(key), position };
    }
    const at = placeOfChange(found);
    const key = written([at.time, OTHER_SOURCE, '', found.pid, found.revision]);
    return { event: eventOf(of, found, titles), at, key, position };
  });
  const isRead = read === submissions.events.length;
  if (isRead && submissions.next === null && shown === changes.length) return { events, next: null };
  const event = isRead && submissions.next !== null ? submissions.next : reached.event;
  return { events, next: { ...reached, event } };
}

type SubmissionEvents = Awaited<ReturnType<ReviewPart['review']['events']>>;

async function submissionEvents(
  { collection, grant }: InboxOf,
  page: { readonly after: EventPosition; readonly limit: number },
): Promise<SubmissionEvents> {
  const { userId, label, permissions } = grant;
  const hasZone = collection.zones.exist && permissions.readZone && label !== undefined;
  const curates = permissions.curate && collection.zones.exist;
  if (!hasZone && !curates) return { events: [], next: null };
  const visibility = collection.visibilityOf(grant);
  const { review } = collection.part(reviewPart);
  return review.events({ userId, curates, ...(hasZone && { label }), visibility }, page);
}

function placeOf([change, time]: EventPosition): Happened {
  return { change, time, revision: 0 };
}

function placeOfChange({ time, revision }: FollowedChange): Happened {
  return { change: 0, time: microsecondsOf(time), revision };
}

/** How far a page has come: each kind has an own order. */
export type InboxPosition = { readonly event: EventPosition; readonly revision: number };

const BEGINNING: InboxPosition = { event: NEWEST, revision: Number.MAX_SAFE_INTEGER };

/** The form in which earlier releases have noted mailed events, and made the ids of entries of feeds. */
const written = (parts: readonly (string | number)[]) =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** The position as clients have it. */
function cursorBehind(key: string, { event, revision }: InboxPosition): string {
  const [change, time, source, label, pid, number] = event;
  return sealedCursor(key, 'inbox page', {
    numbers: [change, time, source, number, revision],
    texts: [label, pid],
  });
}

/** @throws ServiceError `payload_invalid` for a string that is none */
function positionIn(key: string, cursor: string): InboxPosition {
  const { numbers, texts } = openCursor(key, 'inbox page', cursor) ?? refuseAfter();
  const [change, time, source, number, revision] = numbers as [number, number, number, number, number];
  const [label, pid] = texts as [string, string];
  return { event: [change, time, source, label, pid, number], revision };
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

async function readMark(
  database: Pick<ReadDatabase, 'tuples'>,
  key: readonly (string | number)[],
): Promise<Mark | undefined> {
  const sql = `SELECT ${MARK_COLUMNS}, until FROM accession_inbox_read WHERE ${OF_USER}`;
  const [row] = await database.tuples<[number, number, number, number]>(sql, key);
  if (!row) return undefined;
  const [queue, change, revision, until] = row;
  return { queue, change, revision, until };
}

/**
 * Marks what has happened up to the cursor of an inbox as read, and what came later as unread; without one, forgets the user.
 *
 * @throws ServiceError `payload_invalid` if it is none
 */
export async function markRead(of: InboxOf, cursor: string | null): Promise<void> {
  const key = userKey(of);
  const mark = cursor === null ? undefined : await markOf(of.collection, cursor);
  await of.collection.database.transact(async (draft) => {
    if (!mark) draft.run(`DELETE FROM accession_inbox_read WHERE ${OF_USER}`, key);
    else
      draft.run(
        `INSERT INTO accession_inbox_read (area, collection, user_id, ${MARK_COLUMNS}, until) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (area, collection, user_id) DO UPDATE SET queue = excluded.queue, change = excluded.change,
           revision = excluded.revision, until = excluded.until`,
        [...key, mark.queue, mark.change, mark.revision, mark.until],
      );
  });
}
