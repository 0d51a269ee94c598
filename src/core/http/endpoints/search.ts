/** Search in an area: words in any value, values of slots, sorted, in pages. */
import type { FastifyReply } from 'fastify';
import type { Collection } from '../../collections/collection.ts';
import { SEARCH_BUDGET, type Sort, searchArea } from '../../collections/search-area.ts';
import type { ServiceError } from '../../errors.ts';
import { hasTooManyWords, MOST_VALUES, MOST_WORDS } from '../../records/search.ts';
import { SCHEMA_TYPE } from '../../schema-type.ts';
import { countSchema, flagSchema, listOf, objectOf, orNull, pageNumbers, textSchema } from '../../shapes.ts';
import { SLOT_TESTS, type SlotTest, type ValueCondition } from '../../storage/search/indexed-values.ts';
import { essenceOf } from '../../storage/search/typed-words.ts';
import { type Call, type Endpoint, row } from '../endpoint.ts';
import { enterArea } from '../enter.ts';
import type { Parameters, ValuesOf } from '../parameter.ts';
import {
  flag,
  integer,
  paging,
  parameterInvalid,
  parameterRefused,
  parametersOf,
  type Query,
  shortText,
  textParameter,
  valuesOf,
} from '../query.ts';
import { noteRevision } from '../reads.ts';
import { sendJson } from '../reply.ts';
import { MOUNTS } from './mounts.ts';
import { jsonAnswer } from './schemas.ts';

/** Matches that are counted by default, and at most. The first letters of a word are in most records. */
const DEFAULT_COUNT = 1000;
const MOST_COUNTED = 1_000_000;

/** Slots whose values one search counts. */
const MOST_FACETS = 10;

/** In characters. */
const LONGEST_SLOT = 1000;

const searchParameters = {
  q: textParameter(
    'Words, each of which the record has to have, in any order; the last one may be the beginning of a word, unless a space ' +
      'follows. `"a phrase"`, `-word` for records without a word, `OR` for one of two, `word*` for words that begin so.',
  ),
  class: textParameter('Only records of this class; of the user area, with its subclasses.'),
  sort: shortText(
    'The slot to sort by; `-` in front reverses the order. Default: relevance for words, else `pid`.',
    LONGEST_SLOT,
  ),
  ...paging,
  count: integer(
    'How many matches are counted from the page on, if records have to be read.',
    DEFAULT_COUNT,
    1,
    MOST_COUNTED,
  ),
  highlight: flag(
    'Whether `highlights` has, of each record, its title and a snippet with the words that were looked for.',
    false,
  ),
  facet: textParameter(
    `A slot whose values are counted in all that is found; repeated for up to ${MOST_FACETS} of them.`,
  ),
  alternatives: flag(
    'Whether each facet is counted without the values that are asked for in its slot, so that others can be added to them. These ' +
      'values are counted, too, if records have them.',
    false,
  ),
};

/** The names of other parameters, for messages. */
const CONDITIONS = ", or a slot of the schema, alone or with '.contains', '.from', '.to' or '.filled'";

/** GET of a page of the records that have all words and meet the conditions on slots. */
async function readSearch(call: Call): Promise<FastifyReply> {
  const entered = await enterArea(call);
  const { collection, area } = entered;
  const { given, ...sought } = soughtIn(call, collection, searchParameters);
  const { q: _q, class: _class, sort, facet: _, ...paging } = given;
  const sorting = sort === undefined ? undefined : sortIn(collection, sort);
  const facets = [...new Set(valuesOf(call, 'facet'))];
  for (const one of facets) requireSlot(collection, 'facet', one);
  if (facets.length > MOST_FACETS)
    throw parameterRefused('facet', facets.at(-1)!, `at most ${MOST_FACETS} different slots`);
  const request = { ...sought, sort: sorting, facets, ...paging };
  const { body, revision } = await searchArea(call.service.pool, collection, area, request);
  if (revision !== undefined) noteRevision(call, area, revision);
  return sendJson(call.reply, body);
}

/** The parameters that say what is sought, of all rows that search. */
export const SOUGHT = { q: searchParameters.q, class: searchParameters.class };

/** What a request looks for: words, a class, and the conditions on slots that it has besides the parameters of its row. */
export function soughtIn<P extends typeof SOUGHT & Parameters>(
  call: Call,
  collection: Collection,
  parameters: P,
) {
  const slots = Object.keys(call.request.query as Query).flatMap((name) => {
    const found = Object.hasOwn(parameters, name) ? undefined : conditionIn(collection, name);
    return found ? [{ name, ...found }] : [];
  });
  const conditions = slots.map(({ name, test }) => [name, test === 'filled' ? filled : slotValue]);
  const given: ValuesOf<P> = parametersOf(
    call,
    { ...parameters, ...Object.fromEntries(conditions) },
    CONDITIONS,
  );
  const values = given as Readonly<Record<string, unknown>>;
  const { q = '', class: named } = values as { readonly q?: string; readonly class?: string };
  if (hasTooManyWords(q) && hasTooManyWords(essenceOf(q) ?? q)) throw tooManyWords(q);
  const className = named === undefined ? undefined : collection.requireClass(named);
  const groups = new Map<string, ValueCondition[]>();
  for (const { name, group, slot, test } of slots) {
    const all = test === 'filled' ? [String(values[name])] : [...new Set(valuesOf(call, name))];
    if (all.length > MOST_VALUES)
      throw parameterRefused(name, all.at(-1) ?? '', `at most ${MOST_VALUES} different values`);
    groups.set(group, [...(groups.get(group) ?? []), { slot, test, values: all }]);
  }
  return { given, q, className, slots: [...groups.values()] };
}

