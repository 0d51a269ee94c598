/** The rows of the endpoint table as operations of the API description, with their refusals. */
import { FORMATS } from '../../formats/formats.ts';
import { textSchema } from '../../shapes.ts';
import { type Endpoint, type Json, type Need, statusesOf } from '../endpoint.ts';
import { MOUNTS } from '../endpoints/mounts.ts';
import { documentSchema, nameSchema, ref } from '../endpoints/schemas.ts';
import { TAGS } from './tags.ts';

/** Path → method → operation. */
export type Paths = Record<string, Record<string, Json>>;

/** A collection, as far as its operations depend on it. */
type DescribedCollection = {
  readonly name: string;
  readonly classes: readonly string[];
  /** Precedes the name of a class in the names of components: `#/components/requestBodies/<prefix><class>`. */
  readonly prefix: string;
};

/** Which operations: those of records in one collection, the same with parameters in their paths, or all others. */
type Part = DescribedCollection | 'any collection' | 'no collection';

/** The operations of some endpoints. The names of a collection and its classes are in the paths of those of its records. */
export function pathsOf(endpoints: readonly Endpoint[], part: Part): Paths {
  const paths: Paths = {};
  const collection = typeof part === 'object' ? part : undefined;
  for (const endpoint of endpoints) {
    if (endpoint.undescribed || isOfRecords(endpoint) !== (part !== 'no collection')) continue;
    for (const className of endpoint.literalClass && collection ? collection.classes : [undefined]) {
      const path = endpoint.path
        .replace('{collection}', () => (collection ? inTemplate(collection.name) : '{collection}'))
        .replace('{+', '{')
        .replace('{class}', className === undefined ? '{class}' : encodeURIComponent(className));
      paths[path] ??= {};
      paths[path][endpoint.method.toLowerCase()] = operationOf(endpoint, collection, className);
    }
  }
  return paths;
}

