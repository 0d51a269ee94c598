/** The rows of the endpoint table as operations of the API description. */
import { type Endpoint, type Json, statusesOf } from '../endpoint.ts';
import { MOUNTS } from '../endpoints/mounts.ts';

/** Path → method → operation. */
export type Paths = Record<string, Record<string, Json>>;

/** A collection, as far as its operations depend on it. */
export type DescribedCollection = {
  readonly name: string;
  readonly classes: readonly string[];
  /** Precedes the name of a class in the names of components: `#/components/requestBodies/<prefix><class>`. */
  readonly prefix: string;
};

/**
 * The operations of some endpoints: of those of records for one collection, with its name and classes in their paths, or
 * of all others.
 */
export function pathsOf(endpoints: readonly Endpoint[], collection?: DescribedCollection): Paths {
  const paths: Paths = {};
  for (const endpoint of endpoints) {
    if (endpoint.undescribed || isOfRecords(endpoint) !== (collection !== undefined)) continue;
    for (const className of endpoint.literalClass ? (collection?.classes ?? []) : [undefined]) {
      const path = endpoint.path
        .replace('{collection}', () => (collection ? inTemplate(collection.name) : '{collection}'))
        .replace('{class}', className === undefined ? '{class}' : encodeURIComponent(className));
      paths[path] ??= {};
      const operation = operationOf(endpoint, collection, className);
      paths[path][endpoint.method.toLowerCase()] = operation;
      if (endpoint.head) paths[path].head = headOf(operation);
    }
  }
  return paths;
}

/** A name as it is, since clients look for it in the paths; only what has a meaning in templates and URLs is escaped. */
function inTemplate(name: string): string {
  return name.replace(/[{}?#%]/g, encodeURIComponent);
}

/** The tags in the order of the page: the areas of each collection, and what all have in common. */
export function operationTags(collections: readonly string[]): Json[] {
  const areas = collections.flatMap((name) =>
    MOUNTS.map(({ kind, about }) => ({ name: areaTag(name, kind), description: about })),
  );
  return [...areas, ...Object.entries(TAGS).map(([name, description]) => ({ name, description }))];
}

const TAGS: Readonly<Record<string, string>> = {
  Service: 'The service as a whole.',
  Classes: 'The classes of a collection, and the titles of records, for forms and links.',
  History: 'Who changed which curated record, when, and how; former versions, and their restore.',
  Review: 'Submissions that wait for a decision, and decisions on them. Requires a curator token.',
  Submissions: 'The state of the submissions in the zone of the user.',
  Administration: 'Collections, tokens and admin tokens. Requires an admin token.',
};

/** Endpoints of records have a path for each collection, others at most a parameter. */
function isOfRecords({ tag }: Endpoint): boolean {
  return !(tag in TAGS);
}

function operationOf(
  endpoint: Endpoint,
  collection: DescribedCollection | undefined,
  className: string | undefined,
): Json {
  const { tag, id, summary, description, body, answers } = endpoint;
  const parts = [
    collection?.name,
    collection && areaName(tag),
    className === undefined ? id : `${id}_${className}`,
  ];
  const refusals = statusesOf(endpoint).map((status) => [
    status,
    { $ref: `#/components/responses/status${status}` },
  ]);
  return {
    tags: [collection ? areaTag(collection.name, tag) : tag],
    summary: summary.replace('{class}', className ?? '{class}'),
    ...(description && { description }),
    operationId: operationId(...parts.filter((part) => part !== undefined)),
    security: SECURITY[endpoint.token],
    parameters: parametersOf(endpoint, collection),
    ...(body === 'class' && {
      requestBody: { $ref: `#/components/requestBodies/${collection?.prefix}${className}` },
    }),
    ...(typeof body === 'object' && { requestBody: { required: true, content: body.content } }),
    responses: { ...Object.fromEntries(refusals), ...answers },
  };
}

/** The same without the bodies of responses. */
function headOf(operation: Json): Json {
  const responses = { 200: { description: 'As for GET, without a body.' } };
  return { ...operation, operationId: `${operation.operationId}.head`, responses };
}

const SECURITY: Readonly<Record<Endpoint['token'], readonly Json[]>> = {
  none: [{}],
  optional: [{ token: [] }, {}],
  required: [{ token: [] }],
  admin: [{ adminToken: [] }],
};

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  collection: 'The name of a collection.',
  label: 'The label of an incoming zone.',
  name: 'The name of the element.',
  job: 'The id of a background job.',
  id: 'The id of the decision.',
};

function parametersOf(endpoint: Endpoint, collection: DescribedCollection | undefined): Json[] {
  const { path, query = {}, literalClass, classWords } = endpoint;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']): Json[] => {
    if (collection && (name === 'collection' || (name === 'class' && literalClass))) return [];
    const schema = name === 'class' ? { type: 'string', enum: collection?.classes } : { type: 'string' };
    const description = name === 'class' ? classWords : PATH_PARAMETERS[name];
    return [{ name, in: 'path', required: true, description, schema }];
  });
  const inQuery = Object.entries(query).map(([name, { description, schema, required }]) => ({
    name,
    in: 'query',
    description,
    ...(required && { required }),
    schema,
  }));
  return [...inPath, ...inQuery];
}

function areaName(tag: string): string {
  return tag === 'user' ? 'own' : tag;
}

function areaTag(collection: string, tag: string): string {
  return tag === 'user' ? collection : `${collection}: ${tag}`;
}

/** Unique, and safe in URLs: a character that is not a word character is written as its code point. */
function operationId(...parts: string[]): string {
  return parts.map((part) => part.replace(/\W/gu, (c) => `-${c.codePointAt(0)?.toString(16)}-`)).join('.');
}
