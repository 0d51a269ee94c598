/** The operations of the API description: what the routes of `server.ts` are to a client. */
import { bulkPaths } from './bulk-operations.ts';
import { problems } from './components.ts';

type Json = { readonly [key: string]: unknown };
/** Path → method → operation. */
export type Paths = Record<string, Record<string, Json>>;

/** A collection, as far as its operations depend on it. */
export type DescribedCollection = {
  readonly name: string;
  readonly classes: readonly string[];
  /** What precedes the name of a class in the names of components: `#/components/requestBodies/<prefix><class>`. */
  readonly prefix: string;
};

/** An area as the routes of records are mounted on it. */
type Area = {
  readonly path: string;
  readonly id: string;
  /** Read as "… {title}". */
  readonly title: string;
  /** What the tag of the area says. */
  readonly about: string;
  readonly parameters: readonly string[];
  readonly storeParameters: readonly string[];
  readonly security: readonly Json[];
  /** The responses of a store. */
  readonly stored: Json;
  /** Whether a list of a class holds the records of its subclasses, too. */
  readonly subclasses: boolean;
};

const RECORDS = content({ $ref: '#/components/schemas/Records' });
const STORE_PROBLEMS = problems(400, 401, 403, 404, 412, 413, 422, 500, 503);
const VALIDATED = {
  200: { description: 'The record is valid.', ...content({ const: true }) },
  ...problems(400, 401, 403, 404, 413, 422, 500, 503),
};
const TOKEN = [{ token: [] }];
const ANYBODY = [{ token: [] }, {}];

const AREAS: readonly Area[] = [
  {
    path: '',
    id: 'own',
    title: 'of the collection',
    about: 'What a token may read, and submit to its own incoming zone.',
    parameters: [],
    storeParameters: ['format', 'add_submission_tag'],
    security: ANYBODY,
    stored: {
      200: { description: 'All records that were stored, the posted one first.', ...recordOr(RECORDS) },
      ...STORE_PROBLEMS,
    },
    subclasses: true,
  },
  {
    path: '/curated',
    id: 'curated',
    title: 'of the curated area',
    about: 'The curated area, for curators.',
    parameters: [],
    storeParameters: ['format', 'author_id'],
    security: TOKEN,
    stored: {
      200: { description: 'The record is stored.', ...content({ type: 'null' }) },
      ...STORE_PROBLEMS,
    },
    subclasses: false,
  },
  {
    path: '/incoming/{label}',
    id: 'incoming',
    title: 'of an incoming zone',
    about: 'The incoming zones, for curators.',
    parameters: ['label'],
    storeParameters: ['format'],
    security: TOKEN,
    stored: {
      200: { description: 'The record is stored.', ...content({ type: 'null' }) },
      ...STORE_PROBLEMS,
    },
    subclasses: false,
  },
];

/** The tags of a collection, one for each area. */
export function tagsOf(collection: string): Json[] {
  return AREAS.map(({ id, about }) => ({ name: tag(collection, id), description: about }));
}

/** The operations of a collection. */
export function collectionPaths(collection: DescribedCollection): Paths {
  const paths: Paths = {};
  for (const area of AREAS) Object.assign(paths, areaPaths(collection, area));
  const root = `/${encodeURIComponent(collection.name)}`;
  paths[`${root}/incoming/`] = {
    get: {
      ...head(collection, 'incoming', 'labels', 'List the labels of all incoming zones'),
      security: TOKEN,
      responses: {
        200: { description: 'The labels, sorted.', ...content({ type: 'array', items: { type: 'string' } }) },
        ...problems(401, 403, 404, 500, 503),
      },
    },
  };
  return paths;
}

