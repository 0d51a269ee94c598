/** The changes of areas, for those who follow them: as pages that may be waited for, or as a stream of events. */
import type { FastifyReply } from 'fastify';
import type { Collection } from '../../collections/collection.ts';
import {
  type ChangePage,
  type Cursor,
  changeSchema,
  changesBehind,
  type Feed,
  presentCursor,
} from '../../collections/feed.ts';
import { EVERY } from '../../durations.ts';
import { isServiceError } from '../../errors.ts';
import { listOf, objectOf, type Shape, textSchema } from '../../shapes.ts';
import { type Call, type DeclaredNeed, type Endpoint, row } from '../endpoint.ts';
import { type Enter, enterArea, enterOwnZone, enterThen, enterToRead, whileEntered } from '../enter.ts';
import { beginToWait } from '../gate.ts';
import type { ValuesOf } from '../parameter.ts';
import { integer, parameterRefused, textParameter } from '../query.ts';
import { sendJson } from '../reply.ts';
import { replying } from '../replying.ts';
import { sendParts } from '../stream-reply.ts';
import type { Listener } from '../wakeups.ts';
import { jsonAnswer } from './schemas.ts';

const DEFAULT_CHANGES = 100;
const MOST_CHANGES = 1000;
const LONGEST_WAIT = 60;

const changeParameters = {
  since: textParameter(
    'The changes behind this cursor: `next` of the former page, an `Accession-Revision`, or `now`. Without it, all that are kept.',
  ),
  limit: integer('Changes per page.', DEFAULT_CHANGES, 1, MOST_CHANGES),
  wait: integer('Seconds to wait for a change if there is none.', 0, 0, LONGEST_WAIT),
  class: textParameter('Only changes of records of this class, with its subclasses.'),
  record: textParameter('Only changes of the record with this pid.'),
};

/** Enters the curated area, for those who read it. */
const enterCurated = enterThen(enterToRead, async ({ collection, grant, area }): Promise<Feed> => {
  const store = await collection.seen(collection.curated, area.visibility());
  const reader = grant.permissions.curate ? {} : { reader: grant.userId };
  return { collection, store, path: store.area.path, label: '', forUsers: true, ...reader };
});

/** Enters the zone of the token. */
const enterOwn = enterThen(enterOwnZone, async ({ collection, grant, label, store }): Promise<Feed> => {
  return { ...(await zoneOf(collection, label)), store, reader: grant.userId, forUsers: true };
});

/** Enters the curated area or a zone, for curators. */
const enterForCurators = enterThen(enterArea, async ({ collection }, call): Promise<Feed> => {
  const { label } = call.request.params as { label?: string };
  if (label !== undefined) return zoneOf(collection, label);
  const { curated: store } = collection;
  return { collection, store, path: store.area.path, label: '' };
});

async function zoneOf(collection: Collection, label: string): Promise<Feed> {
  const zone = collection.zones.exist ? await collection.zones.existing(label) : undefined;
  const path = zone?.path ?? (collection.zones.exist ? collection.zones.pathOf(label) : '');
  return { collection, store: zone?.store, path, label };
}

async function follow(
  open: Open,
  feed: Feed,
  parameters: ValuesOf<typeof changeParameters>,
  call: Call,
): Promise<FastifyReply> {
  const { service, request, reply } = call;
  const classes = parameters.class === undefined ? undefined : [parameters.class];
  const query = { ...parameters, classes };
  const last = request.headers['last-event-id'];
  const cursor = await cursorOf(feed, (typeof last === 'string' && last) || query.since);
  const listener = service.wakeups.listen(feed.path);
  reply.raw.once('close', () => listener.end());
  const readAgain: ReadAgain = (from) =>
    service.wakeups.read(async () => changesBehind(await open(call), from, query));
  if (request.headers.accept?.includes('text/event-stream')) {
    // Refuses before the stream begins.
    await changesBehind(feed, cursor, { ...query, limit: 1 });
    beginToWait(call);
    reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no');
    // A zone that nothing was written to yet comes into being meanwhile.
    const stillAllowed = feed.store ? whileEntered(call, open, feed) : async () => void (await open(call));
    return sendParts(reply, 'text/event-stream', eventsOf(call, readAgain, listener, cursor), stillAllowed);
  }
  const first = await changesBehind(feed, cursor, query);
  const page = await pageOf(call, readAgain, listener, { cursor, first, wait: query.wait });
  listener.end();
  return sendJson(reply.header('cache-control', 'no-store'), JSON.stringify(page));
}

/** Finds out, also later again, what the token may follow. */
type Open = (call: Call) => Promise<Feed>;