/** Refuses the name of a slot that no class has. @throws ServiceError `parameter_invalid` */
export function requireSlot(collection: Collection, parameter: string, slot: string): void {
  if (isSlot(collection, slot)) return;
  throw parameterRefused(parameter, slot, `the name of a slot of the collection '${collection.name}'`);
}

function sortIn(collection: Collection, sort: string): Sort {
  const slot = sort.replace(/^-/, '');
  requireSlot(collection, 'sort', slot);
  return { slot, descending: sort.startsWith('-') };
}

const slotValue = textParameter('A value of the slot.');
const filled = flag('Whether the slot has a value.', true);

/** Of the conditions whose names begin with the same one of these, one has to match. */
const GROUP = /^or[1-9]\./;

/** Parses the name of a parameter into the test of a slot and its group; a name without a group is one alone. */
function conditionIn(collection: Collection, name: string) {
  const alone = slotTestIn(name);
  if (isSlot(collection, alone.slot)) return { group: name, ...alone };
  const [group] = GROUP.exec(name) ?? [];
  if (group === undefined) return undefined;
  const alternative = slotTestIn(name.slice(group.length));
  return isSlot(collection, alternative.slot) ? { group, ...alternative } : undefined;
}

/** The slot and the test that the name of a parameter stands for: `born.from`, or `born` for a value. */
function slotTestIn(name: string): { readonly slot: string; readonly test: SlotTest } {
  const [slot = name, given] = name.split('.');
  const test = SLOT_TESTS.find((one) => one === given);
  return test && name === `${slot}.${test}` ? { slot, test } : { slot: name, test: 'is' };
}

/** The parameter `class` selects by the class of records. */
function isSlot({ schema }: Collection, name: string): boolean {
  if (name === SCHEMA_TYPE) return false;
  return [...schema.classes.values()].some(({ slots }) => slots.has(name));
}

function tooManyWords(input: string): ServiceError {
  const msg = `The query parameter 'q' has more than ${MOST_WORDS} words.`;
  return parameterInvalid([{ type: 'parameter_invalid', loc: ['query', 'q'], msg, input }]);
}

const position = { type: 'integer', minimum: 0 } as const;
const markedSchema = {
  description: 'A string, and the starts and ends of its marks, in UTF-16 units.',
  ...objectOf({
    text: textSchema,
    marks: listOf({ type: 'array', items: position, minItems: 2, maxItems: 2 }),
  }),
} as const;

export const searchSchema = {
  title: 'A page of found records',
  ...objectOf(
    {
      items: { $ref: '#/components/schemas/Records' },
      ...pageNumbers,
      total: { type: 'integer', description: 'The number of matches that were counted.' },
      complete: {
        ...flagSchema,
        description: 'Whether all matches were counted; false if there may be more.',
      },
    },
    {
      matched: {
        enum: ['words', 'parts'],
        description: 'Of `q`: whether whole words were found or, since none were, parts of words.',
      },
      searched_for: {
        ...textSchema,
        description:
          'What was searched in place of `q`, since no record has all of its words or these are too many: its DOI, its longest part, ' +
          'or its words without such as `and`.',
      },
      did_you_mean: {
        ...textSchema,
        description: 'Of `q` that finds nothing: words of records that differ from it in a letter.',
      },
      highlights: {
        description: 'With `highlight`: the words that were looked for, in each of `items`.',
        ...listOf(objectOf({ title: orNull(markedSchema), snippet: orNull(markedSchema) })),
      },
      facets: {
        description:
          'For each slot that `facet` names, the values that most of all matches have, up to 100, with the number of records that have them.',
        type: 'object',
        additionalProperties: listOf(objectOf({ value: textSchema, count: countSchema })),
      },
      cut_facets: {
        description:
          'Slots of `facets` with more than 50,000 different values: only those are listed that more records have than any other, ' +
          'often none.',
        ...listOf(textSchema),
      },
      covers: { ...textSchema, description: 'What a result covers that is not complete.' },
    },
  ),
} as const;

export const searchEndpoints: readonly Endpoint[] = MOUNTS.map(({ kind, path, title }) =>
  row('GET', `/-${path}/search`, 'search', {
    area: kind,
    tag: kind,
    summary: `Search the records ${title}`,
    description:
      'Case and accents make no difference. The name of a slot is a parameter, too: `given_name=Ann` selects records ' +
      'with this value in the slot, `given_name.contains=nn` with this text in it, `born.from=1990&born.to=1999` with a value ' +
      `between them, and \`born.filled=false\` without one. Of a repeated name, one of up to ${MOST_VALUES} values has to match: ` +
      '`status=open&status=pending`. All parameters have to match, but one is enough of those that begin with the same of `or1.` to ' +
      '`or9.`: `class=Project&or1.status=open&or1.due.filled=false`. ' +
      'Words and values are found in indexes: all matches are counted, and the best for the words come first. What would read too many ' +
      'records is refused with 413 (`search_too_broad`). For parts of words, records are read: this ends `count` matches after the start ' +
      `of the page, or after ${SEARCH_BUDGET / 1000} seconds of work, and then \`complete\` is false. With \`sort\` or \`facet\`, it is ` +
      'refused if the time is not enough.',
    action: 'read',
    query: searchParameters,
    answers: { 200: jsonAnswer('The records of the page.', searchSchema) },
    refusals: [413],
    need: enterArea.need,
    handle: readSearch,
  }),
);
