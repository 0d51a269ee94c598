/** The classes of a collection, for forms, and the titles of records, for links. */

import type { FastifyReply } from 'fastify';
import type { Area } from '../../collections/area.ts';
import type { Collection } from '../../collections/collection.ts';
import { ServiceError } from '../../errors.ts';
import { type JsonObject, parseJson } from '../../json.ts';
import { titleOf } from '../../records/title.ts';
import { describeClass } from '../../schema/generate/form.ts';
import { SCHEMA_TYPE } from '../../schema-type.ts';
import { dumpYaml } from '../../yaml/dump.ts';
import type { TitlesRequest } from '../api-types.ts';
import { jsonBody } from '../body.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { enter, enterArea } from '../enter.ts';
import { knownTag } from '../etag.ts';
import { flag, parametersOf } from '../query.ts';
import { sendJson } from '../reply.ts';
import { jsonAnswer, jsonContent, textOrNull } from './schemas.ts';

/** GET of the classes that have endpoints, with the number of records that the token may read. */
async function listClasses(call: Call): Promise<FastifyReply> {
  const { collection, area } = await enterArea(call);
  parametersOf(call, {});
  const classes = await Promise.all(
    collection.classes.map(async (name) => {
      const { title, description, isA, abstract } = collection.schema.classes.get(name)!;
      return {
        class: name,
        title: title ?? null,
        description: description ?? null,
        is_a: isA ?? null,
        abstract,
        count: (await area.page({ className: name }, 1, 1)).total,
      };
    }),
  );
  return sendJson(call.reply, JSON.stringify(classes));
}

/** GET of one class, also one whose objects are only parts of records. */
async function readClass(call: Call): Promise<FastifyReply> {
  const { collection } = await enter(call);
  parametersOf(call, {});
  const { name } = call.request.params as { name: string };
  const description = describeClass(collection.schema, name);
  if (description === undefined) {
    throw new ServiceError(
      'class_unknown',
      `The schema of the collection '${collection.name}' has no class '${name}'.`,
    );
  }
  return sendJson(call.reply, JSON.stringify(description));
}

const schemaParameters = { merged: flag('Whether the imports are merged into one schema.', false) };

/** GET of the schema as YAML: as it was written, or with its imports. The digest of all its files is the entity tag. */
async function readSchema(call: Call): Promise<FastifyReply> {
  const { collection } = await enterArea(call);
  const { merged } = parametersOf(call, schemaParameters);
  const { schema } = collection;
  const etag = `"${schema.digest}${merged ? '.merged' : ''}"`;
  const known = knownTag(call.request.headers['if-none-match'], etag);
  call.reply.header('etag', known ?? etag);
  if (known !== undefined) return call.reply.code(304).send();
  const text = merged ? dumpYaml(schema.merged()) : schema.text;
  return call.reply.header('content-type', 'application/yaml').send(text);
}

/** The most titles in one request. */
const MOST_PIDS = 500;

/** POST of pids; returns what each of them names. */
async function readTitles(call: Call): Promise<FastifyReply> {
  const { collection, area } = await enterArea(call);
  parametersOf(call, {});
  const { pids } = await jsonBody<TitlesRequest>(call);
  const titles = await Promise.all(pids.map(async (pid) => [pid, await titled(collection, area, pid)]));
  return sendJson(call.reply, JSON.stringify(Object.fromEntries(titles)));
}

async function titled(collection: Collection, area: Area, pid: string) {
  const found = await area.read(pid).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'prefix_unknown') return undefined;
    throw error;
  });
  if (!found) return null;
  const { className, json } = found.record;
  return {
    title: titleOf(collection.schema, className, parseJson(json) as JsonObject),
    class: className,
    in: found.version.place === collection.placeOf('') ? 'curated' : 'zone',
  };
}

export const classSummarySchema = {
  type: 'object',
  required: ['class', 'title', 'description', 'is_a', 'abstract', 'count'],
  properties: {
    class: { type: 'string' },
    title: textOrNull,
    description: textOrNull,
    is_a: textOrNull,
    abstract: { type: 'boolean' },
    count: {
      type: 'integer',
      description: 'Records of the class and its subclasses that the token may read.',
    },
  },
} as const;

const rangeRef = { $ref: '#/components/schemas/SlotRange' } as const;

/** Limits of values of a slot or a type. */
const valueLimits = {
  pattern: { type: 'string' },
  minimum_value: { type: ['number', 'string'] },
  maximum_value: { type: ['number', 'string'] },
} as const;

