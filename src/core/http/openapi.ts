/**
 * The description of the API (OpenAPI 3.1): `GET /openapi.json` for the service, `GET /-/{collection}/openapi.json` for one
 * collection.
 *
 * Clients read the classes of a collection from its literal paths, `/<collection>/record/<class>`. The document of a service
 * with many collections has templated paths instead, so its size does not grow with them. A document is made when it is first
 * requested after a change of what it is made of, in slices between which other requests have their turn, and kept as bytes.
 */
import { LRUCache } from 'lru-cache';
import { isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import type { ConfigurationSchemas } from '../config/config.ts';
import { FORMATS } from '../formats/formats.ts';
import { type InTurn, inTurn } from '../in-turn.ts';
import { MEMORY } from '../memory-bounds.ts';
import type { Schema } from '../schema/schema.ts';
import { type YieldIfDue, yielder } from '../yield.ts';
import type { Endpoint, Json } from './endpoint.ts';
import { documentSchema, sharedSchemas } from './endpoints/schemas.ts';
import { tagOf } from './etag.ts';
import { exampleOf } from './openapi/examples.ts';
import { operationTags, type Paths, pathsOf, problemResponses, withUniqueIds } from './openapi/operations.ts';
import { slotRangeSchema } from './slot-range.ts';

type ApiInformation = {
  /** The release of this program. */
  readonly version: string;
  /** The path below which a proxy makes the service available; empty for none. */
  readonly rootPath: string;
  readonly administration: { readonly schemas: ConfigurationSchemas };
};

/** A collection, as far as the description depends on it. */
type ServedCollection = {
  readonly name: string;
  readonly schema: Schema;
  readonly classes: readonly string[];
};

/** The part of the registry's snapshot that the description depends on. */
type ServedCollections = { readonly collections: ReadonlyMap<string, ServedCollection> };

/** What the description is made of, for each collection. */
type DescribedCollection = readonly [name: string, schemaDigest: string, ...classes: string[]];

type Document = { readonly bytes: Buffer; readonly etag: string };

/** A document, and what it was made of. */
type DocumentOf<T> = { readonly of: readonly DescribedCollection[]; readonly document: T };

/** The parts of the description that come from one schema: its classes as components, and request bodies with examples. */
type SchemaParts = { readonly schemas: Json; readonly requestBodies: Json };

/** Beyond these numbers of collections, or of classes of all of them, the document of the service has templated paths. */
const LITERAL = { collections: 20, classes: 2_000 };

/** The key of the document of the service; no collection has this name. */
const SERVICE = '';

const DESCRIPTION = `
Named collections of records that a LinkML schema describes, exchanged as JSON or as Turtle.

A collection has one **curated area** and any number of **incoming zones**. A user token writes into its own zone, and
reads that zone over the curated area. A curator token reads and writes the curated area and every zone.

\`HEAD\` is answered wherever \`GET\` is and stores nothing: with the same status and headers, without a body.

To try it here: *Authorize* with a token, open a collection, store a record, and read it back by its pid.
`.trim();

const TEMPLATED = `
This service has many collections, so the paths of records have the parameters \`collection\` and \`class\`. \`/server\` lists
the collections and their classes. \`/-/{collection}/openapi.json\` describes one collection with its classes, and
\`/docs?collection=…\` shows it.
`.trim();

/** Describes the endpoints of a service, and keeps what it has made. */
export class ApiDescription {
  readonly #endpoints: readonly Endpoint[];
  readonly #information: ApiInformation;
  /** By the name of the collection. */
  readonly #kept: LRUCache<string, DocumentOf<Document>>;
  readonly #inProgress = new Map<string, DocumentOf<Promise<Document>>>();
  /** One document is made at a time, so that requests for many use the memory of one. */
  readonly #make: InTurn = inTurn();

  /** @param limit of the documents that are kept, in bytes */
  constructor(
    endpoints: readonly Endpoint[],
    information: ApiInformation,
    limit: number = MEMORY.descriptions.bytes,
  ) {
    this.#endpoints = endpoints;
    this.#information = information;
    this.#kept = new LRUCache({
      maxSize: limit,
      sizeCalculation: ({ of, document }) => document.bytes.length + 64 * of.flat().length + 200,
    });
  }

  /**
   * The document of the service as it is sent. Another one is made if names, classes or the content of schemas differ; other
   * changes, as of tokens, keep it. Requests that arrive while it is made wait for the same one.
   */
  document({ collections }: ServedCollections): Promise<Document> {
    return this.#document(SERVICE, isLiteral(collections) ? [...collections.values()] : undefined);
  }

  /** The document of one collection, with its classes, and of what all have in common. */
  documentOf(collection: ServedCollection): Promise<Document> {
    return this.#document(collection.name, [collection]);
  }

  async #document(key: string, collections: readonly ServedCollection[] | undefined): Promise<Document> {
    const of = (collections ?? []).map(
      ({ name, schema, classes }): DescribedCollection => [name, schema.digest, ...classes],
    );
    const kept = this.#kept.get(key);
    if (kept && isSame(of, kept.of)) return kept.document;
    const inProgress = this.#inProgress.get(key);
    if (inProgress && isSame(of, inProgress.of)) return inProgress.document;
    const document = this.#make(async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of this.#chunks(collections)) chunks.push(Buffer.from(chunk));
      const bytes = Buffer.concat(chunks);
      return { bytes, etag: tagOf(bytes) };
    });
    this.#inProgress.set(key, { of, document });
    try {
      const made = await document;
      this.#kept.set(key, { of, document: made });
      return made;
    } finally {
      if (this.#inProgress.get(key)?.document === document) this.#inProgress.delete(key);
    }
  }

  /** The document as pieces of JSON, a path or component each. @param collections undefined for templated paths */
  async *#chunks(collections: readonly ServedCollection[] | undefined): AsyncGenerator<string> {
    const yieldIfDue = yielder();
    const described = collections ?? [];
    const prefixes = schemaPrefixes(described.map(({ schema }) => schema));
    const paths: Paths = {};
    const classes: Record<string, unknown> = {};
    const requestBodies: Record<string, unknown> = {};
    for (const [schema, prefix] of prefixes) {
      const parts = await makeParts(schema, prefix, yieldIfDue);
      Object.assign(classes, parts.schemas);
      Object.assign(requestBodies, parts.requestBodies);
    }
    // The areas of `c` hide a collection `c/curated`, so they replace its paths.
    const inward = [...described].sort((a, b) => depthOf(b.name) - depthOf(a.name));
    for (const { name, schema, classes: stored } of inward) {
      Object.assign(
        paths,
        pathsOf(this.#endpoints, { name, classes: stored, prefix: prefixes.get(schema)! }),
      );
      await yieldIfDue();
    }
    if (!collections) Object.assign(paths, pathsOf(this.#endpoints, 'any collection'));
    Object.assign(paths, pathsOf(this.#endpoints, 'no collection'));
    const components: Record<string, unknown> = {
      ...sharedSchemas(this.#information.administration.schemas),
      SlotRange: slotRangeSchema,
      ...classes,
    };
    const { version, rootPath } = this.#information;
    const head = {
      openapi: '3.1.0',
      info: {
        title: 'Accession',
        version,
        description: collections ? DESCRIPTION : `${DESCRIPTION}\n\n${TEMPLATED}`,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: rootPath || '/' }],
      tags: operationTags(collections?.map(({ name }) => name)),
    };
    yield `${JSON.stringify(head).slice(0, -1)},"paths":`;
    const taken = new Set<string>();
    yield* members(paths, yieldIfDue, (operations) =>
      titledApart(withUniqueIds(operations as Record<string, Json>, taken), components),
    );
    yield ',"components":{"schemas":';
    yield* members(components, yieldIfDue);
    yield ',"requestBodies":';
    yield* members(requestBodies, yieldIfDue);
    const others = { responses: problemResponses(), securitySchemes: SECURITY_SCHEMES };
    yield `,${JSON.stringify(others).slice(1)}}`;
  }
}

/** An object as JSON, a member at a time. */
async function* members(
  object: Readonly<Record<string, unknown>>,
  yieldIfDue: YieldIfDue,
  change: (value: unknown) => unknown = (value) => value,
): AsyncGenerator<string> {
  let separator = '{';
  for (const [key, value] of Object.entries(object)) {
    yield `${separator}${JSON.stringify(key)}:${JSON.stringify(change(value))}`;
    separator = ',';
    await yieldIfDue();
  }
  yield separator === '{' ? '{}' : '}';
}

/**
 * A value in which schemas of objects that have a title are references to components: generators of clients make one model
 * of each, stop at a second one with the same title, and write no valid code for a `const` that is a boolean.
 *
 * @param components gets the schemas, named for their titles
 */
function titledApart(value: unknown, components: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => titledApart(one, components));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, key === 'example' ? one : titledApart(one, components)]),
  );
  if (typeof inner.const === 'boolean') {
    const { const: only, ...rest } = inner;
    return { ...rest, type: 'boolean', enum: [only] };
  }
  const { title, type } = inner;
  if (typeof title !== 'string' || type !== 'object') return inner;
  const words = title.replace(/^An? /, '').split(/\W+/);
  const base = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  let name = base;
  const text = JSON.stringify(inner);
  for (let count = 2; components[name] && JSON.stringify(components[name]) !== text; count++)
    name = `${base}${count}`;
  components[name] = inner;
  return { $ref: `#/components/schemas/${name}` };
}

