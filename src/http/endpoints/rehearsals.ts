/** Changes of schemas: rehearsed without changing anything, then carried out in one step, and undone. */
import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Collection } from '../../collections/collection.ts';
import { replaceSchema } from '../../config/administration.ts';
import { PRIVATE_FOLDER } from '../../config/paths.ts';
import { ServiceError } from '../../errors.ts';
import { FORMATS } from '../../formats/formats.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { carriedRows } from '../../review/carry.ts';
import type { Schema } from '../../schema/schema.ts';
import type { Actor } from '../../stewardship/areas.ts';
import {
  keepRehearsal,
  keptRehearsal,
  type Rehearsal,
  type RehearsalOf,
  type RehearsedIn,
  rehearsalReport,
  rehearsalUnknown,
  rehearse,
  rehearsedRow,
} from '../../stewardship/rehearsals.ts';
import {
  type Carry,
  type Chosen,
  type Configuring,
  listSwitches,
  type SchemaVersion,
  type SwitchPlan,
  switchSchema,
  undoSwitch,
} from '../../stewardship/switch.ts';
import { jsonBody } from '../body.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { administratorOf } from '../enter.ts';
import { integer, textParameter } from '../query.ts';
import { parametersOf, sendJson } from '../reply.ts';
import { jsonAnswer, jsonContent } from './schemas.ts';
import { enterAsSteward, enterForAdministration } from './stewardship.ts';

/** A rehearsal that takes longer, in milliseconds, is answered with 202. */
const REHEARSAL_PATIENCE = 2000;
/** Streams are sent in chunks of about this many characters. */
const REHEARSAL_CHUNK = 64 * 1024;

/** POST of a schema, or of its address; returns what it would mean for the records. */
async function startRehearsal(call: Call): Promise<FastifyReply> {
  const { collection } = await enterAsSteward(call);
  parametersOf(call, {});
  const { schema: given, address } = schemaIn(await jsonBody(call));
  const isAdministrator = administratorOf(call) !== undefined;
  if (address !== undefined && !isAdministrator) {
    throw new ServiceError(
      'permission_missing',
      'Rehearsing the schema at an address requires an admin token; curators send its text.',
    );
  }
  // What the service reads from disk or the network is for administrators to choose.
  const only = isAdministrator ? undefined : new Set(collection.schema.files);
  const read = address ?? collection.schema.address;
  const to = await call.service.registry.trySchema(read, given, only);
  const rehearsal = rehearseFor(call, collection, to, given);
  if (isShared(collection))
    await keepRehearsal(collection, rehearsal.id, {
      ...{ time: new Date().toISOString(), from: collection.schema.digest, to: to.digest },
      ...{ address: read, text: given ?? null, only: only ? [...only] : null },
    });
  await Promise.race([rehearsal.done, delay(REHEARSAL_PATIENCE, undefined, { ref: false })]);
  if (rehearsal.state === 'running') {
    const { rootPath } = call.service;
    call.reply.code(202).header('location', `${rootPath}/-/${collection.name}/rehearsals/${rehearsal.id}`);
  }
  return sendJson(call.reply, JSON.stringify(rehearsalReport(rehearsal)));
}

/** Whether other instances serve the collection, too. */
function isShared({ curated }: Collection): boolean {
  return curated.joint !== undefined;
}

/** A rehearsal that may have begun on another instance: then it is repeated here. @throws ServiceError `rehearsal_unknown` */
async function rehearsalOf(call: Call, collection: Collection, id: string): Promise<Rehearsal> {
  const { rehearsals, registry } = call.service;
  const known = rehearsals.get(collection.name, id);
  if (known) return known;
  const kept = isShared(collection) ? await keptRehearsal(collection, id) : undefined;
  if (!kept) throw rehearsalUnknown(collection.name, id);
  const text = kept.text ?? undefined;
  const to = await registry.trySchema(kept.address, text, kept.only ? new Set(kept.only) : undefined);
  if (to.digest !== kept.to) throw rehearsalUnknown(collection.name, id);
  const rehearsal = rehearsals.get(collection.name, id) ?? rehearseFor(call, collection, to, text, id);
  await Promise.race([rehearsal.done, delay(REHEARSAL_PATIENCE, undefined, { ref: false })]);
  return rehearsal;
}

