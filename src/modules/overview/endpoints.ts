/** The overview as data. Its numbers are of the records that the caller sees. */

import { bodyOfPresent } from '../../core/collections/body-of-state.ts';
import { type Call, type Endpoint, row } from '../../core/http/endpoint.ts';
import { jsonAnswer } from '../../core/http/endpoints/schemas.ts';
import { requireSlot, SOUGHT, soughtIn } from '../../core/http/endpoints/search.ts';
import { type EnteredArea, enterArea, enterToRead, enterZones } from '../../core/http/enter.ts';
import { integer, required, textParameter } from '../../core/http/query.ts';
import { noteRevision } from '../../core/http/reads.ts';
import { sendJson } from '../../core/http/reply.ts';
import { replying } from '../../core/http/replying.ts';
import { countSchema, listOf, objectOf, textOrNull, textSchema } from '../../core/shapes.ts';
import { weekOf } from '../../core/storage/history/weeks.ts';
import { reviewPart } from '../review/part.ts';
import { activitySchema } from '../review/queue/activity.ts';
import { completenessOf, type Sought, valuesOf, weeksOf } from './overview.ts';

export const overviewSchema = objectOf({
  records: countSchema,
  classes: {
    ...listOf(objectOf({ class: textSchema, records: countSchema })),
    description: 'The classes with records, each without its subclasses.',
  },
  slots: {
    ...listOf(
      objectOf({
        slot: textSchema,
        class: {
          ...textOrNull,
          description: 'The class that has the slot with all its subclasses, if it is one.',
        },
        records: countSchema,
        of: countSchema,
      } as const),
    ),
    description:
      'How many records have a value of each slot, of those whose class has the slot; the least complete slot first.',
  },
});

export const slotValuesSchema = objectOf({
  slot: textSchema,
  kind: { enum: ['values', 'numbers', 'dates'] },
  records: { ...countSchema, description: 'How many records have any value.' },
  bars: {
    ...listOf(objectOf({ records: countSchema }, { value: textSchema, from: textSchema, to: textSchema })),
    description:
      'The values that most records have, up to 100, or ranges of numbers or dates without gaps, both ends included.',
  },
} as const);

export const weeksSchema = objectOf({
  items: {
    ...listOf(
      objectOf({
        week: textSchema,
        made: countSchema,
        deleted: countSchema,
        records: { type: 'integer' },
      } as const),
    ),
    description: 'Each by the date of its Monday, with the number of records at its end.',
  },
});

const MOST_WEEKS = 520;
const path = '/-/{collection}/overview';
const tag = 'user';
const weeks = integer('How many weeks, up to the present one.', 52, 1, MOST_WEEKS);
const ofClass = textParameter('Only records of this class, with its subclasses.');
const FILTERS =
  'It is filtered by the parameters of a search, and by the names of slots like that: `q=memory&status=open&born.from=1990`. ' +
  'What would read too many records is refused with 413 (`search_too_broad`).';

/** Answers with what is made of the records that a request seeks. */
async function sendCounted(call: Call, parameters: typeof SOUGHT, make: (sought: Sought) => Promise<object>) {
  const { collection, grant, area } = await enterArea(call);
  const { given, ...filters } = soughtIn(call, collection, parameters);
  const { pool } = call.service;
  return sendPresent(call, { collection, area }, [given, filters], () =>
    make({ pool, collection, area, grant, ...filters }),
  );
}

/** Answers as of one state of an area, and remembers the answer while the area stays as it is. @param about what it depends on besides */
async function sendPresent(
  call: Call,
  { collection, area }: Pick<EnteredArea, 'collection' | 'area'>,
  about: readonly unknown[],
  make: () => Promise<object>,
) {
  const key = JSON.stringify([call.endpoint.path, area.path, ...about]);
  const { body, revision } = await bodyOfPresent(collection, area, key, async () => ({
    body: Buffer.from(JSON.stringify(await make())),
  }));
  if (revision !== undefined) noteRevision(call, area, revision);
  return sendJson(call.reply, body);
}

const slotParameters = { ...SOUGHT, slot: required(textParameter('The slot.')) };

export const overviewEndpoints: readonly Endpoint[] = [
  row('GET', path, 'overview', {
    tag,
    area: 'user',
    action: 'read',
    summary: 'How many records there are, of which classes, and how complete',
    description: FILTERS,
    query: SOUGHT,
    answers: { 200: jsonAnswer('The counts, of one moment.', overviewSchema) },
    refusals: [413],
    need: enterArea.need,
    handle: (call) => sendCounted(call, SOUGHT, completenessOf),
  }),
  row('GET', `${path}/values`, 'overview.values', {
    tag,
    area: 'user',
    action: 'read',
    summary: 'How many records have each value of a slot, or values in ranges',
    description: FILTERS,
    query: slotParameters,
    answers: { 200: jsonAnswer('The counts, of one moment.', slotValuesSchema) },
    refusals: [413],
    need: enterArea.need,
    handle: (call) =>
      sendCounted(call, slotParameters, (sought) => {
        const { slot } = soughtIn(call, sought.collection, slotParameters).given;
        requireSlot(sought.collection, 'slot', slot);
        return valuesOf(sought, slot);
      }),
  }),
  row('GET', `${path}/weeks`, 'overview.weeks', {
    tag,
    area: 'user',
    action: 'read',
    summary: 'How many curated records were made and deleted in each week',
    answers: { 200: jsonAnswer('The weeks.', weeksSchema) },
    ...replying(enterToRead, { class: ofClass, weeks }, async (entered, query, call) => {
      const { collection, area } = entered;
      const className = query.class === undefined ? undefined : collection.requireClass(query.class);
      const classes = className === undefined ? undefined : collection.schema.descendants(className);
      const present = weekOf(Date.now() * 1000);
      return sendPresent(call, entered, [classes, query.weeks, present], async () => {
        const store = await collection.seen(collection.curated, area.visibility());
        return { items: await weeksOf(store, classes, query.weeks) };
      });
    }),
  }),
  row('GET', `${path}/submissions`, 'overview.submissions', {
    tag: 'Review',
    summary:
      'How many submissions and decisions there were in each week, how long they took, and who submits',
    answers: { 200: jsonAnswer('The weeks, and the submissions in them.', activitySchema) },
    ...replying(enterZones, { class: ofClass, weeks }, ({ collection }, query) => {
      const className = query.class === undefined ? undefined : collection.requireClass(query.class);
      const classes = className === undefined ? undefined : collection.schema.descendants(className);
      return collection.part(reviewPart).review.activity({ classes, weeks: query.weeks });
    }),
  }),
];
