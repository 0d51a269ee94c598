/** Missing references, records that do not fit the schema, and duplicates. */
import { curatorOf } from '../../core/collections/areas.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { type Endpoint, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, TRUE } from '../../core/http/endpoints/schemas.ts';
import { enterAsCurator } from '../../core/http/enter.ts';
import { integer, textParameter } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { resolvePid } from '../../core/records/record.ts';
import { countSchema, flagSchema, listOf, objectOf, textSchema } from '../../core/shapes.ts';
import { type DanglingRow, danglingIn, danglingSchema } from './dangling.ts';
import { callDifferent, duplicatesSchema } from './duplicates.ts';
import { faultsOfCurated, listFaults } from './faults.ts';
import { curatePart } from './part.ts';

const MOST_ROWS = 1000;
const rowsLimit = integer('The number of rows.', 100, 1, MOST_ROWS);
const faultParameters = {
  limit: rowsLimit,
  pid: textParameter('Only faults of the curated record with this pid.'),
};
const pageParameters = { offset: integer('Rows that are skipped.', 0, 0), limit: rowsLimit };

async function firstDangling(collection: Collection, most: number) {
  const items: DanglingRow[] = [];
  for await (const row of danglingIn(collection)) {
    if (items.length === most) return { items, more: true };
    items.push(row);
  }
  return { items, more: false };
}

export const faultsSchema = objectOf({
  items: listOf(
    objectOf({
      in: textSchema,
      pid: textSchema,
      class: textSchema,
      problems: listOf({ $ref: '#/components/schemas/Problem' }),
    }),
  ),
  total: countSchema,
  pending: { ...countSchema, description: 'Changes that have not been checked yet.' },
});

const differentSchema = objectOf({
  pids: { ...listOf(textSchema), minItems: 2, maxItems: 2 },
  different: flagSchema,
});

const tag = 'Stewardship';

export const curationEndpoints: readonly Endpoint[] = [
  row('GET', '/-/{collection}/dangling', 'dangling', {
    tag,
    summary: 'References to records that do not exist',
    answers: { 200: jsonAnswer('The references.', danglingSchema) },
    ...replying(enterAsCurator, { limit: rowsLimit }, ({ collection }, { limit }) =>
      firstDangling(collection, limit),
    ),
  }),
  row('GET', '/-/{collection}/faults', 'faults', {
    tag,
    summary: 'Stored records that do not fit the schema',
    answers: { 200: jsonAnswer('The records with their problems.', faultsSchema) },
    ...replying(enterAsCurator, faultParameters, ({ collection }, { limit, pid }) =>
      pid === undefined
        ? listFaults(collection, limit)
        : faultsOfCurated(collection, resolvePid(collection.schema, pid)),
    ),
  }),
  row('GET', '/-/{collection}/duplicates', 'duplicates', {
    tag,
    summary: 'Pairs of curated records that may be about the same thing, the surest first',
    answers: { 200: jsonAnswer('The pairs.', duplicatesSchema) },
    ...replying(enterAsCurator, pageParameters, async ({ collection }, { offset, limit }) => {
      const { pairs, typos } = await collection.part(curatePart).duplicates();
      return { items: pairs.slice(offset, offset + limit), total: pairs.length, typos };
    }),
  }),
  row('PUT', '/-/{collection}/duplicates', 'duplicates.put', {
    tag,
    summary: 'Record that two records are about different things, or undo that',
    answers: { 200: jsonAnswer('It is remembered.', TRUE) },
    ...replyingTo(
      enterAsCurator,
      {},
      {
        schema: differentSchema,
        example: { pids: ['https://example.org/ada', 'https://example.org/ada-byron'], different: true },
        limit: 64 * 1024,
      },
      async ({ collection, grant }, { pids: [first = '', second = ''], different }) => {
        await callDifferent(collection, [first, second], different, curatorOf(grant));
        return true;
      },
    ),
  }),
];
