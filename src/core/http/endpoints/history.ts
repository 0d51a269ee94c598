/** The history of records, for curators, and of the configuration, for administrators (specification 1). */
import type { FastifyReply } from 'fastify';
import { JsonText } from '#linkml/json.ts';
import type { Collection } from '../../collections/collection.ts';
import {
  type ActivityItem,
  activityOf,
  configurationActivity,
  type EntryText,
  formerRecord,
  formerState,
  recordHistory,
} from '../../collections/history.ts';
import { etagOf } from '../../records/condition.ts';
import { DEFAULT_SIZE, LARGEST_PAGE } from '../../records/page.ts';
import { resolvePid } from '../../records/record.ts';
import { flagSchema, listOf, objectOf, textOrNull, textSchema } from '../../shapes.ts';
import { type Call, type Endpoint, row } from '../endpoint.ts';
import {
  type EnteredArea,
  enterArea,
  enterAsAdministrator,
  enterOwnZone,
  enterThen,
  storeInPath,
  whileEntered,
} from '../enter.ts';
import { conditionOf } from '../etag.ts';
import type { Parameter, ValuesOf } from '../parameter.ts';
import { authorId, integer, moment, type Query, required, textParameter } from '../query.ts';
import { replying } from '../replying.ts';
import { type StillAllowed, sendJsonParts } from '../stream-reply.ts';
import { pid } from './record-parameters.ts';
import { jsonAnswer } from './schemas.ts';

const at = required(moment('The time stamp of an entry, or any other time in ISO 8601.'));
const restoreParameters = { pid, at, author_id: authorId };

const NUMBER = /^\d{1,16}$/;

const pageParameters = {
  author: textParameter('Only changes on behalf of this user.'),
  since: moment('Only changes from this time on.'),
  until: moment('Only changes up to this time.'),
  before: {
    read: (given) => (NUMBER.test(given) ? Number(given) : undefined),
    expected: 'the number of a change',
    description: 'Only changes before the one with this number: `next` of the former page.',
    schema: { type: 'string', pattern: NUMBER.source },
  } as Parameter<number | undefined>,
  size: integer('Changes per page.', DEFAULT_SIZE, 1, LARGEST_PAGE),
};

const activityParameters = {
  pid: textParameter('Only changes of this record. Without `size`, all of them are returned, oldest first.'),
  class: textParameter('Only changes of records of this class.'),
  ...pageParameters,
};

type EnteredHistory = {
  readonly collection: Collection;
  /** Undefined for a zone that was never written to. */
  readonly store: Collection['curated'] | undefined;
  readonly owner?: string;
};

/** The curated area or a zone, for curators. */
const enterHistory = enterThen(enterArea, async ({ collection }, call): Promise<EnteredHistory> => {
  return { collection, store: await storeInPath(call, collection) };
});

const enterOwnHistory = enterThen(
  enterOwnZone,
  ({ collection, grant, store }): EnteredHistory => ({ collection, store, owner: grant.userId }),
);

/** Sends a page of the changes in an area, newest first. */
function sendHistory(
  entered: EnteredHistory,
  { pid: given, class: className, ...page }: ValuesOf<typeof activityParameters>,
  call: Call,
): Promise<FastifyReply> {
  const { collection, store, owner } = entered;
  const iris = given === undefined ? undefined : [resolvePid(collection.schema, given)];
  const query = { ...page, className, iris };
  const activity = store ? activityOf(call.service.pool, store, query, { owner }) : noActivity();
  const enter = owner === undefined ? enterHistory : enterOwnHistory;
  return sendActivity(call, activity, whileEntered(call, enter, entered));
}

/** Sends the same; with `pid` alone, all changes of one record, oldest first. */
function sendCuratedHistory(
  entered: EnteredHistory,
  query: ValuesOf<typeof activityParameters>,
  call: Call,
): Promise<FastifyReply> {
  const isAlone = Object.keys(call.request.query as Query).length === 1;
  if (query.pid === undefined || !isAlone) return sendHistory(entered, query, call);
  const entries = recordHistory(call.service.pool, entered.collection, query.pid);
  return sendJsonParts(call.reply, arrayParts(entries), whileEntered(call, enterHistory, entered));
}

async function* noActivity(): AsyncGenerator<ActivityItem> {
  yield { next: null };
}

function sendActivity(
  call: Call,
  activity: AsyncIterable<ActivityItem>,
  stillAllowed: StillAllowed,
): Promise<FastifyReply> {
  return sendJsonParts(call.reply, activityParts(activity), stillAllowed);
}

async function* activityParts(activity: AsyncIterable<ActivityItem>): AsyncGenerator<string> {
  let separator = '{"items":[';
  for await (const item of activity) {
    if ('text' in item) {
      yield separator;
      yield* item.text;
      separator = ',';
    } else yield `${separator === ',' ? '' : separator}],"next":${item.next}}`;
  }
}