function following<N extends DeclaredNeed>(open: Enter<Promise<Feed>, N>) {
  return replying(open, changeParameters, (feed, query, call: Call) => follow(open, feed, query, call));
}

/** @throws ServiceError `parameter_invalid` */
async function cursorOf(feed: Feed, since: string | undefined): Promise<Cursor> {
  if (since === undefined) return { revision: 0 };
  if (since === 'now') return { revision: await presentCursor(feed) };
  const [, generation, revision] = /^(?:([\w-]{1,40}):)?(\d{1,16})$/.exec(since) ?? [];
  if (revision === undefined) throw parameterRefused('since', since, "a cursor, a revision or 'now'");
  return { ...(generation !== undefined && { generation }), revision: Number(revision) };
}

/** Reads the changes behind a cursor for a request that was woken, by what its token may follow then. */
type ReadAgain = (cursor: Cursor) => Promise<ChangePage>;

/** The next changes; while there are none, the request waits, and holds no place of others from then on. */
async function pageOf(
  call: Call,
  readAgain: ReadAgain,
  listener: Listener,
  { cursor, first, wait }: { cursor: Cursor; readonly first: ChangePage; readonly wait: number },
): Promise<Shape<typeof changesSchema>> {
  const { wakeups } = call.service;
  const until = performance.now() + wait * 1000;
  let waits = false;
  for (let read = first; ; read = await readAgain(cursor)) {
    const { items, ...next } = read;
    const { generation, revision: reached } = next;
    const left = until - performance.now();
    const isOver = left <= 0 || call.reply.raw.destroyed || wakeups.isClosed;
    if (items.length > 0 || isOver) return { items, next: `${generation}:${reached}`, generation };
    if (!waits) beginToWait(call);
    waits = true;
    if (reached === cursor.revision) await listener.changed(left);
    cursor = next;
  }
}

/** Events until the client closes the connection, the token is refused, or the service stops. The client then connects again. */
async function* eventsOf(
  { service: { wakeups }, reply }: Call,
  readAgain: ReadAgain,
  listener: Listener,
  from: Cursor,
): AsyncGenerator<string> {
  yield 'retry: 2000\n\n';
  let sent = Number.NEGATIVE_INFINITY;
  for (let cursor = from; !reply.raw.destroyed && !wakeups.isClosed; ) {
    try {
      const { items, ...next } = await readAgain(cursor);
      const { generation, revision: reached } = next;
      for (const item of items) yield `id: ${generation}:${item.revision}\ndata: ${JSON.stringify(item)}\n\n`;
      // Without data, no event is dispatched, but the client goes on behind it. Hidden changes send nothing.
      const isSilent = performance.now() - sent >= EVERY.heartbeat;
      if (items.length === 0 && isSilent) yield `id: ${generation}:${reached}\n\n`;
      if (items.length > 0 || isSilent) sent = performance.now();
      const isBehind = reached > cursor.revision;
      cursor = next;
      if (!isBehind) await listener.changed(EVERY.heartbeat - (performance.now() - sent));
    } catch (error) {
      if (isServiceError(error)) return;
      throw error;
    }
  }
}

export const changesSchema = objectOf({
  items: listOf(changeSchema),
  next: { ...textSchema, description: '`since` of the next page, also if this one is empty.' },
  generation: {
    ...textSchema,
    description: 'Another one if the store was restored from a backup, or if the token sees other records.',
  },
});

const page = jsonAnswer('The changes, oldest first.', changesSchema);
const shared = {
  tag: 'History',
  description:
    'In the order of the commits. With `Accept: text/event-stream`, the same as events, without end; `Last-Event-ID` goes on.',
  answers: {
    200: {
      ...page,
      content: { ...(page.content as object), 'text/event-stream': { schema: { type: 'string' } } },
    },
  },
  refusals: [410],
} as const;

export const changeEndpoints: readonly Endpoint[] = [
  row('GET', '/-/{collection}/changes', 'changes', {
    ...shared,
    summary: 'The changes of curated records that the token sees',
    ...following(enterCurated),
  }),
  row('GET', '/-/{collection}/zone/changes', 'own-changes', {
    ...shared,
    summary: 'The changes in the zone of the token',
    ...following(enterOwn),
  }),
  row('GET', '/-/{collection}/curated/changes', 'curated-changes', {
    ...shared,
    area: 'curated',
    action: 'read',
    summary: 'The changes of all curated records, for curators',
    ...following(enterForCurators),
  }),
  row('GET', '/-/{collection}/incoming/{label}/changes', 'zone-changes', {
    ...shared,
    area: 'incoming',
    action: 'read',
    summary: 'The changes in an incoming zone, for curators',
    ...following(enterForCurators),
  }),
];
