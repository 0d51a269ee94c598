/** Changes of schemas: tried without changing anything, then carried out in one step, and undone. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { JsonObject } from '../../json.ts';
import { dryRunReport, type JudgedIn, judgeAll, judgedRow } from '../../migrate/dry-runs.ts';
import { resolvePid } from '../../records/record.ts';
import type { FromSchema } from '../api-types.ts';
import { jsonBody } from '../body.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { administratorOf } from '../enter.ts';
import { integer, parametersOf, textParameter } from '../query.ts';
import { sendJson } from '../reply.ts';
import { enterAsSteward, enterForAdministration } from './curate.ts';
import { jsonAnswer, jsonContent } from './schemas.ts';

/** Streams are sent in chunks of about this many characters. */
const DRY_RUN_CHUNK = 64 * 1024;

/** POST of a schema, or of its address; returns what it would mean for the records. */
async function startRehearsal(call: Call): Promise<FastifyReply> {
  const { collection, by } = await enterAsSteward(call);
  parametersOf(call, {});
  const given = await jsonBody<FromSchema<typeof triedSchema>>(call);
  const { schemaChanges, rootPath } = call.service;
  const dryRun = await schemaChanges.tryOut(
    collection,
    given,
    by.committer,
    administratorOf(call) !== undefined,
  );
  if (dryRun.state === 'running')
    call.reply.code(202).header('location', `${rootPath}/-/${collection.name}/rehearsals/${dryRun.id}`);
  return sendJson(call.reply, JSON.stringify(dryRunReport(dryRun)));
}

/** GET of a dry run, which may still run. */
async function readRehearsal(call: Call): Promise<FastifyReply> {
  const { dryRun } = await enterRehearsal(call, enterAsSteward);
  parametersOf(call, {});
  return sendJson(call.reply, JSON.stringify(dryRunReport(dryRun)));
}

const outcome = textParameter('Only records with this outcome.');

/** GET of all records of a dry run as NDJSON, each judged by what it is now. */
async function streamRehearsal(call: Call): Promise<FastifyReply> {
  const { collection, dryRun } = await enterRehearsal(call, enterAsSteward);
  const { outcome: wanted } = parametersOf(call, { outcome });
  const rows = lines(judgeAll({ ...dryRun, stores: collection }, dryRun.comparison), wanted);
  return call.reply
    .header('content-type', 'application/x-ndjson')
    .send(Readable.from(rows, { objectMode: false }));
}

