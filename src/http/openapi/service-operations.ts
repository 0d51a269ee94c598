/** The operations that belong to no collection: the service itself, and its administration. */
import { body, type Json, json, NULL, type Paths, problems, ref } from './words.ts';

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
};
