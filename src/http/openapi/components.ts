/** What the operations of the API description share: security schemes, parameters, responses, schemas. */
import { tokenConfigSchema } from '../../access/config-tokens.ts';
import { adminTokenSchema, collectionSchema, payloadSchema } from '../../config/config.ts';
import { type Json, ref } from './words.ts';

export const securitySchemes: Json = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Token',
    description:
      'The token of a user or curator. Requests without one get what the default token of the collection grants. ' +
      'The header may also be called `X-DumpThings-Token`.',
  },
  adminToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Token',
    description: 'The token of an administrator; it grants nothing but administration.',
  },
};

function query(name: string, description: string, schema: Json): Json {
  return { name, in: 'query', description, schema };
}

export const parameters: Json = {
  format: query('format', 'The format of records.', {
    type: 'string',
    enum: ['json', 'ttl'],
    default: 'json',
  }),
  add_submission_tag: query(
    'add_submission_tag',
    'Annotate the record with the submitter and the time of the submission.',
    { type: 'boolean', default: false },
  ),
  author_id: query('author_id', 'On whose behalf the record is changed; noted in the audit log.', {
    type: 'string',
  }),
  matching: query(
    'matching',
    'A pattern that has to cover a whole text value of a record: `%` stands for any characters, `_` for any one. ' +
      'Honoured by `sqlite` backends.',
    { type: 'string' },
  ),
  page: query('page', 'The number of the page.', { type: 'integer', minimum: 1, default: 1 }),
  size: query('size', 'Records per page.', { type: 'integer', minimum: 1, maximum: 100, default: 50 }),
  pid: { ...query('pid', 'The pid of a record: a CURIE or a URI.', { type: 'string' }), required: true },
  label: {
    name: 'label',
    in: 'path',
    required: true,
    description: 'The label of an incoming zone.',
    schema: { type: 'string' },
  },
  name: {
    name: 'name',
    in: 'path',
    required: true,
    description: 'The name of the element.',
    schema: { type: 'string' },
  },
};

/** Status → what it means, with an example of the body. */
const PROBLEM_STATUSES: Readonly<Record<number, readonly [description: string, detail: unknown]>> = {
  400: [
    'The record is invalid, the body is malformed, a CURIE has an unknown prefix, or a conversion failed.',
    [
      {
        type: 'missing',
        loc: ['body', 'pid'],
        msg: 'pid: found nothing, expected a value, since the slot is required in the class Person.',
      },
    ],
  ],
  401: [
    'No token, or one that is not accepted here.',
    "The collection 'lab' does not accept the token (config: the configuration has no such token for the collection 'lab').",
  ],
  403: [
    'The token is known, but does not grant this.',
    "A token with more rights is needed to submit to the collection 'lab'.",
  ],
  404: [
    'Unknown collection, class, label or element, or no record to delete.',
    "There is no collection 'lab'.",
  ],
  406: ['A path, label or token that can not be accepted.', 'curated-path "../lab" leads out of the store.'],
  409: ['The name or the representation is taken or reserved.', "There is a collection 'lab' already."],
  412: [
    'The record is not in the state that `If-Match` or `If-None-Match` asks for.',
    "The record 'ex:ada' is not in the expected state.",
  ],
  413: [
    'More records than can be answered at once, or a body that is too large.',
    'There are 4711 records, and a list holds at most 1200: read them in pages (/lab/records/p/).',
  ],
  422: [
    'A query parameter or a key of the body is unknown or has a wrong value.',
    [
      {
        type: 'parameter_invalid',
        loc: ['query', 'page'],
        msg: "The query parameter 'page' is '0', expected an integer from 1.",
        input: '0',
      },
    ],
  ],
  500: [
    'The service failed. The operator finds the request by its id.',
    'The service could not complete the request; the operator finds the reason in the log (request 5f0c…).',
  ],
  503: [
    'The collection is in maintenance: only curators have access.',
    "The collection 'lab' is under maintenance: only curators have access for now.",
  ],
};

export const responses: Json = Object.fromEntries(
  Object.entries(PROBLEM_STATUSES).map(([status, [description, detail]]) => [
    `status${status}`,
    {
      description,
      content: {
        'application/json': { schema: ref('Error'), example: { detail } },
      },
    },
  ]),
);

export const schemas: Json = {
  Error: {
    title: 'Error',
    type: 'object',
    properties: {
      detail: {
        oneOf: [{ type: 'string' }, { type: 'array', items: ref('Problem') }],
      },
    },
    required: ['detail'],
  },
  Problem: {
    title: 'One thing that is wrong with the request',
    type: 'object',
    properties: {
      type: { type: 'string', description: 'The kind of problem, for programs.' },
      loc: {
        type: 'array',
        items: { type: ['string', 'integer'] },
        description: 'The path to the offending value.',
      },
      msg: { type: 'string', description: 'What was found and what was expected.' },
      input: { description: 'The offending value.' },
    },
    required: ['type', 'loc', 'msg'],
  },
  Record: {
    title: 'A record of any class',
    type: 'object',
    properties: {
      pid: { type: 'string', description: 'The identifier of the record: a CURIE or a URI.' },
      schema_type: { type: 'string', description: 'The class of the record.' },
    },
    required: ['pid'],
    additionalProperties: true,
  },
  Records: {
    title: 'Records, or Turtle documents of one record each',
    type: 'array',
    items: { oneOf: [ref('Record'), { type: 'string' }] },
  },
  Page: {
    title: 'A page of records',
    type: 'object',
    properties: {
      items: ref('Records'),
      total: { type: 'integer', description: 'All records of the list.' },
      page: { type: 'integer', minimum: 1 },
      size: { type: 'integer', minimum: 1 },
      pages: { type: 'integer', minimum: 0 },
    },
    required: ['items', 'total', 'page', 'size', 'pages'],
  },
  Server: {
    title: 'The service and its collections',
    type: 'object',
    properties: {
      version: { type: 'string', description: 'The release of the interface.' },
      collections: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            schema: { type: 'string' },
            classes: { type: 'array', items: { type: 'string' } },
          },
          required: ['name', 'schema', 'classes'],
        },
      },
    },
    required: ['version', 'collections'],
  },
  Maintenance: {
    title: 'Maintenance mode of a collection',
    type: 'object',
    properties: { collection: { type: 'string' }, active: { type: 'boolean' } },
    required: ['collection', 'active'],
  },
  Collection: { title: 'A collection', ...withoutDiscriminators(payloadSchema(collectionSchema)) },
  Token: { title: 'A token', ...withoutDiscriminators(payloadSchema(tokenConfigSchema)) },
  AdminToken: { title: 'An admin token', ...withoutDiscriminators(payloadSchema(adminTokenSchema)) },
};

/** OpenAPI's own keyword `discriminator` needs named alternatives; the `oneOf` says the same without it. */
function withoutDiscriminators(schema: object): Json {
  return JSON.parse(JSON.stringify(schema), (key, value) => (key === 'discriminator' ? undefined : value));
}