async function* lines(records: AsyncIterable<JudgedIn>, wanted: string | undefined) {
  let chunk = '';
  for await (const one of records) {
    if (wanted !== undefined && one.outcome !== wanted) continue;
    chunk += `${JSON.stringify(judgedRow(one))}\n`;
    if (chunk.length < DRY_RUN_CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** POST that carries out what was tried. */
async function carryOutRehearsal(call: Call): Promise<FastifyReply> {
  const { collection, by, dryRun } = await enterRehearsal(call, enterForAdministration);
  parametersOf(call, {});
  const given = (await jsonBody<FromSchema<typeof choiceSchema>>(call)) ?? {};
  const { patches = true, if_valid: ifValid = false } = given;
  const chosen = typeof patches === 'boolean' ? patches : new Set(patches);
  const corrections = new Map(
    Object.entries((given.corrections ?? {}) as Record<string, JsonObject>).map(([pid, values]) => [
      resolvePid(collection.schema, pid),
      values,
    ]),
  );
  const choice = { chosen, ifValid, corrections };
  const plan = await call.service.schemaChanges.switchTo(collection, dryRun, choice, by);
  return sendJson(call.reply, JSON.stringify(plan));
}

/** GET of the schema changes that were carried out, newest first. */
async function readSwitches(call: Call): Promise<FastifyReply> {
  const { collection } = await enterAsSteward(call);
  const { limit: most } = parametersOf(call, { limit: changesLimit });
  return sendJson(call.reply, JSON.stringify(await call.service.schemaChanges.list(collection, most)));
}

/** POST that takes a schema change back. */
async function undoRehearsal(call: Call): Promise<FastifyReply> {
  const { collection, by } = await enterForAdministration(call);
  parametersOf(call, {});
  const { id } = call.request.params as { id: string };
  const plan = await call.service.schemaChanges.undo(collection, id, by);
  return sendJson(call.reply, JSON.stringify(plan));
}

async function enterRehearsal(call: Call, enter: typeof enterAsSteward) {
  const entered = await enter(call);
  const { id } = call.request.params as { id: string };
  const { collection, by } = entered;
  return { ...entered, dryRun: await call.service.schemaChanges.find(collection, id, by.committer) };
}

const changesLimit = integer('The number of changes.', 20, 1, 100);
const string = { type: 'string' } as const;
const version = {
  type: 'object',
  required: ['address', 'digest'],
  properties: { address: { type: ['string', 'null'] }, digest: string, vocabularies: { type: 'object' } },
} as const;

export const rehearsalSchema = {
  type: 'object',
  required: ['id', 'state', 'from', 'to', 'changes', 'summary', 'items'],
  properties: {
    id: string,
    state: { enum: ['running', 'done', 'failed'] },
    from: version,
    to: version,
    changes: {
      type: 'array',
      description: 'What has changed between the two schemas.',
      items: {
        type: 'object',
        required: ['element', 'kind', 'effect', 'name', 'message'],
        properties: {
          element: { enum: ['class', 'slot', 'enum', 'value', 'prefix', 'vocabulary'] },
          kind: { enum: ['added', 'removed', 'renamed', 'changed'] },
          effect: { enum: ['loosened', 'tightened', 'neutral'] },
          name: string,
          message: string,
        },
      },
    },
    summary: {
      type: 'object',
      required: ['total', 'by_outcome', 'by_area', 'by_class', 'by_cause'],
      properties: {
        total: { type: 'integer' },
        by_outcome: { type: 'object', additionalProperties: { type: 'integer' } },
        by_area: { type: 'object' },
        by_class: { type: 'object' },
        by_cause: { type: 'object', additionalProperties: { type: 'integer' } },
      },
    },
    items: {
      type: 'array',
      description: 'The first 200 records that are not valid as they are.',
      items: {
        type: 'object',
        required: ['pid', 'class', 'in', 'outcome'],
        properties: { pid: string, class: string, in: string, outcome: string },
      },
    },
  },
} as const;

const switchSchemaOfResponse = {
  type: 'object',
  required: ['id', 'collection', 'from', 'to', 'time', 'by', 'records', 'undoes', 'state'],
  properties: {
    id: string,
    collection: string,
    from: version,
    to: version,
    time: { type: 'string', format: 'date-time' },
    by: string,
    records: { type: 'integer', description: 'The number of patched records.' },
    undoes: { type: ['string', 'null'] },
    state: { enum: ['pending', 'done', 'undone'] },
  },
} as const;

const rehearsalsShared = { tag: 'Stewardship', token: 'required' } as const;
const rehearsalWords = { description: 'Requires a curator token, or an admin token.' } as const;
const forAdministrators = {
  ...rehearsalsShared,
  token: 'admin',
  description: 'Requires an admin token.',
} as const;
const triedSchema = {
  type: 'object',
  properties: {
    schema: { ...string, description: 'A YAML document.' },
    address: string,
    vocabularies: {
      type: 'object',
      description:
        'By name: `{}` takes the source again, `{source, format}` another one, `null` removes the vocabulary.',
      additionalProperties: {
        type: ['object', 'null'],
        properties: { source: string, format: string },
        additionalProperties: false,
      },
    },
  },
  oneOf: [{ required: ['schema'] }, { required: ['address'] }, { required: ['vocabularies'] }],
} as const;
const choiceSchema = {
  type: ['object', 'null'],
  properties: {
    patches: { type: ['boolean', 'array'], items: string, default: true },
    corrections: {
      type: 'object',
      description:
        'Pid → slot → value, for records that are not valid as they are. They apply after the steps; null removes a value.',
      additionalProperties: { type: 'object' },
    },
    if_valid: { type: 'boolean', default: false },
  },
} as const;

/** The endpoints of schema changes. */
export const rehearsalEndpoints: readonly Endpoint[] = [
  {
    ...rehearsalsShared,
    method: 'POST',
    path: '/-/{collection}/rehearse',
    id: 'rehearse',
    changesNothing: true,
    summary: 'What another schema, or newer vocabularies, would mean for the records; changes nothing',
    description: `${rehearsalWords.description} An \`address\`, or another source of a vocabulary, requires an admin token.`,
    body: {
      content: jsonContent(triedSchema, { address: 'https://example.org/schema.yaml' }),
      limit: 1024 * 1024,
    },
    answers: {
      200: jsonAnswer('The rehearsal.', rehearsalSchema),
      202: jsonAnswer('The rehearsal runs; poll the `Location`.', rehearsalSchema),
    },
    handle: startRehearsal,
  },
  {
    ...rehearsalsShared,
    ...rehearsalWords,
    method: 'GET',
    path: '/-/{collection}/rehearsals/{id}',
    id: 'rehearsal',
    summary: 'Read a rehearsal',
    answers: { 200: jsonAnswer('The rehearsal.', rehearsalSchema) },
    handle: readRehearsal,
  },
  {
    ...rehearsalsShared,
    ...rehearsalWords,
    method: 'GET',
    path: '/-/{collection}/rehearsals/{id}/records',
    id: 'rehearsal.records',
    summary: 'Every record of a rehearsal with its outcome, as one stream',
    query: { outcome },
    answers: {
      200: {
        description: 'NDJSON, one record a line.',
        content: { 'application/x-ndjson': { schema: { type: 'string' } } },
      },
    },
    handle: streamRehearsal,
  },
  {
    ...forAdministrators,
    method: 'POST',
    path: '/-/{collection}/rehearsals/{id}/switch',
    id: 'switch',
    summary: 'Put the rehearsed schema, or vocabularies, in force and patch records, in one step',
    body: { content: jsonContent(choiceSchema, { patches: true, if_valid: true }), limit: 1024 * 1024 },
    answers: { 200: jsonAnswer('The change.', switchSchemaOfResponse) },
    refusals: [406, 409, 412],
    handle: carryOutRehearsal,
  },
  {
    ...rehearsalsShared,
    ...rehearsalWords,
    method: 'GET',
    path: '/-/{collection}/switches',
    id: 'switches',
    summary: 'List the schema changes that were carried out, newest first',
    query: { limit: changesLimit },
    answers: { 200: jsonAnswer('The changes.', { type: 'array', items: switchSchemaOfResponse }) },
    handle: readSwitches,
  },
  {
    ...forAdministrators,
    method: 'POST',
    path: '/-/{collection}/switches/{id}/undo',
    id: 'switch.undo',
    summary: 'Take a schema change back: the former schema, and the records as they were',
    answers: { 200: jsonAnswer('The change that undoes it.', switchSchemaOfResponse) },
    refusals: [406, 409, 412],
    handle: undoRehearsal,
  },
];