/** Whether the document of the service has the names of all these collections and classes in its paths. */
function isLiteral(collections: ServedCollections['collections']): boolean {
  if (collections.size <= 1) return true;
  if (collections.size > LITERAL.collections) return false;
  const classes = [...collections.values()].reduce((sum, one) => sum + one.classes.length, 0);
  return classes <= LITERAL.classes;
}

function isSame(some: readonly DescribedCollection[], others: readonly DescribedCollection[]): boolean {
  if (some.length !== others.length) return false;
  return some.every((one, at) => {
    const other = others[at] as DescribedCollection;
    return one.length === other.length && one.every((part, index) => part === other[index]);
  });
}

function depthOf(name: string): number {
  return name.split('/').length;
}

const SECURITY_SCHEMES: Json = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Token',
    description:
      'The token of a user or curator. Requests without a token get the permissions of the default token of the ' +
      'collection. The header may also be called `X-DumpThings-Token`, or be `Authorization: Bearer`.',
  },
  adminToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Token',
    description: 'The token of an administrator. It permits administration only.',
  },
};

/** The name of each schema, made unique, as it precedes the names of its classes. */
function schemaPrefixes(opened: readonly Schema[]): ReadonlyMap<Schema, string> {
  const prefixes = new Map<Schema, string>();
  const taken = new Set<string>();
  for (const schema of new Set(opened)) {
    const name = schema.name.replace(/[^\w-]/g, '_');
    let prefix = name;
    for (let count = 2; taken.has(prefix); count++) prefix = `${name}-${count}`;
    taken.add(prefix);
    prefixes.set(schema, `${prefix}.`);
  }
  return prefixes;
}

