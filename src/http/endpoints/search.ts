/** Search in an area: words in any value, values of slots, sorted, in pages. */
import type { FastifyReply } from 'fastify';
import type { Collection } from '../../collections/collection.ts';
import { ServiceError } from '../../errors.ts';
import { DEFAULT_SIZE, FIRST_PAGE, LARGEST_PAGE } from '../../records/page.ts';
import { queryWords, type Search, search } from '../../records/search.ts';
import { slices } from '../../work/turns.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { enterArea } from '../enter.ts';
import { integer, parameterInvalid, parametersOf, type Query, textParameter } from '../query.ts';
import { sendJson } from '../reply.ts';
import { MOUNTS } from './mounts.ts';
import { jsonAnswer } from './schemas.ts';

/** A search ends after this time, in milliseconds, and reports that it is not complete. */
const BUDGET = 2000;
/** Matches that are counted by default, and at most. The first letters of a word are in most records. */
const DEFAULT_COUNT = 1000;
const MOST_COUNTED = 1_000_000;

const searchParameters = {
  q: textParameter('Words, each of which has to occur in some value of the record, in any order.'),
  class: textParameter('Only records of this class; of the user area, with its subclasses.'),
  sort: textParameter('The slot to sort by; `-` in front reverses the order. Default: `pid`.'),
  page: integer('The number of the page.', FIRST_PAGE, FIRST_PAGE),
  size: integer('Records per page.', DEFAULT_SIZE, 1, LARGEST_PAGE),
  count: integer('How many matches are counted from the page on.', DEFAULT_COUNT, 1, MOST_COUNTED),
};

/** GET of a page of the records that have all words, and all values of slots. */
async function searchArea(call: Call): Promise<FastifyReply> {
  const { collection, area } = await enterArea(call);
  const asked = call.request.query as Query;
  const slots = Object.entries(asked).filter(
    ([name]) => !Object.hasOwn(searchParameters, name) && isSlot(collection, name),
  );
  const given = parametersOf(call, {
    ...searchParameters,
    ...Object.fromEntries(slots.map(([name]) => [name, textParameter(`A value of the slot ${name}.`)])),
  }) as unknown as { readonly [Name in keyof typeof searchParameters]: never };
  const {
    q = '',
    class: className,
    sort = 'pid',
    page,
    size,
    count,
  } = given as {
    q?: string;
    class?: string;
    sort?: string;
    page: number;
    size: number;
    count: number;
  };
  if (className !== undefined && !collection.hasClass(className)) throw classMissing(collection, className);
  const slot = sort.replace(/^-/, '');
  if (!isSlot(collection, slot)) throw sortUnknown(collection, sort);
  const wanted: Search = {
    words: queryWords(q),
    slots,
    sort: { slot, descending: sort.startsWith('-') },
    most: (page - FIRST_PAGE) * size + Math.max(count, size),
  };
  const key = JSON.stringify(['search', area.path, className, wanted, page, size]);
  const state = await area.state();
  const known = state === undefined ? undefined : collection.pages.get(key, state);
  if (known) return sendJson(call.reply, known);
  const expand = (one: string) => collection.schema.expand(one);
  const scan = (words?: readonly string[]) => area.scan({ className, words });
  const { pids, complete, late } = await search(scan, wanted, {
    expand,
    budget: BUDGET,
    breathe: slices(),
  });
  const start = (page - FIRST_PAGE) * size;
  const items: string[] = [];
  for (const pid of pids.slice(start, start + size)) {
    const found = await area.read(pid);
    if (found) items.push(found.record.json);
  }
  const pages = Math.ceil(pids.length / size);
  const body = Buffer.from(
    `{"items":[${items}],"total":${pids.length},"page":${page},"size":${size},"pages":${pages},"complete":${complete}}`,
  );
  if (!late && state !== undefined) collection.pages.set(key, state, body);
  return sendJson(call.reply, body);
}

function isSlot({ schema }: Collection, name: string): boolean {
  return [...schema.classes.values()].some(({ slots }) => slots.has(name));
}

function sortUnknown({ name }: Collection, input: string): ServiceError {
  const msg = `The query parameter 'sort' is '${input}', expected the name of a slot of the collection '${name}'.`;
  return parameterInvalid([{ type: 'parameter_invalid', loc: ['query', 'sort'], msg, input }]);
}

function classMissing({ name }: Collection, className: string): ServiceError {
  return new ServiceError('class_unknown', `The collection '${name}' has no class '${className}'.`);
}

export const searchSchema = {
  title: 'A page of found records',
  type: 'object',
  properties: {
    items: { $ref: '#/components/schemas/Records' },
    total: { type: 'integer', description: 'The number of matches that were counted.' },
    page: { type: 'integer', minimum: 1 },
    size: { type: 'integer', minimum: 1 },
    pages: { type: 'integer', minimum: 0 },
    complete: {
      type: 'boolean',
      description: 'Whether all matches were counted; false if there may be more.',
    },
  },
  required: ['items', 'total', 'page', 'size', 'pages', 'complete'],
} as const;

/** The endpoints that search. */
export const searchEndpoints: readonly Endpoint[] = MOUNTS.map(({ kind, path, token, title }) => ({
  area: kind,
  tag: kind,
  token,
  method: 'GET',
  path: `/-${path}/search`,
  id: 'search',
  summary: `Search the records ${title}`,
  description:
    'Case and accents make no difference. The name of a slot is a parameter, too: `given_name=Ann` selects records ' +
    `with this value in the slot. A search in the order of pids ends \`count\` matches after the start of the page, and every search after ` +
    `${BUDGET / 1000} seconds; \`complete\` is false if there may be more.`,
  action: 'read',
  query: searchParameters,
  answers: { 200: jsonAnswer('The records of the page.', searchSchema) },
  handle: searchArea,
}));