function areaPaths(collection: DescribedCollection, area: Area): Paths {
  const root = `/${encodeURIComponent(collection.name)}${area.path}`;
  const { id, title, security } = area;
  const shared = area.parameters.map(parameter);
  const operation = (what: string, summary: string, parameters: readonly string[], rest: Json): Json => ({
    ...head(collection, id, what, summary),
    security,
    parameters: [...shared, ...parameters.map(parameter)],
    ...rest,
  });
  const list = (
    what: string,
    summary: string,
    parameters: readonly string[],
    schema: string,
    limited: boolean,
  ) =>
    operation(what, summary, parameters, {
      responses: {
        200: {
          description: 'The records, sorted by pid.',
          ...content({ $ref: `#/components/schemas/${schema}` }),
        },
        ...problems(401, 403, 404, ...(limited ? [413] : []), 422, 500, 503),
      },
    });
  const classParameter = {
    name: 'class',
    in: 'path',
    required: true,
    description: area.subclasses
      ? 'A class; its subclasses are included.'
      : 'A class, without its subclasses.',
    schema: { type: 'string', enum: collection.classes },
  };
  const paths: Paths = {
    [`${root}/record`]: {
      get: operation('read', `Read one record ${title}`, ['pid', 'format'], {
        responses: {
          200: {
            description: 'The record, or null where there is none.',
            ...recordOr(content(RECORD_OR_NULL)),
          },
          304: { description: 'The record still is what `If-None-Match` names.' },
          ...problems(400, 401, 403, 404, 422, 500, 503),
        },
      }),
      delete: operation('delete', `Delete one record ${title}`, ['pid'], {
        responses: {
          200: { description: 'The record is deleted.', ...content({ const: true }) },
          ...problems(400, 401, 403, 404, 412, 422, 500, 503),
        },
      }),
    },
    [`${root}/records/`]: { get: list('all', `List all records ${title}`, LIST, 'Records', true) },
    [`${root}/records/p/`]: {
      get: list('all_pages', `List all records ${title}, in pages`, PAGES, 'Page', false),
    },
    [`${root}/records/{class}`]: {
      parameters: [classParameter] as unknown as Json,
      get: list('list', `List the records of a class ${title}`, LIST, 'Records', true),
    },
    [`${root}/records/p/{class}`]: {
      parameters: [classParameter] as unknown as Json,
      get: list('pages', `List the records of a class ${title}, in pages`, PAGES, 'Page', false),
    },
  };
  for (const className of collection.classes) {
    const requestBody = { $ref: `#/components/requestBodies/${collection.prefix}${className}` };
    paths[`${root}/record/${encodeURIComponent(className)}`] = {
      post: operation(
        `store_${className}`,
        `Store an object of class ${className} ${storedIn(area)}`,
        area.storeParameters,
        {
          requestBody,
          responses: area.stored,
        },
      ),
    };
    if (area.path !== '') continue;
    paths[`${root}/validate/record/${encodeURIComponent(className)}`] = {
      post: operation(
        `validate_${className}`,
        `Check an object of class ${className} without storing it`,
        ['format'],
        {
          requestBody,
          responses: VALIDATED,
        },
      ),
    };
  }
  const describe = (what: string, summary: string, parameters: readonly string[]) =>
    operation(what, summary, parameters, {});
  return { ...paths, ...bulkPaths(root, collection.classes, describe) };
}

const LIST = ['format', 'matching'];
const PAGES = ['format', 'matching', 'page', 'size'];
const RECORD_OR_NULL = { oneOf: [{ $ref: '#/components/schemas/Record' }, { type: 'null' }] };

function storedIn({ id }: Area): string {
  return { own: 'in the zone of the token', curated: 'in the curated area' }[id] ?? 'in an incoming zone';
}

function head(collection: DescribedCollection, area: string, what: string, summary: string): Json {
  return {
    tags: [tag(collection.name, area)],
    summary,
    operationId: operationId(collection.name, area, what),
  };
}

function tag(collection: string, area: string): string {
  return area === 'own' ? collection : `${collection}: ${area}`;
}

/** Unique, and safe in URLs: what is no word character is written as its code point. */
function operationId(...parts: string[]): string {
  return parts.map((part) => part.replace(/\W/gu, (c) => `-${c.codePointAt(0)?.toString(16)}-`)).join('.');
}

function parameter(name: string): Json {
  return { $ref: `#/components/parameters/${name}` };
}

function content(schema: Json): Json {
  return { content: { 'application/json': { schema } } };
}

/** The same as JSON or, with `format=ttl`, as one Turtle document. */
function recordOr({ content: json }: Json): Json {
  return { content: { ...(json as Json), 'text/turtle': { schema: { type: 'string' } } } };
}