async function makeParts(schema: Schema, prefix: string, yieldIfDue: YieldIfDue): Promise<SchemaParts> {
  const definitions = `#/components/schemas/${prefix}`;
  const schemas: Record<string, unknown> = {};
  for (const name of schema.classes.keys()) {
    const accepting = acceptingNulls(schema.jsonSchema(name, { definitions }), designatorOf(schema, name));
    schemas[`${prefix}${name}`] = withPatternsForAll(accepting);
    await yieldIfDue();
  }
  const requestBodies: Record<string, unknown> = {};
  for (const name of schema.recordClasses) {
    requestBodies[`${prefix}${name}`] = bodyOf(schema, name, `${definitions}${name}`);
    await yieldIfDue();
  }
  return { schemas, requestBodies };
}

/** Keywords that say the same about any type, or nothing about null if `type` allows it. */
const PLAIN =
  /^(title|description|type|pattern|items|format|default|(min|max)(imum|Length|Items|Properties)|additionalProperties|uniqueItems)$/;

/** The schema of a class for requests, in which null for an optional slot is the same as leaving it out. */
function acceptingNulls(schema: JsonObject, designator: string | undefined): JsonObject {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return schema;
  const mandatory = new Set(Array.isArray(required) ? required : []);
  const accepting = Object.entries(properties).map(([name, slot]) => [
    name,
    mandatory.has(name) || name === designator || !isJsonObject(slot) ? slot : orNull(slot),
  ]);
  return { ...schema, properties: Object.fromEntries(accepting) };
}

/** Syntax that only regular expressions of ECMAScript have: properties of characters, long code points, names of groups. */
const ECMASCRIPT_ONLY = /\\[pPk]|\\u\{|\(\?<[^=!]/;

/** Patterns that other languages cannot read become `x-pattern`, since generators of clients stop at them. */
function withPatternsForAll(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withPatternsForAll);
  if (!isJsonObject(value)) return value;
  const { pattern, ...others } = value;
  const rest = Object.fromEntries(Object.entries(others).map(([key, one]) => [key, withPatternsForAll(one)]));
  if (pattern === undefined) return rest;
  if (typeof pattern !== 'string') return { ...rest, pattern: withPatternsForAll(pattern) };
  return ECMASCRIPT_ONLY.test(pattern) ? { ...rest, 'x-pattern': pattern } : { ...rest, pattern };
}

/** The slot that names the class of an object: it may be missing, but null names no class. */
function designatorOf(schema: Schema, className: string): string | undefined {
  const slots = schema.classes.get(className)?.slots ?? [];
  return [...slots].find(([, { designatesType }]) => designatesType)?.[0];
}

function orNull(slot: JsonObject): JsonObject {
  const { title, description, default: value, ...rest } = slot;
  const isPlain = typeof rest.type === 'string' && Object.keys(rest).every((key) => PLAIN.test(key));
  if (isPlain) return { ...slot, type: [rest.type as string, 'null'] };
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
    anyOf: [rest, { type: 'null' }],
  };
}

/** A request body: one object of the class, as JSON or in another format. */
function bodyOf(schema: Schema, className: string, $ref: string): Json {
  const example = exampleOf(schema, className);
  const content = Object.values(FORMATS).map((format): [string, Json] => {
    const { isJson, mediaType } = format;
    const contentSchema = isJson ? { $ref } : documentSchema(mediaType);
    const text = isJson ? undefined : example?.in(format);
    const shown = contentSchema.type === 'object' && text !== undefined ? JSON.parse(text) : text;
    return [mediaType, { schema: contentSchema, ...(example && { example: isJson ? example.json : shown }) }];
  });
  const others = Object.entries(FORMATS).filter(([, { isJson }]) => !isJson);
  const words = others.map(
    ([name, { title, mediaType }]) => `${title} (\`${mediaType}\`, \`format=${name}\`)`,
  );
  return {
    required: true,
    description: `One object of the class: JSON or, by the media type of the body or the query parameter, ${words.join(', ')}.`,
    content: Object.fromEntries(content),
  };
}
