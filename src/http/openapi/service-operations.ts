/** The operations that belong to no collection: the service itself, and its administration. */
import { problems } from './components.ts';
import type { Paths } from './operations.ts';

type Json = { readonly [key: string]: unknown };

export const serviceTags: readonly Json[] = [
  { name: 'Service', description: 'The service as a whole.' },
  {
    name: 'History',
    description: 'Who changed which curated record, when, and to what; former states, and their return.',
  },
  {
    name: 'Administration',
    description: 'Collections, tokens and admin tokens. All of it needs an admin token.',
  },
];

const NULL = { type: 'null' };

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

export const servicePaths: Paths = {
  '/server': {
    get: {
      tags: ['Service'],
      operationId: 'server',
      summary: 'The collections, their schemas and classes',
      security: [{}],
      responses: { 200: json('The service and its collections.', ref('Server')), ...problems(500) },
    },
  },
  '/maintenance': {
    post: {
      tags: ['Service'],
      operationId: 'maintenance',
      summary: 'Switch the maintenance mode of a collection on or off',
      description: 'Needs a curator token of the collection.',
      security: [{ token: [] }],
      requestBody: body(ref('Maintenance'), { collection: 'lab', active: true }),
      responses: { 200: json('The mode is switched.', NULL), ...problems(400, 401, 404, 422, 500) },
    },
  },
  '/-/health': {
    get: {
      tags: ['Service'],
      operationId: 'health',
      summary: 'Whether the service answers',
      security: [{}],
      responses: { 200: json('It does.', { type: 'object' }), ...problems(500) },
    },
  },
  '/-/ready': {
    get: {
      tags: ['Service'],
      operationId: 'ready',
      summary: 'Whether all collections are running',
      security: [{}],
      responses: { 200: json('They are.', { type: 'object' }), ...problems(500, 503) },
    },
  },
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
  ...elementPaths({
    path: '/collections',
    id: 'collections',
    one: 'collection',
    schema: ref('Collection'),
    answer: NULL,
    refusals: [400, 406, 409, 422],
    example: {
      name: 'lab',
      schema: 'https://example.org/lab.yaml',
      default_token: 'anonymous',
      curated: 'lab/curated',
      incoming: 'lab/incoming',
      backend: { type: 'record_dir+stl' },
    },
  }),
  ...elementPaths({
    path: '/tokens',
    id: 'tokens',
    one: 'token',
    schema: ref('Token'),
    answer: ref('Token'),
    refusals: [400, 404, 406, 409, 422],
    example: {
      name: 'alice',
      user_id: 'alice@example.org',
      collections: { lab: { mode: 'WRITE_COLLECTION', incoming_label: 'alice' } },
    },
  }),
  ...elementPaths({
    path: '/admin_tokens',
    id: 'admin_tokens',
    one: 'admin token',
    schema: ref('AdminToken'),
    answer: NULL,
    refusals: [400, 406, 409, 422],
    example: {
      name: 'root',
      representation: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    },
  }),
};

type Kind = {
  readonly path: string;
  readonly id: string;
  readonly one: string;
  readonly schema: Json;
  /** What a create or replace answers with. */
  readonly answer: Json;
  readonly refusals: readonly number[];
  readonly example: Json;
};

function elementPaths({ path, id, one, schema, answer, refusals, example }: Kind): Paths {
  const operation = (what: string, summary: string, rest: Json): Json => ({
    tags: ['Administration'],
    operationId: `${id}.${what}`,
    summary,
    security: [{ adminToken: [] }],
    ...rest,
  });
  const write = (what: string, summary: string): Json =>
    operation(what, summary, {
      requestBody: body(schema, example),
      responses: {
        201: json(`The ${one} is in force and stored.`, answer),
        ...problems(401, ...refusals, 500),
      },
    });
  const put = `Create or replace ${one === 'admin token' ? 'an' : 'a'} ${one}`;
  return {
    [path]: {
      get: operation('list', `List all ${one}s`, {
        responses: { 200: json(`All ${one}s.`, { type: 'array', items: schema }), ...problems(401, 500) },
      }),
      post: write('create', put.replace(' or replace', '')),
      put: write('put', put),
    },
    [`${path}/{name}`]: {
      parameters: [{ $ref: '#/components/parameters/name' }] as unknown as Json,
      get: operation('read', `Read one ${one}`, {
        responses: { 200: json(`The ${one}.`, { type: 'object' }), ...problems(401, 404, 500) },
      }),
      put: write('put_named', `${put} of this name`),
      delete: operation('delete', `Delete one ${one}`, {
        responses: {
          200: json('It is gone.', NULL),
          ...problems(401, 404, ...(id === 'tokens' ? [406] : []), 500),
        },
      }),
    },
  };
}

function ref(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` };
}

function json(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}

function body(schema: Json, example: Json): Json {
  return { required: true, content: { 'application/json': { schema, example } } };
}