async function* arrayParts(entries: AsyncIterable<EntryText>): AsyncGenerator<string> {
  let separator = '[';
  for await (const parts of entries) {
    yield separator;
    yield* parts;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** POST that stores a record as it was at a time: a write like any other, validated, audited, with its entity tag. */
async function restoreFormerState(
  { collection, area }: EnteredArea,
  { pid: given, at: time }: ValuesOf<typeof restoreParameters>,
  call: Call,
): Promise<JsonText> {
  const { className, record } = await formerRecord(collection, given, time);
  const texts = await area.validate(className, record);
  const { versions } = await area.store(texts, conditionOf(call.request.headers));
  if (versions[0]) call.reply.header('etag', etagOf(versions[0], 'json'));
  return new JsonText(texts[0]?.json ?? 'null');
}

const entryMembers = {
  pid: textSchema,
  time_stamp: { type: 'string', format: 'date-time' },
  committer_id: {
    ...textOrNull,
    description: 'Whose token made the change; null if it is unknown, or not shown.',
  },
  author_id: { ...textOrNull, description: 'On whose behalf.' },
  deleted: flagSchema,
  changes: {
    description: 'The differences from the entry before; paths are JSON Pointers.',
    ...listOf(
      objectOf({ op: { enum: ['add', 'remove', 'replace'] }, path: textSchema }, { before: {}, after: {} }),
    ),
  },
  record: { type: ['object', 'null'], description: 'The record after the change; null for a delete.' },
} as const;

export const historyEntrySchema = objectOf(entryMembers);

/** A page of changes. */
export const activitySchema = objectOf({
  items: listOf(
    objectOf({
      ...entryMembers,
      revision: { type: 'integer', description: 'The number of the change; later ones are higher.' },
      class: textSchema,
      role: { enum: ['submitter', 'curator', 'administrator', 'service', null] },
    }),
  ),
  next: { type: ['integer', 'null'], description: '`before` of the next page; null on the last one.' },
});

const ACTIVITY = { 200: jsonAnswer('A page of changes, newest first.', activitySchema) };

const curated = {
  area: 'curated',
  tag: 'History',
} as const;

export const historyEndpoints: readonly Endpoint[] = [
  row('GET', '/-/history', 'configuration-history', {
    tag: 'Administration',
    summary: 'Changes of the configuration, newest first, with secrets masked',
    answers: ACTIVITY,
    ...replying(enterAsAdministrator, pageParameters, (_, page, call) => {
      const { pool, state, administration } = call.service;
      const stillAllowed = async () => void enterAsAdministrator(call);
      const activity = configurationActivity(pool, state.area, page, administration.schemas);
      return sendActivity(call, activity, stillAllowed);
    }),
  }),
  row('GET', '/-/{collection}/history', 'history', {
    ...curated,
    summary: 'Changes in the curated area',
    description:
      'Newest first, in pages. With `pid` as the only parameter: all changes of one record as an array, oldest first.',
    action: 'read',
    answers: { 200: jsonAnswer('The changes.', { oneOf: [activitySchema, listOf(historyEntrySchema)] }) },
    ...replying(enterHistory, activityParameters, sendCuratedHistory),
  }),
  row('GET', '/-/{collection}/incoming/{label}/history', 'zone-history', {
    area: 'incoming',
    tag: 'History',
    summary: 'Changes in an incoming zone, newest first',
    action: 'read',
    answers: ACTIVITY,
    ...replying(enterHistory, activityParameters, sendHistory),
  }),
  row('GET', '/-/{collection}/zone/history', 'own-history', {
    tag: 'History',
    summary: 'Changes in the zone of the token, newest first',
    description: 'Names of others, such as curators who have edited a record, are not shown.',
    answers: ACTIVITY,
    ...replying(enterOwnHistory, activityParameters, sendHistory),
  }),
  row('GET', '/-/{collection}/history/record', 'former-state', {
    ...curated,
    summary: 'A curated record as it was at a given time',
    action: 'read',
    answers: { 200: jsonAnswer('The record, or null if there was none.', { type: ['object', 'null'] }) },
    ...replying(enterArea, { pid, at }, async ({ collection }, { pid: given, at: time }) => {
      const text = await formerState(collection, given, time);
      return text === undefined ? null : new JsonText(text);
    }),
  }),
  row('POST', '/-/{collection}/history/restore', 'restore', {
    ...curated,
    summary: 'Write a curated record as it was at a time',
    action: 'store',
    conditional: true,
    answers: { 200: jsonAnswer('The record.', { type: 'object' }) },
    ...replying(enterArea, restoreParameters, restoreFormerState),
  }),
];
