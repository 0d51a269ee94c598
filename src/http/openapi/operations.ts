/** The operations of a collection in the API description: what the routes of `server.ts` are to a client. */
import { AREAS, type DescribedArea, TOKEN } from './areas.ts';
import { bulkPaths } from './bulk-operations.ts';
import { classParameter, type Json, json, jsonOrTurtle, NULL, type Paths, problems, ref } from './words.ts';

/** A collection, as far as its operations depend on it. */
export type DescribedCollection = {
  readonly name: string;
  readonly classes: readonly string[];
  /** What precedes the name of a class in the names of components: `#/components/requestBodies/<prefix><class>`. */
  readonly prefix: string;
};

/** The tags of a collection, one for each area. */
export function tagsOf(collection: string): Json[] {
  return AREAS.map(({ id, about }) => ({ name: tag(collection, id), description: about }));
}

/** The operations of a collection. */
export function collectionPaths(collection: DescribedCollection): Paths {
  const paths: Paths = {};
  for (const area of AREAS) {
    const root = `/${encodeURIComponent(collection.name)}${area.path}`;
    const describe = describer(collection, area);
    const bulk = bulkPaths(root, collection.classes, (what, summary, names) =>
      describe(what, summary, names, {}),
    );
    Object.assign(
      paths,
      recordPaths(root, area, describe),
      listPaths(root, area, collection.classes, describe),
      storePaths(root, area, collection, describe),
      bulk,
    );
  }
  return { ...paths, ...labelPaths(collection) };
}

/** Makes an operation of an area, with its tag, name, security and parameters. */
type Describe = (what: string, summary: string, parameters: readonly string[], rest: Json) => Json;

function describer(collection: DescribedCollection, area: DescribedArea): Describe {
  const { id, security } = area;
  return (what, summary, parameters, rest) => ({
    ...head(collection, id, what, summary),
    security,
    parameters: [...area.parameters, ...parameters].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    ...rest,
  });
}

const RECORD_OR_NULL = { oneOf: [ref('Record'), NULL] };
const READ = {
  200: jsonOrTurtle('The record, or null where there is none.', RECORD_OR_NULL),
  304: { description: 'The record still is what `If-None-Match` names.' },
  ...problems(400, 401, 403, 404, 422, 500, 503),
};
const DELETED = {
  200: json('The record is deleted.', { const: true }),
  ...problems(400, 401, 403, 404, 412, 422, 500, 503),
};

function recordPaths(root: string, { title }: DescribedArea, describe: Describe): Paths {
  return {
    [`${root}/record`]: {
      get: describe('read', `Read one record ${title}`, ['pid', 'format'], { responses: READ }),
      delete: describe('delete', `Delete one record ${title}`, ['pid'], { responses: DELETED }),
    },
  };
}

const LISTED = {
  200: json('The records, sorted by pid.', ref('Records')),
  ...problems(401, 403, 404, 413, 422, 500, 503),
};
const PAGED = {
  200: json('The records, sorted by pid.', ref('Page')),
  ...problems(401, 403, 404, 422, 500, 503),
};
const LIST = { parameters: ['format', 'matching'], rest: { responses: LISTED } };
const PAGES = { parameters: ['format', 'matching', 'page', 'size'], rest: { responses: PAGED } };

function listPaths(root: string, area: DescribedArea, classes: readonly string[], describe: Describe): Paths {
  const { title, subclasses } = area;
  const covers = subclasses ? 'A class; its subclasses are included.' : 'A class, without its subclasses.';
  const ofClass = { parameters: [classParameter(classes, covers)] };
  const get = (what: string, summary: string, { parameters, rest }: typeof LIST | typeof PAGES) => ({
    get: describe(what, summary, parameters, rest),
  });
  return {
    [`${root}/records/`]: get('all', `List all records ${title}`, LIST),
    [`${root}/records/p/`]: get('all_pages', `List all records ${title}, in pages`, PAGES),
    [`${root}/records/{class}`]: { ...ofClass, ...get('list', `List the records of a class ${title}`, LIST) },
    [`${root}/records/p/{class}`]: {
      ...ofClass,
      ...get('pages', `List the records of a class ${title}, in pages`, PAGES),
    },
  };
}

const VALIDATED = {
  200: json('The record is valid.', { const: true }),
  ...problems(400, 401, 403, 404, 413, 422, 500, 503),
};

/** Literal paths, a class each: clients read the classes of a collection off them. */
function storePaths(
  root: string,
  area: DescribedArea,
  { classes, prefix }: DescribedCollection,
  describe: Describe,
): Paths {
  const paths: Paths = {};
  for (const className of classes) {
    const requestBody = { $ref: `#/components/requestBodies/${prefix}${className}` };
    const store = `Store an object of class ${className} ${area.storedIn}`;
    paths[`${root}/record/${encodeURIComponent(className)}`] = {
      post: describe(`store_${className}`, store, area.storeParameters, {
        requestBody,
        responses: area.stored,
      }),
    };
    if (area.path !== '') continue;
    const check = `Check an object of class ${className} without storing it`;
    paths[`${root}/validate/record/${encodeURIComponent(className)}`] = {
      post: describe(`validate_${className}`, check, ['format'], { requestBody, responses: VALIDATED }),
    };
  }
  return paths;
}

const LABELS = {
  200: json('The labels, sorted.', { type: 'array', items: { type: 'string' } }),
  ...problems(401, 403, 404, 500, 503),
};

function labelPaths(collection: DescribedCollection): Paths {
  const operation = head(collection, 'incoming', 'labels', 'List the labels of all incoming zones');
  return {
    [`/${encodeURIComponent(collection.name)}/incoming/`]: {
      get: { ...operation, security: TOKEN, responses: LABELS },
    },
  };
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
