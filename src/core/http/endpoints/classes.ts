/** The classes of a collection, for forms, and the titles of records, for links. */
import type { FastifyReply } from 'fastify';
import { describeClass } from '#linkml/generate/form.ts';
import { jsonldContext } from '#linkml/generate/jsonld-context.ts';
import type { LinkmlSchema } from '#linkml/linkml.ts';
import { batches } from '../../batches.ts';
import type { Area } from '../../collections/area.ts';
import type { Collection } from '../../collections/collection.ts';
import { bodyOfSchema } from '../../collections/documents.ts';
import { isServiceError } from '../../errors.ts';
import { dumpYaml } from '../../formats/dump-yaml.ts';
import { FORMATS } from '../../formats/formats.ts';
import { SCHEMA_TYPE } from '../../schema-type.ts';
import { descriptions, flagSchema, listOf, objectOf, orNull, textOrNull, textSchema } from '../../shapes.ts';
import { runIfLong } from '../../work/pool.ts';
import { titleIn } from '../../work/tasks.ts';
import { yielder } from '../../yield.ts';
import { MOST_TITLES } from '../api-values.ts';
import { type Call, type Endpoint, inPath, row } from '../endpoint.ts';
import {
  administratorOf,
  type Entered,
  type EnteredArea,
  enter,
  enterArea,
  enterForAdministration,
  needing,
} from '../enter.ts';
import { clientHas, sendTagged } from '../etag.ts';
import { flag } from '../query.ts';
import { sendJson } from '../reply.ts';
import { replying, replyingTo } from '../replying.ts';
import { rangeRef, valueLimits } from '../slot-range.ts';
import { jsonAnswer } from './schemas.ts';

/** The classes that have endpoints, with the number of records that the token may read. */
export function listClasses({ collection, area }: Pick<EnteredArea, 'collection' | 'area'>) {
  return Promise.all(
    collection.classes.map(async (name) => {
      const { title, description, isA, abstract } = collection.schema.classes.get(name)!;
      return {
        class: name,
        title: title ?? null,
        description: description ?? null,
        is_a: isA ?? null,
        abstract,
        count: await area.count({ className: name }),
      };
    }),
  );
}

/** One class, also one whose objects are only parts of records. */
function readClass(collection: Collection, name: string) {
  collection.requireClassOfSchema(name);
  return bodyOfSchema(collection, `class ${name}`, () =>
    JSON.stringify(describeClass(collection.schema, name)),
  );
}

/** The schema as YAML: as it was written, or with its imports. The digest of all its files is the entity tag. */
function sendSchema(call: Call, collection: Collection, merged: boolean): FastifyReply {
  const { schema } = collection;
  const etag = `"${schema.digest}${merged ? '.merged' : ''}"`;
  if (clientHas(call, etag)) return call.reply.code(304).send();
  const text = merged ? bodyOfSchema(collection, 'merged', () => dumpYaml(schema.merged())) : schema.text;
  return call.reply.header('content-type', 'application/yaml').send(text);
}

const contextText = (schema: LinkmlSchema) => JSON.stringify(jsonldContext(schema).context);

/** Records that are read together: each may have 10 MB. */
const READ_AT_ONCE = 4;

async function readOf(area: Area, pid: string) {
  const found = await area.read(pid).catch((error: unknown) => {
    if (isServiceError(error) && error.code === 'prefix_unknown') return undefined;
    throw error;
  });
  return { pid, found, json: found?.record.json ?? '' };
}

async function titled(collection: Collection, { found, json }: Awaited<ReturnType<typeof readOf>>) {
  if (!found) return null;
  const { schema, pool } = collection;
  const { className } = found.record;
  return {
    title: await runIfLong(pool, titleIn, { schema, className, json }, json.length),
    class: className,
    in: found.version.scope === collection.scopeOf('') ? 'curated' : 'zone',
  };
}

export const classSummarySchema = objectOf({
  class: textSchema,
  ...descriptions,
  is_a: textOrNull,
  abstract: flagSchema,
  count: {
    type: 'integer',
    description: 'Records of the class and its subclasses that the token may read.',
  },
});