/** The values that a slot takes. */
export const slotRangeSchema = {
  title: 'The range of a slot',
  oneOf: [
    {
      type: 'object',
      required: ['kind', 'type', 'base', 'uri', 'description'],
      properties: {
        kind: { const: 'type' },
        type: { type: 'string' },
        base: { type: 'string' },
        uri: { type: 'string' },
        description: textOrNull,
        ...valueLimits,
      },
    },
    {
      type: 'object',
      required: ['kind', 'enum', 'description', 'open', 'values'],
      properties: {
        kind: { const: 'enum' },
        enum: { type: 'string' },
        description: textOrNull,
        open: { type: 'boolean', description: 'Whether other values than those listed are valid.' },
        values: {
          type: 'array',
          items: {
            type: 'object',
            required: ['value', 'title', 'description', 'meaning'],
            properties: {
              value: { type: 'string' },
              title: textOrNull,
              description: textOrNull,
              meaning: textOrNull,
            },
          },
        },
        vocabularies: {
          type: 'array',
          items: { type: 'string' },
          description:
            'The vocabularies whose terms are values; `/-/{collection}/terms/{vocabulary}?enum=` finds them.',
        },
      },
    },
    {
      type: 'object',
      required: ['kind', 'class', 'inlined', 'inlining', 'classes'],
      properties: {
        kind: { const: 'class' },
        class: { type: 'string' },
        inlined: { type: 'boolean', description: 'Whether the object itself is the value.' },
        inlining: { enum: ['reference', 'object', 'dict', 'simple-dict'] },
        classes: {
          type: 'array',
          items: { type: 'string' },
          description: 'The class and its subclasses.',
        },
      },
    },
    {
      type: 'object',
      required: ['kind', 'of'],
      properties: { kind: { const: 'array' }, of: rangeRef },
    },
    {
      type: 'object',
      required: ['kind', 'alternatives'],
      properties: { kind: { const: 'union' }, alternatives: { type: 'array', items: rangeRef } },
    },
    { type: 'object', required: ['kind'], properties: { kind: { const: 'any' } } },
  ],
} as const;

export const classSchema = {
  type: 'object',
  required: ['class', 'title', 'description', 'is_a', 'abstract', SCHEMA_TYPE, 'slots', 'json_schema'],
  properties: {
    class: { type: 'string' },
    title: textOrNull,
    description: textOrNull,
    is_a: textOrNull,
    abstract: { type: 'boolean' },
    [SCHEMA_TYPE]: { type: 'string' },
    slots: {
      type: 'array',
      description: 'The slots in the order of the schema.',
      items: {
        type: 'object',
        required: [
          ...['name', 'title', 'description', 'uri', 'required', 'recommended', 'multivalued'],
          ...['identifier', 'key', 'designates_type', 'range'],
        ],
        properties: {
          name: { type: 'string' },
          title: textOrNull,
          description: textOrNull,
          required: { type: 'boolean' },
          recommended: { type: 'boolean' },
          multivalued: { type: 'boolean' },
          identifier: { type: 'boolean' },
          key: { type: 'boolean', description: 'Whether it is the key of objects in a mapping.' },
          designates_type: { type: 'boolean', description: 'Whether it names the class of its object.' },
          uri: { type: 'string' },
          range: rangeRef,
          default: { type: 'string' },
          ...valueLimits,
          minimum_cardinality: { type: 'integer' },
          maximum_cardinality: { type: 'integer' },
        },
      },
    },
    json_schema: { type: 'object', description: 'JSON Schema 2020-12 of the objects of the class.' },
  },
} as const;

export const titlesSchema = {
  type: 'object',
  additionalProperties: {
    type: ['object', 'null'],
    required: ['title', 'class', 'in'],
    properties: { title: textOrNull, class: { type: 'string' }, in: { enum: ['curated', 'zone'] } },
  },
} as const;

export const pidsSchema = {
  type: 'object',
  required: ['pids'],
  properties: { pids: { type: 'array', maxItems: MOST_PIDS, items: { type: 'string' } } },
} as const;

const classesShared = { tag: 'Classes', token: 'optional' } as const;

export const classEndpoints: readonly Endpoint[] = [
  {
    ...classesShared,
    method: 'GET',
    path: '/-/{collection}/classes',
    id: 'classes',
    area: 'user',
    action: 'read',
    summary: 'List the classes of a collection',
    answers: { 200: jsonAnswer('The classes.', { type: 'array', items: classSummarySchema }) },
    handle: listClasses,
  },
  {
    ...classesShared,
    method: 'GET',
    path: '/-/{collection}/classes/{name}',
    id: 'class',
    summary: 'Read one class with its slots and its JSON Schema',
    answers: { 200: jsonAnswer('The class.', classSchema) },
    handle: readClass,
  },
  {
    ...classesShared,
    method: 'GET',
    path: '/-/{collection}/schema',
    id: 'schema',
    conditional: true,
    area: 'user',
    action: 'read',
    query: schemaParameters,
    summary: 'Read the schema of a collection',
    answers: {
      200: { description: 'The schema.', content: { 'application/yaml': { schema: { type: 'string' } } } },
      304: { description: 'The schema is still the one that `If-None-Match` names.' },
    },
    handle: readSchema,
  },
  {
    ...classesShared,
    method: 'POST',
    path: '/-/{collection}/titles',
    id: 'titles',
    changesNothing: true,
    area: 'user',
    action: 'read',
    summary: 'The titles of many records',
    body: { content: jsonContent(pidsSchema, { pids: ['https://example.org/ada'] }), limit: 1024 * 1024 },
    answers: {
      200: jsonAnswer('By pid: title, class and area; null if the record does not exist.', titlesSchema),
    },
    handle: readTitles,
  },
];