/** A name as it is, since clients look for it in the paths; only what has a meaning in templates and URLs is escaped. */
function inTemplate(name: string): string {
  return name.replace(/[{}?#%]/g, encodeURIComponent);
}

/**
 * The tags in the order of the page: the areas of each collection, and what all have in common.
 *
 * @param collections without them, the tags of templated paths
 */
export function operationTags(collections: readonly string[] = [TEMPLATED_TAG]): Json[] {
  const areas = collections.flatMap((name) =>
    MOUNTS.map(({ kind, about }) => ({ name: areaTag(name, kind), description: about })),
  );
  return [...areas, ...Object.entries(TAGS).map(([name, description]) => ({ name, description }))];
}

/** Stands for the name of a collection in the tags of templated paths. */
const TEMPLATED_TAG = 'Records';

/** Endpoints of records may have a path for each collection, others have at most a parameter. */
function isOfRecords({ tag }: Endpoint): boolean {
  return !(tag in TAGS);
}

function operationOf(
  endpoint: Endpoint,
  collection: DescribedCollection | undefined,
  className: string | undefined,
): Json {
  const { tag, id, summary, body, answers } = endpoint;
  const description = [endpoint.description, REQUIRED[endpoint.need]].filter(Boolean).join(' ');
  const parts = [
    collection?.name,
    isOfRecords(endpoint) ? areaName(tag) : undefined,
    className === undefined ? id : `${id}_${className}`,
  ];
  const refusals = statusesOf(endpoint).map((status) => [
    status,
    { $ref: `#/components/responses/status${status}` },
  ]);
  return {
    tags: [isOfRecords(endpoint) ? areaTag(collection?.name ?? TEMPLATED_TAG, tag) : tag],
    summary: summary.replace('{class}', className ?? '{class}'),
    ...(description && { description }),
    operationId: operationId(...parts.filter((part) => part !== undefined)),
    security: SECURITY[endpoint.token],
    parameters: parametersOf(endpoint, collection),
    ...(body === 'class' && {
      requestBody: collection
        ? { $ref: `#/components/requestBodies/${collection.prefix}${className}` }
        : ANY_OBJECT,
    }),
    ...(typeof body === 'object' && { requestBody: { required: !body.optional, content: body.content } }),
    responses: { ...Object.fromEntries(refusals), ...answers },
  };
}

/** The body of a request about an object of a class that is a parameter. */
const ANY_OBJECT: Json = {
  required: true,
  description: 'One object of the class. The document of the collection has the schema of each class.',
  content: Object.fromEntries(
    Object.values(FORMATS).map(({ isJson, mediaType }) => [
      mediaType,
      { schema: isJson ? { type: 'object' } : documentSchema(mediaType) },
    ]),
  ),
};

/** Sentences about needs that tokens of users may lack. */
const REQUIRED: Readonly<Partial<Record<Need, string>>> = {
  curate: 'Requires a curator token.',
  reload: 'Requires a curator token.',
  maintenance: 'Requires a curator token of the collection.',
  steward: 'Requires a curator token, or an admin token.',
  reader: 'Requires a token that reads the curated area or its zone.',
  admin: 'Requires an admin token.',
};

const SECURITY: Readonly<Record<Endpoint['token'], readonly Json[]>> = {
  none: [{}],
  optional: [{ token: [] }, {}],
  required: [{ token: [] }],
  admin: [{ adminToken: [] }],
};

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  collection: 'The name of a collection. `/-/{collection}/openapi.json` describes it with its classes.',
  class: 'The name of a class.',
  label: 'The label of an incoming zone.',
  name: 'The name of the element.',
  pid: 'The pid of a record, a CURIE or a URI.',
  id: 'The id of the decision, dry run or change.',
};

/** Descriptions of the headers of conditions, by method. */
const CONDITIONS: Readonly<Record<'read' | 'write', readonly Json[]>> = {
  read: [header('If-None-Match', 'The entity tag that the client has: 304 if it is still this one.')],
  write: [
    header('If-Match', 'An entity tag: 412 unless it is still this one. `*`: 412 unless there is one.'),
    header('If-None-Match', '`*`: 412 if there is one already.'),
  ],
};

function header(name: string, description: string): Json {
  return { name, in: 'header', description, schema: { type: 'string' } };
}

function parametersOf(endpoint: Endpoint, collection: DescribedCollection | undefined): Json[] {
  const { path, query = {}, literalClass, classWords, conditional } = endpoint;
  const inPath = [...path.matchAll(/\{\+?(\w+)\}/g)].flatMap(([, name = '']): Json[] => {
    if (collection && (name === 'collection' || (name === 'class' && literalClass))) return [];
    const parameter = {
      name,
      in: 'path',
      required: true,
      description: PATH_PARAMETERS[name],
      schema: textSchema,
    };
    if (name === 'name') return [{ ...parameter, schema: nameSchema }];
    if (name !== 'class') return [parameter];
    return [
      {
        ...parameter,
        ...(classWords && { description: classWords }),
        ...(collection && { schema: { ...textSchema, enum: collection.classes } }),
      },
    ];
  });
  const inQuery = Object.entries(query).map(([name, { description, schema, initial, required }]) => ({
    name,
    in: 'query',
    description,
    ...(required && { required }),
    schema: initial === undefined ? schema : { ...schema, default: initial },
  }));
  const conditions = conditional ? CONDITIONS[endpoint.method === 'GET' ? 'read' : 'write'] : [];
  return [...inPath, ...inQuery, ...conditions];
}

function areaName(tag: string): string {
  return tag === 'user' ? 'own' : tag;
}

function areaTag(collection: string, tag: string): string {
  return tag === 'user' ? collection : `${collection}: ${tag}`;
}

/** A name in programming languages; {@link withUniqueIds} numbers those that become the same name. */
function operationId(...parts: string[]): string {
  return parts.join('_').replace(/\W+/g, '_');
}

/** The operations of a path, with a number added to ids that an earlier operation has. @param taken gets their ids */
export function withUniqueIds(
  operations: Readonly<Record<string, Json>>,
  taken: Set<string>,
): Record<string, Json> {
  const unique = Object.entries(operations).map(([method, operation]) => {
    const id = operation.operationId as string;
    let operationId = id;
    for (let count = 2; taken.has(operationId); count++) operationId = `${id}_${count}`;
    taken.add(operationId);
    return [method, { ...operation, operationId }];
  });
  return Object.fromEntries(unique);
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The record is invalid, the body is malformed, a CURIE has an unknown prefix, or a conversion failed.',
  401: 'The request has no token, or one that is not accepted here.',
  403: 'The token is known, but does not permit this.',
  404: 'The collection, class, label or element is unknown, or the record to delete does not exist.',
  405: 'The process that answers only reads the store.',
  406: 'A path, label or token cannot be accepted.',
  408: 'The request arrives too slowly.',
  409: 'The name or the representation is taken or reserved, or the element is needed.',
  410: 'What was asked for is not kept any more, or is of another generation.',
  412: 'The record is not in the state that `If-Match` or `If-None-Match` requires.',
  413: 'A list is too long for one response, or the body is too large.',
  416: 'The content has none of the bytes of the header `Range`.',
  422: 'A query parameter or a key of the body is unknown or has a wrong value.',
  429: 'There were too many requests. The header `Retry-After` has the seconds to wait.',
  500: 'The service failed. The operator finds the request by its id.',
  503: 'The collection is in maintenance or not available, or the service is busy or stopping.',
  507: 'The disk of the store is full. Nothing was changed.',
};

/** The responses by name, `status404` and the like. */
export function problemResponses(): Json {
  const content = { 'application/json': { schema: ref('Error') } };
  const headers = {
    'Accession-Error': {
      description: 'The code of the error: see docs/errors.md.',
      schema: { type: 'string' },
    },
  };
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([status, description]) => [
      `status${status}`,
      { description, headers, content },
    ]),
  );
}
