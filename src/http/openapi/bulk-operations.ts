/** The description of what moves many records at once: batches and exports, below `/-/`. */
import { classParameter, type Json, json, type Paths, problems, ref } from './words.ts';

const OBJECTS = {
  description: 'A JSON array of objects, or NDJSON: one object a line.',
  required: true,
  content: {
    'application/json': { schema: { type: 'array', items: { type: 'object' } } },
    'application/x-ndjson': { schema: { type: 'string' } },
  },
};
const RESULTS = {
  200: json('One result for each object, in order.', { type: 'array', items: ref('ItemResult') }),
  ...problems(400, 401, 403, 404, 413, 422, 500, 503),
};
const STREAM = {
  200: {
    description:
      'All records in pid order: NDJSON, one record a line, or one Turtle document after the other.',
    content: {
      'application/x-ndjson': { schema: { type: 'string' } },
      'text/turtle': { schema: { type: 'string' } },
    },
  },
  ...problems(401, 403, 404, 422, 500, 503),
};

export const bulkSchemas: Json = {
  ItemResult: {
    title: 'What became of one object of a batch',
    oneOf: [
      {
        type: 'object',
        properties: {
          status: { const: 200 },
          pids: { type: 'array', items: { type: 'string' }, description: 'The records that it became.' },
        },
        required: ['status', 'pids'],
      },
      {
        type: 'object',
        properties: {
          status: { type: 'integer', minimum: 400 },
          detail: { $ref: '#/components/schemas/Error/properties/detail' },
        },
        required: ['status', 'detail'],
      },
    ],
  },
};

/**
 * The operations on one area.
 *
 * @param root the path of the area, `/<collection>/curated` and the like
 * @param describe gives tags, summary and id of an operation, and the security and parameters of its area
 */
export function bulkPaths(
  root: string,
  classes: readonly string[],
  describe: (what: string, summary: string, parameters: readonly string[]) => Json,
): Paths {
  const batch = (what: string, summary: string): Json => ({
    ...describe(what, summary, []),
    requestBody: OBJECTS,
    responses: RESULTS,
  });
  const parameters = [classParameter(classes, 'The class of all objects.')];
  return {
    [`/-${root}/records/`]: { post: batch('batch', 'Store many objects; schema_type tells their classes') },
    [`/-${root}/records/{class}`]: {
      parameters,
      post: batch('batch_class', 'Store many objects of a class'),
    },
    [`/-${root}/validate/records/`]: {
      post: batch('batch_check', 'Check many objects; schema_type tells their classes'),
    },
    [`/-${root}/validate/records/{class}`]: {
      parameters,
      post: batch('batch_check_class', 'Check many objects of a class'),
    },
    [`/-${root}/export`]: {
      get: {
        ...describe('export', 'Read all records as one stream', ['format', 'matching']),
        responses: STREAM,
      },
    },
  };
}
