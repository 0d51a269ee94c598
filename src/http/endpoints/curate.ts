/** Curation: references between records, records that do not fit the schema, and the settings of a collection. */
import type { FastifyReply } from 'fastify';
import { curatorOf } from '../../collections/areas.ts';
import type { Collection } from '../../collections/collection.ts';
import { requireCurator } from '../../collections/refusals.ts';
import { callDifferent } from '../../curate/duplicates.ts';
import { listFaults } from '../../curate/faults.ts';
import { type DanglingRow, danglingIn, linksOfPid } from '../../curate/references.ts';
import { readSettings, settingsFor, writeSettings } from '../../curate/settings.ts';
import type { Actor } from '../../curate/stores.ts';
import { BRIEFLY } from '../../work/projections.ts';
import type { FromSchema } from '../api-types.ts';
import { jsonBody } from '../body.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import {
  administratorOf,
  collectionNamed,
  type Entered,
  enter,
  enterArea,
  enterAsAdministrator,
} from '../enter.ts';
import { integer, parametersOf } from '../query.ts';
import { sendJson } from '../reply.ts';
import { pid } from './records.ts';
import { countSchema, jsonAnswer, jsonContent, TRUE, textOrNull, textSchema } from './schemas.ts';

const MOST_ROWS = 1000;
const rowsLimit = integer('The number of rows.', 100, 1, MOST_ROWS);
const offset = integer('Rows that are skipped.', 0, 0);
const pageParameters = { offset, limit: rowsLimit };
const linkParameters = { pid, offset, limit: rowsLimit };

/** GET of what a record refers to, and of what refers to it. */
async function readLinks(call: Call): Promise<FastifyReply> {
  const { collection, grant, area } = await enterArea(call);
  const { pid: given, ...page } = parametersOf(call, linkParameters);
  const { readCurated, curate } = grant.permissions;
  const links = await linksOfPid(collection, given, page, {
    ...{ curated: readCurated, zones: curate },
    seen: (store) => collection.seen(store, area.visibility()),
  });
  return sendJson(call.reply, JSON.stringify(links));
}

/** GET of the references that lead nowhere. */
async function readDangling(call: Call): Promise<FastifyReply> {
  const { collection } = await enterAsCurator(call);
  const { limit: most } = parametersOf(call, { limit: rowsLimit });
  const items: DanglingRow[] = [];
  let more = false;
  for await (const row of danglingIn(collection)) {
    more = items.length === most;
    if (more) break;
    items.push(row);
  }
  return sendJson(call.reply, JSON.stringify({ items, more }));
}

/** GET of the stored records that do not fit the schema of today. */
async function readFaults(call: Call): Promise<FastifyReply> {
  const { collection } = await enterAsCurator(call);
  const { limit: most } = parametersOf(call, { limit: rowsLimit });
  return sendJson(call.reply, JSON.stringify(await listFaults(collection, most, BRIEFLY)));
}

/** GET of the settings of a collection. */
async function getSettings(call: Call): Promise<FastifyReply> {
  const { collection } = await enterAsCurator(call);
  parametersOf(call, {});
  return sendJson(call.reply, JSON.stringify(await readSettings(collection)));
}

/** PUT of all settings. */
async function putSettings(call: Call): Promise<FastifyReply> {
  const { collection } = await enterAsCurator(call);
  parametersOf(call, {});
  const given = await jsonBody<FromSchema<typeof settingsSchema>>(call);
  const settings = settingsFor(collection.schema, given);
  await writeSettings(collection, settings);
  return sendJson(call.reply, JSON.stringify(settings));
}

/** GET of pairs of records that may be about the same thing. */
async function readDuplicates(call: Call): Promise<FastifyReply> {
  const { collection } = await enterAsCurator(call);
  const { offset: first, limit: most } = parametersOf(call, pageParameters);
  const pairs = await call.service.duplicates.pairs(collection);
  const items = pairs.slice(first, first + most);
  return sendJson(call.reply, JSON.stringify({ items, total: pairs.length }));
}

/** PUT of what a curator says of a pair. */
async function judgeDuplicates(call: Call): Promise<FastifyReply> {
  const { collection, grant } = await enterAsCurator(call);
  parametersOf(call, {});
  const { pids, different } = await jsonBody<FromSchema<typeof differentSchema>>(call);
  const [first = '', second = ''] = pids;
  await callDifferent(collection, [first, second], different, curatorOf(grant));
  return sendJson(call.reply, 'true');
}

/** The collection, for a curator of it or an administrator, and as whom they write. */
export async function enterAsSteward(call: Call): Promise<{ collection: Collection; by: Actor }> {
  const admin = administratorOf(call);
  if (admin !== undefined) return { collection: await heldCollection(call), by: administrator(admin) };
  const { collection, grant } = await enterAsCurator(call);
  return { collection, by: curatorOf(grant) };
}

/** The collection, for administrators alone. */
export async function enterForAdministration(call: Call): Promise<{ collection: Collection; by: Actor }> {
  const by = administrator(enterAsAdministrator(call));
  return { collection: await heldCollection(call), by };
}

function heldCollection({ service, request }: Call): Promise<Collection> {
  return collectionNamed(service, (request.params as { collection: string }).collection, request);
}

function administrator(name: string): Actor {
  return { committer: name, author: name, role: 'administrator' };
}

/** The collection, for a curator of it. @throws ServiceError `permission_missing` */
export async function enterAsCurator(call: Call): Promise<Entered> {
  const entered = await enter(call);
  requireCurator(entered.collection.name, 'curated area', entered.grant);
  return entered;
}

