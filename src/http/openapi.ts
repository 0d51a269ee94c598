/**
 * `GET /openapi.json`: the description of the API (OpenAPI 3.1), with the collections and classes that are served now.
 *
 * Clients read the classes of a collection off its literal paths, `/<collection>/record/<class>`. The document is made
 * when it is first asked for after a change, and kept as bytes; what depends on a schema alone is kept with the schema.
 */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Schema } from '../schema/schema.ts';
import { knownTag } from './etag.ts';
import { adminPaths } from './openapi/admin-operations.ts';
import { bulkSchemas } from './openapi/bulk-operations.ts';
import { parameters, responses, schemas, securitySchemes } from './openapi/components.ts';
import { exampleOf } from './openapi/examples.ts';
import { historyPaths } from './openapi/history-operations.ts';
import { collectionPaths, tagsOf } from './openapi/operations.ts';
import { servicePaths, serviceTags } from './openapi/service-operations.ts';
import type { Json, Paths } from './openapi/words.ts';

export type ApiInformation = {
  /** The release of this program. */
  readonly version: string;
  /** The path below which a proxy makes the service available; empty for none. */
  readonly rootPath: string;
};

/** What is served: the part of the registry's snapshot that the description depends on. */
export type ServedCollections = {
  readonly collections: ReadonlyMap<
    string,
    { readonly name: string; readonly schema: Schema; readonly classes: readonly string[] }
  >;
};

/** Answers with the document of what is served at the time of the request. */
export function openApi(registry: { current(): ServedCollections }, information: ApiInformation) {
  const documents = new WeakMap<ServedCollections, Document>();
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const snapshot = registry.current();
    const document = documents.get(snapshot) ?? toDocument(describeApi(snapshot, information));
    documents.set(snapshot, document);
    const known = knownTag(request.headers['if-none-match'], document.etag);
    reply.header('etag', known ?? document.etag).header('cache-control', 'no-cache');
    if (known !== undefined) return reply.code(304).send();
    return reply.header('content-type', 'application/json').send(document.bytes);
  };
}

type Document = { readonly bytes: Buffer; readonly etag: string };

function toDocument(api: Json): Document {
  const bytes = Buffer.from(JSON.stringify(api));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 20)}"` };
}

const DESCRIPTION = `
Named collections of records that a LinkML schema describes, exchanged as JSON or as Turtle.

A collection has one **curated area** and any number of **incoming zones**. A user token writes into its own zone, and
reads that zone over the curated area. A curator token reads and writes the curated area and every zone.

To try it here: *Authorize* with a token, open a collection, store a record, and read it back by its pid.
`.trim();

/** The document as a value. */
export function describeApi({ collections }: ServedCollections, information: ApiInformation): Json {
  const prefixes = schemaPrefixes([...collections.values()].map(({ schema }) => schema));
  const paths: Paths = {};
  const classes: Record<string, unknown> = {};
  const requestBodies: Record<string, unknown> = {};
  for (const { name, schema, classes: stored } of collections.values()) {
    const prefix = prefixes.get(schema) ?? '';
    const parts = partsOf(schema, prefix);
    Object.assign(classes, parts.schemas);
    Object.assign(requestBodies, parts.requestBodies);
    Object.assign(paths, collectionPaths({ name, classes: stored, prefix }));
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Accession',
      version: information.version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: information.rootPath || '/' }],
    tags: [...[...collections.keys()].flatMap(tagsOf), ...serviceTags],
    paths: { ...paths, ...servicePaths, ...historyPaths, ...adminPaths },
    components: {
      schemas: { ...schemas, ...bulkSchemas, ...classes },
      requestBodies,
      parameters,
      responses,
      securitySchemes,
    },
  };
}

/** The name of each schema, told apart where two have the same, as it precedes the names of its classes. */
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

/** What the description takes from one schema: its classes as components, and request bodies with examples. */
type SchemaParts = {
  readonly prefix: string;
  readonly schemas: Json;
  readonly requestBodies: Json;
};

const partsBySchema = new WeakMap<Schema, SchemaParts>();

function partsOf(schema: Schema, prefix: string): SchemaParts {
  const known = partsBySchema.get(schema);
  if (known?.prefix === prefix) return known;
  const parts = makeParts(schema, prefix);
  partsBySchema.set(schema, parts);
  return parts;
}

function makeParts(schema: Schema, prefix: string): SchemaParts {
  const definitions = `#/components/schemas/${prefix}`;
  const component = (name: string) => [`${prefix}${name}`, schema.jsonSchema(name, { definitions })];
  const body = (name: string) => [`${prefix}${name}`, bodyOf(schema, name, `${definitions}${name}`)];
  return {
    prefix,
    schemas: Object.fromEntries([...schema.classes.keys()].map(component)),
    requestBodies: Object.fromEntries(schema.recordClasses.map(body)),
  };
}

/** A request body: one object of the class, as JSON or as Turtle. */
function bodyOf(schema: Schema, className: string, $ref: string): Json {
  const example = exampleOf(schema, className);
  return {
    required: true,
    content: {
      'application/json': { schema: { $ref }, ...(example && { example: example.json }) },
      'text/turtle': { schema: { type: 'string' }, ...(example?.turtle && { example: example.turtle }) },
    },
  };
}