/** Rehearses a schema in the background; the collection stays open meanwhile. */
export function rehearseFor(
  { service }: Call,
  collection: Collection,
  to: Schema,
  given?: string,
  id?: string,
): Rehearsal {
  const leave = collection.enter();
  const of: RehearsalOf = {
    stewarded: collection,
    to,
    ...(given !== undefined && { text: given }),
    turtleOf,
  };
  return service.rehearsals.start(of, leave, id);
}

function turtleOf(schema: Schema, { className, json: stored }: { className: string; json: string }) {
  try {
    return FORMATS.ttl.serialize(stored, className, schema);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function schemaIn(body: JsonValue): { schema?: string; address?: string } {
  const { schema, address } = isJsonObject(body) ? body : {};
  if (typeof schema === 'string' && address === undefined) return { schema };
  if (typeof address === 'string' && schema === undefined) return { address };
  throw rehearsalInvalid(
    [],
    "expected an object with either 'schema', a YAML document as a string, or 'address'",
  );
}

function rehearsalInvalid(path: string[], msg: string): ServiceError {
  const message = `${['body', ...path].join('.')}: ${msg}`;
  return new ServiceError('payload_invalid', message, [
    { type: 'payload_invalid', loc: ['body', ...path], msg },
  ]);
}

/** GET of a rehearsal, which may still run. */
async function readRehearsal(call: Call): Promise<FastifyReply> {
  const { rehearsal } = await enterRehearsal(call, 'steward');
  parametersOf(call, {});
  return sendJson(call.reply, JSON.stringify(rehearsalReport(rehearsal)));
}

const outcome = textParameter('Only records with this outcome.');

/** GET of all records of a rehearsal as NDJSON, each judged by what it is now. */
async function streamRehearsal(call: Call): Promise<FastifyReply> {
  const { collection, rehearsal } = await enterRehearsal(call, 'steward');
  const { outcome: wanted } = parametersOf(call, { outcome });
  const of = { ...rehearsal, stewarded: collection };
  const rows = lines(rehearse(of, rehearsal.comparison), wanted);
  return call.reply
    .header('content-type', 'application/x-ndjson')
    .send(Readable.from(rows, { objectMode: false }));
}

async function* lines(records: AsyncIterable<RehearsedIn>, wanted: string | undefined) {
  let chunk = '';
  for await (const one of records) {
    if (wanted !== undefined && one.outcome !== wanted) continue;
    chunk += `${JSON.stringify(rehearsedRow(one))}\n`;
    if (chunk.length < REHEARSAL_CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** POST that carries out what was rehearsed. */
async function carryOutRehearsal(call: Call): Promise<FastifyReply> {
  const { collection, by, rehearsal } = await enterRehearsal(call, 'administrator');
  parametersOf(call, {});
  const choice = choiceIn(await jsonBody(call));
  const plan = await call.service.rehearsals.inTurn(collection.name, () =>
    switchTo(call, collection, rehearsal, choice, by),
  );
  return sendJson(call.reply, JSON.stringify(planRow(plan)));
}

async function switchTo(
  call: Call,
  collection: Collection,
  rehearsal: Rehearsal,
  { chosen, ifValid }: { readonly chosen: Chosen; readonly ifValid: boolean },
  by: Actor,
): Promise<SwitchPlan> {
  requireCurrent(call, collection);
  if (rehearsal.stewarded.schema !== collection.schema) throw moved(OTHER_SCHEMA);
  const given = rehearsal.text;
  if (given !== undefined && call.service.inDatabase)
    throw moved(
      'The configuration is in a database: make the schema available at an address for all instances.',
    );
  const to = given === undefined ? rehearsal.to.address : await keptSchema(call, collection, given);
  const opened = await call.service.registry.trySchema(to);
  if (given === undefined && opened.digest !== rehearsal.to.digest)
    throw moved('The schema has changed since the rehearsal.');
  if (given !== undefined && JSON.stringify(opened.merged()) !== JSON.stringify(rehearsal.to.merged()))
    throw moved('The schema has relative imports: make it available at an address.');
  const of = { ...rehearsal, stewarded: collection, to: opened };
  return switchSchema(
    of,
    { to, chosen, ifValid, by },
    configuring(call, collection, by.author),
    carryIn(collection),
  );
}

const OTHER_SCHEMA = 'The collection has another schema by now.';

/** Another change may have ended while this one waited for its turn. */
function requireCurrent({ service }: Call, collection: Collection): void {
  if (service.registry.collection(collection.name).schema !== collection.schema) throw moved(OTHER_SCHEMA);
}

function moved(message: string): ServiceError {
  return new ServiceError('precondition_failed', `${message} Rehearse it again.`);
}

function choiceIn(body: JsonValue): { chosen: Chosen; ifValid: boolean } {
  const { patches = true, if_valid = false }: JsonObject = isJsonObject(body) ? body : {};
  if (typeof if_valid !== 'boolean') throw rehearsalInvalid(['if_valid'], 'expected true or false');
  if (typeof patches === 'boolean') return { chosen: patches, ifValid: if_valid };
  if (Array.isArray(patches) && patches.every((pid) => typeof pid === 'string'))
    return { chosen: new Set(patches as string[]), ifValid: if_valid };
  throw rehearsalInvalid(['patches'], 'expected true, false or an array of pids');
}

/** Keeps the text of a schema in the store, named for its content. @returns its path */
async function keptSchema({ service }: Call, { name }: Collection, given: string): Promise<string> {
  const folder = join(service.administration.root, PRIVATE_FOLDER, 'schemas', 'switched');
  const digest = createHash('sha256').update(given).digest('hex').slice(0, 16);
  const path = join(folder, `${name}-${digest}.yaml`);
  await mkdir(folder, { recursive: true });
  await writeFile(`${path}.new`, given, { flush: true });
  await rename(`${path}.new`, path);
  return path;
}

/** What review has refused stays refused under another schema. */
function carryIn({ curated }: Collection): Carry {
  return (digests, mend) => carriedRows(curated, digests, mend);
}

function configuring({ service }: Call, { name, config }: Collection, author: string): Configuring {
  const { administration } = service;
  return {
    database: administration.state.database,
    apply: async (address, together) => {
      await replaceSchema(administration, { name, former: config, address }, author, together);
    },
  };
}

/** GET of the schema changes that were carried out, newest first. */
async function readSwitches(call: Call): Promise<FastifyReply> {
  const { collection } = await enterAsSteward(call);
  const { limit: most } = parametersOf(call, { limit: changesLimit });
  const plans = await listSwitches(collection, most);
  return sendJson(call.reply, JSON.stringify(plans.map(planRow)));
}

/** POST that takes a schema change back. */
async function undoRehearsal(call: Call): Promise<FastifyReply> {
  const { collection, by } = await enterForAdministration(call);
  parametersOf(call, {});
  const { id } = call.request.params as { id: string };
  const isThere = async ({ address, digest }: SchemaVersion) =>
    (await call.service.registry.trySchema(address)).digest === digest;
  const plan = await call.service.rehearsals.inTurn(collection.name, async () => {
    requireCurrent(call, collection);
    const configured = configuring(call, collection, by.author);
    return undoSwitch(collection, id, by, isThere, configured, carryIn(collection));
  });
  return sendJson(call.reply, JSON.stringify(planRow(plan)));
}

function planRow({ owner: _, ...plan }: SwitchPlan): object {
  return plan;
}

async function enterRehearsal(call: Call, as: 'steward' | 'administrator') {
  const entered = as === 'steward' ? await enterAsSteward(call) : await enterForAdministration(call);
  const { id } = call.request.params as { id: string };
  return { ...entered, rehearsal: await rehearsalOf(call, entered.collection, id) };
}

const changesLimit = integer('The number of changes.', 20, 1, 100);
const string = { type: 'string' } as const;
const version = {
  type: 'object',
  required: ['address', 'digest'],
  properties: { address: { type: ['string', 'null'] }, digest: string },
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
          element: { enum: ['class', 'slot', 'enum', 'value', 'prefix'] },
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
const BODY = {
  oneOf: [
    { type: 'object', required: ['schema'], properties: { schema: string } },
    { type: 'object', required: ['address'], properties: { address: string } },
  ],
};
const CHOICE = {
  type: 'object',
  properties: {
    patches: { oneOf: [{ type: 'boolean' }, { type: 'array', items: string }], default: true },
    if_valid: { type: 'boolean', default: false },
  },
};

/** The endpoints of schema changes. */
export const rehearsalEndpoints: readonly Endpoint[] = [
  {
    ...rehearsalsShared,
    method: 'POST',
    path: '/-/{collection}/rehearse',
    id: 'rehearse',
    changesNothing: true,
    summary: 'What another schema would mean for the records; changes nothing',
    description: `${rehearsalWords.description} An \`address\` requires an admin token.`,
    body: { content: jsonContent(BODY, { address: 'https://example.org/schema.yaml' }) },
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
    summary: 'Put the rehearsed schema in force and patch records, in one step',
    body: { content: jsonContent(CHOICE, { patches: true, if_valid: true }) },
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