const linkRows = {
  type: 'array',
  items: {
    type: 'object',
    required: ['pid', 'class', 'title', 'in', 'slot', 'path'],
    properties: {
      pid: textSchema,
      class: textOrNull,
      title: textOrNull,
      in: { ...textOrNull, description: '`curated`, `incoming/<label>`, or null: there is no such record.' },
      slot: textSchema,
      path: { ...textSchema, description: 'JSON Pointer into the referring record.' },
    },
  },
} as const;

export const linksSchema = {
  type: 'object',
  required: ['pid', 'to', 'from', 'referrers', 'complete'],
  properties: {
    pid: textSchema,
    to: { ...linkRows, description: 'What the record refers to.' },
    from: { ...linkRows, description: 'What refers to it.' },
    referrers: { ...countSchema, description: 'The number of records that refer to it.' },
    complete: { type: 'boolean', description: 'False while the references are still being read.' },
  },
} as const;

export const danglingSchema = {
  type: 'object',
  required: ['items', 'more'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pid', 'class', 'in', 'slot', 'path', 'to'],
        properties: {
          pid: textSchema,
          class: textSchema,
          in: textSchema,
          slot: textSchema,
          path: textSchema,
          to: textSchema,
        },
      },
    },
    more: { type: 'boolean', description: 'Whether there are more than these.' },
  },
} as const;

export const faultsSchema = {
  type: 'object',
  required: ['items', 'total', 'pending'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['in', 'pid', 'class', 'problems'],
        properties: {
          in: textSchema,
          pid: textSchema,
          class: textSchema,
          problems: { type: 'array', items: { $ref: '#/components/schemas/Problem' } },
        },
      },
    },
    total: countSchema,
    pending: { ...countSchema, description: 'Changes that have not been checked yet.' },
  },
} as const;

export const duplicatesSchema = {
  type: 'object',
  required: ['items', 'total'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['records', 'by', 'score'],
        properties: {
          records: {
            type: 'array',
            items: {
              type: 'object',
              required: ['pid', 'class', 'title'],
              properties: { pid: textSchema, class: textSchema, title: textOrNull },
            },
          },
          by: { ...textSchema, description: 'The slots with the same value, or `title`.' },
          score: { type: 'number', description: '1 for identifiers, less for titles.' },
        },
      },
    },
    total: countSchema,
  },
} as const;

export const settingsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    on_delete: {
      enum: ['warn', 'refuse'],
      default: 'warn',
      description: 'Whether a curated record that others refer to can be deleted.',
    },
    identifying_slots: {
      type: 'object',
      additionalProperties: { type: 'array', items: textSchema },
      description: 'By class: slots whose values name one real thing, such as an ORCID.',
    },
  },
} as const;

const differentSchema = {
  type: 'object',
  required: ['pids', 'different'],
  properties: {
    pids: { type: 'array', minItems: 2, maxItems: 2, items: textSchema },
    different: { type: 'boolean' },
  },
} as const;

const stewardshipShared = { tag: 'Stewardship', token: 'required' } as const;
const curatorWords = { description: 'Requires a curator token.' } as const;

/** The endpoints of stewardship. */
export const stewardshipEndpoints: readonly Endpoint[] = [
  {
    ...stewardshipShared,
    method: 'GET',
    path: '/-/{collection}/links',
    id: 'links',
    token: 'optional',
    area: 'user',
    action: 'read',
    summary: 'What a record refers to, and what refers to it',
    description: 'References in the areas that the token may read: zones are included for curators.',
    query: linkParameters,
    answers: { 200: jsonAnswer('The references.', linksSchema) },
    handle: readLinks,
  },
  {
    ...stewardshipShared,
    ...curatorWords,
    method: 'GET',
    path: '/-/{collection}/dangling',
    id: 'dangling',
    summary: 'References to records that do not exist',
    query: { limit: rowsLimit },
    answers: { 200: jsonAnswer('The references.', danglingSchema) },
    handle: readDangling,
  },
  {
    ...stewardshipShared,
    ...curatorWords,
    method: 'GET',
    path: '/-/{collection}/faults',
    id: 'faults',
    summary: 'Stored records that do not fit the schema',
    query: { limit: rowsLimit },
    answers: { 200: jsonAnswer('The records with their problems.', faultsSchema) },
    handle: readFaults,
  },
  {
    ...stewardshipShared,
    ...curatorWords,
    method: 'GET',
    path: '/-/{collection}/settings',
    id: 'settings',
    summary: 'Read the settings of a collection',
    answers: { 200: jsonAnswer('The settings.', settingsSchema) },
    handle: getSettings,
  },
  {
    ...stewardshipShared,
    ...curatorWords,
    method: 'PUT',
    path: '/-/{collection}/settings',
    id: 'settings.put',
    summary: 'Replace the settings of a collection',
    body: { content: jsonContent(settingsSchema, { on_delete: 'refuse' }), limit: 64 * 1024 },
    answers: { 200: jsonAnswer('The settings.', settingsSchema) },
    handle: putSettings,
  },
  {
    ...stewardshipShared,
    ...curatorWords,
    method: 'GET',
    path: '/-/{collection}/duplicates',
    id: 'duplicates',
    summary: 'Pairs of curated records that may be about the same thing, the surest first',
    query: pageParameters,
    answers: { 200: jsonAnswer('The pairs.', duplicatesSchema) },
    handle: readDuplicates,
  },
  {
    ...stewardshipShared,
    ...curatorWords,
    method: 'PUT',
    path: '/-/{collection}/duplicates',
    id: 'duplicates.put',
    summary: 'Record that two records are about different things, or undo that',
    body: {
      content: jsonContent(differentSchema, {
        pids: ['https://example.org/ada', 'https://example.org/ada-byron'],
        different: true,
      }),
      limit: 64 * 1024,
    },
    answers: { 200: jsonAnswer('It is remembered.', TRUE) },
    handle: judgeDuplicates,
  },
];
