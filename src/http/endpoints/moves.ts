/** Renames and merges of curated records, with every reference to them, and their undo. */
import type { FastifyReply } from 'fastify';
import { curatorOf } from '../../collections/areas.ts';
import { listMoves, type MoveReport, mergeRecords, rename, undoMove } from '../../curate/moves.ts';
import type { FromSchema } from '../api-types.ts';
import { jsonBody } from '../body.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { authorId, flag, integer, parametersOf } from '../query.ts';
import { sendJson } from '../reply.ts';
import { enterAsCurator } from './curate.ts';
import { jsonAnswer, jsonContent } from './schemas.ts';

const movesParameters = {
  dry_run: flag('Only report what would change.', false),
  author_id: authorId,
};

const listParameters = { limit: integer('The number of rows.', 100, 1, 1000) };

/** POST that changes the pid of a record. */
async function renameRecord(call: Call): Promise<FastifyReply> {
  const { collection, grant } = await enterAsCurator(call);
  const { dry_run, author_id } = parametersOf(call, movesParameters);
  const renaming = await jsonBody<FromSchema<typeof renameSchema>>(call);
  const moving = { by: curatorOf(grant, author_id), dryRun: dry_run };
  return reply(call, await rename(collection, renaming, moving));
}

/** POST that merges two records into one. */
async function mergeInto(call: Call): Promise<FastifyReply> {
  const { collection, grant } = await enterAsCurator(call);
  const { dry_run, author_id } = parametersOf(call, movesParameters);
  const { take, ...merging } = await jsonBody<FromSchema<typeof mergeSchema>>(call);
  const sides = Object.entries(take ?? {}).map(([path, side]) => [path, MERGE_SIDES[side]]);
  const request = { ...merging, take: Object.fromEntries(sides) };
  const moving = { by: curatorOf(grant, author_id), dryRun: dry_run };
  return reply(call, await mergeRecords(collection, request, moving));
}

/** GET of the renames and merges that can be taken back. */
async function readMoves(call: Call): Promise<FastifyReply> {
  const { collection } = await enterAsCurator(call);
  const { limit } = parametersOf(call, listParameters);
  return sendJson(call.reply, JSON.stringify({ items: await listMoves(collection, limit) }));
}

/** POST that takes a rename or merge back. */
async function undoOneMove(call: Call): Promise<FastifyReply> {
  const { collection, grant } = await enterAsCurator(call);
  parametersOf(call, {});
  const { id } = call.request.params as { id: string };
  return reply(call, await undoMove(collection, id, curatorOf(grant)));
}

function reply({ reply: to }: Call, report: MoveReport): FastifyReply {
  return sendJson(to, JSON.stringify(report));
}

const MERGE_SIDES = { keep: 'curated', drop: 'submitted' } as const;

const string = { type: 'string' } as const;

const moveProperties = {
  id: string,
  kind: { enum: ['rename', 'merge'] },
  from: string,
  to: string,
  time: { type: 'string', format: 'date-time' },
  by: string,
  records: { type: 'integer', description: 'The number of records that change.' },
} as const;

export const movesSchema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      items: { type: 'object', required: Object.keys(moveProperties), properties: moveProperties },
    },
  },
} as const;

export const moveSchema = {
  type: 'object',
  required: [...Object.keys(moveProperties), 'dry_run', 'changes'],
  properties: {
    ...moveProperties,
    dry_run: { type: 'boolean' },
    changes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pid', 'class', 'deleted'],
        properties: { pid: string, class: string, deleted: { type: 'boolean' } },
      },
    },
  },
} as const;

const movesShared = {
  method: 'POST',
  tag: 'Stewardship',
  token: 'required',
  answers: { 200: jsonAnswer('What has changed, or would change.', moveSchema) },
  refusals: [409, 412],
} as const;
const renameSchema = {
  type: 'object',
  required: ['from', 'to'],
  properties: { from: string, to: string },
} as const;
const mergeSchema = {
  type: 'object',
  required: ['keep', 'drop'],
  properties: {
    keep: string,
    drop: string,
    take: { type: ['object', 'null'], additionalProperties: { enum: ['keep', 'drop'] } },
  },
} as const;

/** The endpoints of renames and merges. */
export const moveEndpoints: readonly Endpoint[] = [
  {
    ...movesShared,
    path: '/-/{collection}/curated/rename',
    id: 'rename',
    summary: 'Give a curated record another pid, in every record that refers to it',
    description: 'Requires a curator token. The former pid leads to the record from then on.',
    query: movesParameters,
    body: {
      content: jsonContent(renameSchema, {
        from: 'https://example.org/ada',
        to: 'https://example.org/ada-byron',
      }),
      limit: 64 * 1024,
    },
    handle: renameRecord,
  },
  {
    ...movesShared,
    path: '/-/{collection}/curated/merge',
    id: 'merge',
    summary: 'Merge two curated records into one, in every record that refers to them',
    description:
      'Requires a curator token. Values that only one record has are kept. `take` chooses a side for each path at which ' +
      'both have different values.',
    query: movesParameters,
    body: {
      content: jsonContent(mergeSchema, {
        keep: 'https://example.org/ada',
        drop: 'https://example.org/a-byron',
      }),
      limit: 1024 * 1024,
    },
    handle: mergeInto,
  },
  {
    ...movesShared,
    method: 'GET',
    path: '/-/{collection}/moves',
    id: 'moves',
    summary: 'List the renames and merges that can be taken back',
    description: 'Newest first. Requires a curator token.',
    query: listParameters,
    answers: { 200: jsonAnswer('Renames and merges.', movesSchema) },
    refusals: [],
    handle: readMoves,
  },
  {
    ...movesShared,
    path: '/-/{collection}/moves/{id}/undo',
    id: 'move.undo',
    summary: 'Take a rename or merge back',
    description: 'Requires a curator token.',
    handle: undoOneMove,
  },
];
