/** The operations of histories: of the configuration, and of curated records. */
import { json, type Paths, problems } from './words.ts';

const COLLECTION = { name: 'collection', in: 'path', required: true, schema: { type: 'string' } };
const PID = {
  name: 'pid',
  in: 'query',
  required: true,
  description: 'A CURIE or URI: they name the same record.',
  schema: { type: 'string' },
};
const AT = {
  name: 'at',
  in: 'query',
  required: true,
  description: 'The time stamp of an entry, or any other time in ISO 8601.',
  schema: { type: 'string', format: 'date-time' },
};
const AUTHOR = {
  name: 'author_id',
  in: 'query',
  description: 'On whose behalf; the curator without it.',
  schema: { type: 'string' },
};
const HISTORY_PROBLEMS = problems(400, 401, 403, 404, 422, 500, 503);

/** One entry of a history. */
const HISTORY_ENTRY = {
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
      description: 'What differs from the entry before; paths are JSON Pointers.',
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
};

export const historyPaths: Paths = {
  '/-/history': {
    get: {
      tags: ['Administration'],
      operationId: 'configuration-history',
      summary: 'All changes of the configuration, oldest first, with secrets masked',
      security: [{ adminToken: [] }],
      responses: {
        200: json('The entries.', { type: 'array', items: HISTORY_ENTRY }),
        ...problems(401, 500),
      },
    },
  },
  '/-/{collection}/history': {
    get: {
      tags: ['History'],
      operationId: 'history',
      summary: 'All changes of a curated record, oldest first',
      description: 'Needs a curator token, and a collection with an audit backend.',
      security: [{ token: [] }],
      parameters: [COLLECTION, PID],
      responses: { 200: json('The entries.', { type: 'array', items: HISTORY_ENTRY }), ...HISTORY_PROBLEMS },
    },
  },
  '/-/{collection}/history/record': {
    get: {
      tags: ['History'],
      operationId: 'former-state',
      summary: 'A curated record as it was at a time',
      description: 'Needs a curator token, and a collection with an audit backend.',
      security: [{ token: [] }],
      parameters: [COLLECTION, PID, AT],
      responses: {
        200: json('The record, or null where there was none.', { type: ['object', 'null'] }),
        ...HISTORY_PROBLEMS,
      },
    },
  },
  '/-/{collection}/history/restore': {
    post: {
      tags: ['History'],
      operationId: 'restore',
      summary: 'Write a curated record as it was at a time',
      description: 'A write like any other: validated, and audited. Needs a curator token.',
      security: [{ token: [] }],
      parameters: [COLLECTION, PID, AT, AUTHOR],
      responses: { 200: json('The record.', { type: 'object' }), ...HISTORY_PROBLEMS },
    },
  },
};
