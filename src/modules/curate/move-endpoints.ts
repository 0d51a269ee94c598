/** Renames and merges of curated records, with every reference to them, and their undo. */
import { curatorOf } from '../../core/collections/areas.ts';
import { type Endpoint, inPath, row } from '../../core/http/endpoint.ts';
import { jsonAnswer } from '../../core/http/endpoints/schemas.ts';
import { enterAsCurator } from '../../core/http/enter.ts';
import { authorId, flag, integer } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { objectOf, textSchema } from '../../core/shapes.ts';
import { listMoves, mergeRecords, moveReportSchema, movesSchema, rename, undoMove } from './moves.ts';

const movesParameters = {
  dry_run: flag('Only report what would change.', false),
  author_id: authorId,
};

const MERGE_SIDES = { keep: 'curated', drop: 'submitted' } as const;

const movesShared = {
  tag: 'Stewardship',
  answers: { 200: jsonAnswer('What has changed, or would change.', moveReportSchema) },
  refusals: [409, 412],
} as const;

const mergeSchema = objectOf(
  { keep: textSchema, drop: textSchema },
  { take: { type: ['object', 'null'], additionalProperties: { enum: ['keep', 'drop'] } } },
);

/** The endpoints of renames and merges. */
export const moveEndpoints: readonly Endpoint[] = [
  row('POST', '/-/{collection}/curated/rename', 'rename', {
    ...movesShared,
    summary: 'Give a curated record another pid, in every record that refers to it',
    description: 'The former pid leads to the record from then on.',
    ...replyingTo(
      enterAsCurator,
      movesParameters,
      {
        schema: objectOf({ from: textSchema, to: textSchema }),
        example: { from: 'https://example.org/ada', to: 'https://example.org/ada-byron' },
        limit: 64 * 1024,
      },
      ({ collection, grant }, renaming, { author_id, dry_run: dryRun }) =>
        rename(collection, renaming, { by: curatorOf(grant, author_id), dryRun }),
    ),
  }),
  row('POST', '/-/{collection}/curated/merge', 'merge', {
    ...movesShared,
    summary: 'Merge two curated records into one, in every record that refers to them',
    description:
      'Values that only one record has are kept. `take` chooses a side for each path at which ' +
      'both have different values.',
    ...replyingTo(
      enterAsCurator,
      movesParameters,
      {
        schema: mergeSchema,
        example: { keep: 'https://example.org/ada', drop: 'https://example.org/a-byron' },
        limit: 1024 * 1024,
      },
      ({ collection, grant }, { take, ...merging }, { author_id, dry_run: dryRun }) => {
        const sides = Object.entries(take ?? {}).map(([path, side]) => [path, MERGE_SIDES[side]]);
        const request = { ...merging, take: Object.fromEntries(sides) };
        return mergeRecords(collection, request, { by: curatorOf(grant, author_id), dryRun });
      },
    ),
  }),
  row('GET', '/-/{collection}/moves', 'moves', {
    ...movesShared,
    summary: 'List the renames and merges that can be taken back',
    description: 'Newest first.',
    answers: { 200: jsonAnswer('Renames and merges.', movesSchema) },
    refusals: [],
    ...replying(
      enterAsCurator,
      { limit: integer('The number of rows.', 100, 1, 1000) },
      async ({ collection }, { limit }) => ({ items: await listMoves(collection, limit) }),
    ),
  }),
  row('POST', '/-/{collection}/moves/{id}/undo', 'move.undo', {
    ...movesShared,
    summary: 'Take a rename or merge back',
    ...replying(enterAsCurator, {}, ({ collection, grant }, _, call) =>
      undoMove(collection, inPath(call, 'id'), curatorOf(grant)),
    ),
  }),
];