export const classSchema = objectOf({
  class: textSchema,
  ...descriptions,
  is_a: textOrNull,
  abstract: flagSchema,
  [SCHEMA_TYPE]: textSchema,
  identifier_prefixes: {
    description:
      'Prefixes that identifiers of new records may begin with: the default prefix, else those that no known vocabulary has.',
    ...listOf(textSchema),
  },
  slots: {
    description: 'The slots in the order of the schema.',
    ...listOf(
      objectOf(
        {
          name: textSchema,
          ...descriptions,
          required: flagSchema,
          recommended: flagSchema,
          multivalued: flagSchema,
          identifier: flagSchema,
          key: { ...flagSchema, description: 'Whether it is the key of objects in a mapping.' },
          designates_type: { ...flagSchema, description: 'Whether it names the class of its object.' },
          uri: textSchema,
          range: rangeRef,
        },
        {
          default: textSchema,
          ...valueLimits,
          minimum_cardinality: { type: 'integer' },
          maximum_cardinality: { type: 'integer' },
        },
      ),
    ),
  },
  json_schema: { type: 'object', description: 'JSON Schema 2020-12 of the objects of the class.' },
});

export const titlesSchema = {
  type: 'object',
  additionalProperties: orNull(
    objectOf({ title: textOrNull, class: textSchema, in: { enum: ['curated', 'zone'] } }),
  ),
} as const;

export const pidsSchema = objectOf({ pids: { ...listOf(textSchema), maxItems: MOST_TITLES } });

const tag = 'Classes';

export const classEndpoints: readonly Endpoint[] = [
  row('GET', '/-/{collection}/classes', 'classes', {
    tag,
    area: 'user',
    action: 'read',
    summary: 'List the classes of a collection',
    answers: { 200: jsonAnswer('The classes.', listOf(classSummarySchema)) },
    ...replying(enterArea, {}, listClasses),
  }),
  row('GET', '/-/{collection}/classes/{name}', 'class', {
    tag,
    summary: 'Read one class with its slots and its JSON Schema',
    answers: { 200: jsonAnswer('The class.', classSchema) },
    ...replying(enter, {}, async ({ collection }, _, call) =>
      sendJson(call.reply, readClass(collection, inPath(call, 'name'))),
    ),
  }),
  row('GET', '/-/{collection}/schema', 'schema', {
    tag,
    conditional: true,
    area: 'user',
    action: 'read',
    summary: 'Read the schema of a collection',
    description: 'Administrators may read it, too.',
    answers: {
      200: { description: 'The schema.', content: { 'application/yaml': { schema: { type: 'string' } } } },
      304: { description: 'The schema is still the one that `If-None-Match` names.' },
    },
    ...replying(
      needing(
        'schema',
        (call): Promise<Pick<Entered, 'collection'>> =>
          administratorOf(call) === undefined ? enterArea(call) : enterForAdministration(call),
      ),
      { merged: flag('Whether the imports are merged into one schema.', false) },
      ({ collection }, { merged }, call) => sendSchema(call, collection, merged),
    ),
  }),
  row('GET', '/-/{collection}/context.jsonld', 'context', {
    tag,
    conditional: true,
    area: 'user',
    action: 'read',
    summary: 'Read the JSON-LD context of a collection',
    description:
      'With it, a record as JSON is RDF. What a context cannot express is in records with `format=jsonld`.',
    answers: {
      200: {
        description: 'The context.',
        content: { [FORMATS.jsonld.mediaType]: { schema: { type: 'object' } } },
      },
      304: { description: 'The context is still the one that `If-None-Match` names.' },
    },
    ...replying(enterArea, {}, ({ collection }, _, call) =>
      sendTagged(call, FORMATS.jsonld.mediaType, collection.schema.derive(contextText)),
    ),
  }),
  row('POST', '/-/{collection}/titles', 'titles', {
    tag,
    changesNothing: true,
    area: 'user',
    action: 'read',
    summary: 'The titles of many records',
    answers: {
      200: jsonAnswer('By pid: title, class and area; null if the record does not exist.', titlesSchema),
    },
    ...replyingTo(
      enterArea,
      {},
      { schema: pidsSchema, example: { pids: ['https://example.org/ada'] }, limit: 1024 * 1024 },
      async ({ collection, area }, { pids }) => {
        const titles: [string, Awaited<ReturnType<typeof titled>>][] = [];
        const yieldIfDue = yielder();
        for await (const some of batches(new Set(pids), { items: READ_AT_ONCE })) {
          const found = await Promise.all(some.map((pid) => readOf(area, pid)));
          for (const one of found) titles.push([one.pid, await titled(collection, one)]);
          await yieldIfDue();
        }
        return Object.fromEntries(titles);
      },
    ),
  }),
];
