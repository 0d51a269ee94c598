/** The history of records, for curators, and of the configuration, for administrators (specification 1). */
import type { FastifyReply } from 'fastify';
import { configurationHistory, formerRecord, formerState, recordHistory } from '../../collections/history.ts';
import { canonicalJson, type JsonValue } from '../../json.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { enterArea, enterAsAdministrator } from '../enter.ts';
import { etagOf } from '../etag.ts';
import { moment } from '../query.ts';
import { parametersOf, sendJson } from '../reply.ts';
import { authorId, pid } from './records.ts';
import { json } from './schemas.ts';

const at = moment('The time stamp of an entry, or any other time in ISO 8601.');
const restoreParameters = { pid, at, author_id: authorId };

/** GET of all entries of a record, oldest first. */
async function readHistory(call: Call): Promise<FastifyReply> {
  const { collection } = await enterArea(call);
  const { pid: given } = parametersOf(call, { pid });
  const entries = await recordHistory(collection, given);
  return sendJson(call.reply, canonicalJson(entries as JsonValue));
}

/** GET of a record as it was at a time; `null` if there was none. */
async function readFormerState(call: Call): Promise<FastifyReply> {
  const { collection } = await enterArea(call);
  const { pid: given, at: time } = parametersOf(call, { pid, at });
  return sendJson(call.reply, (await formerState(collection, given, time)) ?? 'null');
}

/** POST that stores a record as it was at a time: a write like any other, validated, audited, with its entity tag. */
async function restoreFormerState(call: Call): Promise<FastifyReply> {
  const { collection, area } = await enterArea(call);
  const { pid: given, at: time } = parametersOf(call, restoreParameters);
  const { className, record } = await formerRecord(collection, given, time);
  const texts = await area.validate(className, record);
  const [version] = await area.store(texts);
  if (version) call.reply.header('etag', etagOf(version, 'json'));
  return sendJson(call.reply, texts[0] ? collection.typed(texts[0]) : 'null');
}

/** GET of all entries of the configuration, oldest first, with every secret masked. */
async function readConfigurationHistory(call: Call): Promise<FastifyReply> {
  enterAsAdministrator(call);
  parametersOf(call, {});
  const entries = await configurationHistory(call.service.audit);
  return sendJson(call.reply, canonicalJson(entries as JsonValue));
}

/** One entry of a history. */
export const historyEntrySchema = {
  type: 'object',
  required: ['pid', 'time_stamp', 'committer_id', 'author_id', 'deleted', 'changes', 'record'],
  properties: {
    pid: { type: 'string' },
    time_stamp: { type: 'string', format: 'date-time' },
    committer_id: { type: 'string', description: 'Whose token made the change.' },
    author_id: { type: 'string', description: 'On whose behalf.' },
    deleted: { type: 'boolean' },
    changes: {
      type: 'array',
      description: 'The differences from the entry before; paths are JSON Pointers.',
      items: {
        type: 'object',
        required: ['op', 'path'],
        properties: {
          op: { enum: ['add', 'remove', 'replace'] },
          path: { type: 'string' },
          before: {},
          after: {},
        },
      },
    },
    record: { type: ['object', 'null'], description: 'The record after the change; null for a delete.' },
  },
} as const;

const ENTRIES = { 200: json('The entries.', { type: 'array', items: historyEntrySchema }) };

const curated = {
  area: 'curated',
  tag: 'History',
  token: 'required',
  description: 'Requires a curator token, and a collection with an audit backend.',
} as const;

/** The endpoints of histories. */
export const historyEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/-/history',
    id: 'configuration-history',
    tag: 'Administration',
    summary: 'All changes of the configuration, oldest first, with secrets masked',
    token: 'admin',
    answers: ENTRIES,
    handle: readConfigurationHistory,
  },
  {
    ...curated,
    method: 'GET',
    path: '/-/{collection}/history',
    id: 'history',
    summary: 'All changes of a curated record, oldest first',
    action: 'read',
    query: { pid },
    answers: ENTRIES,
    handle: readHistory,
  },
  {
    ...curated,
    method: 'GET',
    path: '/-/{collection}/history/record',
    id: 'former-state',
    summary: 'A curated record as it was at a time',
    action: 'read',
    query: { pid, at },
    answers: { 200: json('The record, or null if there was none.', { type: ['object', 'null'] }) },
    handle: readFormerState,
  },
  {
    ...curated,
    method: 'POST',
    path: '/-/{collection}/history/restore',
    id: 'restore',
    summary: 'Write a curated record as it was at a time',
    action: 'store',
    query: restoreParameters,
    answers: { 200: json('The record.', { type: 'object' }) },
    handle: restoreFormerState,
  },
];
