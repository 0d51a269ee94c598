/** The operations of administration: one family for each kind of elements, as `admin.ts` answers them. */
import { body, type Json, json, NULL, type Paths, problems, ref } from './words.ts';

export const adminPaths: Paths = {
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
      parameters: [{ $ref: '#/components/parameters/name' }],
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
