/** The schemas of requests and responses that endpoints share; types of TypeScript are read from them (`api-types.ts`). */
import { tokenConfigSchema } from '../../access/config-tokens.ts';
import { BOOLEAN_WORD } from '../../config/as-written.ts';
import { adminTokenSchema, type ConfigurationSchemas, payloadSchema } from '../../config/config.ts';
import { FORMATS } from '../../formats/formats.ts';
import { SCHEMA_TYPE } from '../../schema-type.ts';
import { flagSchema, listOf, objectOf, pageNumbers, textOrNull, textSchema } from '../../shapes.ts';
import type { Json } from '../endpoint.ts';

const detailSchema = {
  title: 'What is wrong',
  oneOf: [textSchema, { type: 'array', items: { $ref: '#/components/schemas/Problem' } }],
} as const;

const errorSchema = { title: 'Error', ...objectOf({ detail: { $ref: '#/components/schemas/Detail' } }) };

export const problemSchema = {
  title: 'One problem of a request',
  ...objectOf(
    {
      type: { ...textSchema, description: 'The kind of problem, for programs.' },
      loc: { ...listOf({ type: ['string', 'integer'] }), description: 'The path to the offending value.' },
      msg: { ...textSchema, description: 'What was found and what was expected.' },
    },
    {
      input: { description: 'The offending value.' },
      instead: { ...textSchema, description: 'The value to use instead, if only one is right.' },
    },
  ),
} as const;

const recordSchema = {
  title: 'A record of any class',
  ...objectOf(
    { pid: { ...textSchema, description: 'The identifier of the record: a CURIE or a URI.' } },
    { [SCHEMA_TYPE]: { ...textSchema, description: 'The class of the record.' } },
  ),
  additionalProperties: true,
} as const;

const recordsSchema = {
  title: 'Records, or documents of one record each',
  ...listOf({ oneOf: [{ $ref: '#/components/schemas/Record' }, textSchema] }),
} as const;

const pageSchema = {
  title: 'A page of records',
  ...objectOf({
    items: { $ref: '#/components/schemas/Records' },
    ...pageNumbers,
    total: { type: 'integer', description: 'The number of records in all pages.' },
  }),
} as const;

/** A difference between two records, as the desk shows it. Modules return it; it is here for the desk's own drafts. */
export const differenceSchema = {
  title: 'A difference between the curated and the submitted record',
  ...objectOf(
    {
      path: {
        ...textSchema,
        description:
          'A JSON Pointer of slot names, mapping keys, `[id]` for list items and `[#…]` for values of a set.',
      },
      slot: textOrNull,
      kind: { enum: ['added', 'removed', 'changed'] },
      base: {},
      curated: {},
      submitted: {},
      changed_by: { enum: ['submitter', 'curator', 'both', 'unknown'] },
      conflict: flagSchema,
    },
    {
      words: {
        description: 'For long strings: which words differ.',
        ...listOf({
          title: 'A run of words',
          ...objectOf({ text: textSchema, in: { enum: ['both', 'curated', 'submitted'] } }),
        } as const),
      },
      omitted: {
        const: true,
        description: 'The values are left out (null), since all together are too long.',
      },
    },
  ),
} as const;

export const serverSchema = {
  title: 'The service and its collections',
  ...objectOf({
    version: { ...textSchema, description: 'The release of the interface.' },
    collections: listOf(objectOf({ name: textSchema, schema: textSchema, classes: listOf(textSchema) })),
  }),
} as const;

export const maintenanceSchema = {
  title: 'Maintenance mode of a collection',
  ...objectOf({
    collection: textSchema,
    active: {
      type: ['boolean', 'string', 'integer'],
      minimum: 0,
      maximum: 1,
      pattern: BOOLEAN_WORD,
      examples: ['on'],
      description: 'True or false, or a word for it, such as `on`.',
    },
  }),
} as const;

const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`;
export const nameSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: `^[^${CONTROL}]*$`,
  description: 'At most 255 bytes in UTF-8, without control characters.',
} as const;
const collectionNameSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: `^[^${CONTROL}/]+(/[^${CONTROL}/]+)*$`,
  description: `${nameSchema.description} May have slashes. Names of the service, such as \`docs\`, are reserved.`,
} as const;

/** The schemas by name, for references: `#/components/schemas/<name>`. */
export const sharedSchemas = ({ namedCollection }: ConfigurationSchemas) => ({
  Error: errorSchema,
  Detail: detailSchema,
  Problem: problemSchema,
  Record: recordSchema,
  Records: recordsSchema,
  Page: pageSchema,
  Server: serverSchema,
  Collection: { title: 'A collection', ...narrowed(namedCollection, { name: collectionNameSchema }) },
  Token: { title: 'A token', ...narrowed(payloadSchema(tokenConfigSchema), { name: nameSchema }) },
  AdminToken: {
    title: 'An admin token',
    ...narrowed(payloadSchema(adminTokenSchema), {
      name: nameSchema,
      representation: {
        type: 'string',
        pattern: '^[0-9A-Fa-f]{64}$',
        description: 'The SHA-256 hash of the token, in hexadecimal digits.',
      },
    }),
  },
});

/** A payload with members that are refused with messages of their own, so the schema of the configuration leaves them open. */
function narrowed({ properties, ...others }: { readonly properties: object }, members: Json): Json {
  return described({ ...others, properties: { ...properties, ...members } });
}

/** An element of the configuration whose name is in the path, and may be in the body as well. */
export function nameOptional(element: Json): Json {
  const { required, title, ...schema } = element as Json & { readonly required: readonly string[] };
  return {
    ...schema,
    title: `${title} without its name`,
    required: required.filter((key) => key !== 'name'),
  };
}

/**
 * A schema of the configuration for the description. OpenAPI's own keyword `discriminator` needs named alternatives; the `oneOf`
 * says the same without it. Generators of clients stop at a default that is an object.
 */
function described(schema: object): Json {
  const isLeftOut = (key: string, value: unknown) =>
    key === 'discriminator' || (key === 'default' && typeof value === 'object');
  return JSON.parse(JSON.stringify(schema, (key, value) => (isLeftOut(key, value) ? undefined : value)));
}

/** A reference to one of the shared schemas. */
export function ref(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` };
}

/** The body of a response that says nothing. */
export const NULL: Json = { type: 'null' };
/** The only boolean that a member or a body may be. Generators of clients do not know a `const` that is a boolean. */
export const TRUE = { type: 'boolean', enum: [true] } as const;

/** A response with a JSON body. */
export function jsonAnswer(description: string, schema: object): Json {
  return { description, content: { 'application/json': { schema } } };
}

/** A response with a JSON body or, with `format`, a document of another format. */
export function inAnyFormat(description: string, schema: object): Json {
  const content = Object.values(FORMATS).map(({ isJson, mediaType }) => [
    mediaType,
    { schema: isJson ? schema : documentSchema(mediaType) },
  ]);
  return { description, content: Object.fromEntries(content) };
}

/** The schema of a document that is not described further. JSON-LD is JSON: clients would send a string as one of JSON. */
export function documentSchema(mediaType: string): Json {
  return mediaType.endsWith('+json') ? { type: 'object' } : textSchema;
}

/** A JSON request body. */
export function jsonContent(schema: object, example: object): Json {
  return { 'application/json': { schema, example } };
}

/** The response to `If-None-Match`. */
export const UNCHANGED: Json = { 304: { description: 'What `If-None-Match` names is unchanged.' } };
