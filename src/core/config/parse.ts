/**
 * Reads configuration: from the text of a file, from the body of an administration request. Every unknown key and
 * every wrong value is reported, with its path and what was expected.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { readYaml, YamlError } from '#linkml/yaml/read.ts';
import { tokenConfigSchema } from '../access/config-tokens.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { problemsBy, refusal } from '../json-schema.ts';
import { splitByKeys } from '../module-keys.ts';
import { asWritten } from './as-written.ts';
import {
  type AdminTokenConfig,
  adminTokenSchema,
  type CollectionConfig,
  type Configuration,
  type ConfigurationSchemas,
  entryOf,
  mapEntries,
  payloadSchema,
  type TokenConfig,
  UNKNOWN,
} from './config.ts';
import { withoutUnsetPolicies } from './policies.ts';

/** The payload of an administration request: an element, and the name that it has or gets. */
export type WithName<T> = T & { readonly name: string };

const token = payloadSchema(tokenConfigSchema);
const adminToken = payloadSchema(adminTokenSchema);

/**
 * Reads the text of a configuration file, of version 2 or 1.
 *
 * @param describeArea says what version 1 left to the `.dumpthings.yaml` of a record directory
 * @throws ServiceError `config_invalid`
 */
export function parseConfigurationFile(
  yaml: string,
  schemas: ConfigurationSchemas,
  describeArea: DescribeArea,
): Configuration {
  const value = loadYaml(yaml);
  return parseConfiguration(isVersion1(value) ? upgrade(value, describeArea) : value, schemas);
}

/** @throws ServiceError `config_invalid` for anything but a whole configuration of version 2 */
export function parseConfiguration(value: unknown, { file }: ConfigurationSchemas): Configuration {
  const read = checked<Configuration>(file, inFull(value), 'config_invalid', []);
  return { ...read, collections: mapEntries(read.collections, tidy) };
}

/**
 * Reads a configuration that is stored. Keys of collections and entries of `auth_sources` that this process does not know are kept:
 * they belong to modules that are absent.
 *
 * @throws ServiceError `config_invalid`
 */
export function parseStored(value: JsonObject, schemas: ConfigurationSchemas): Configuration {
  const stored = isJsonObject(value.collections) ? value.collections : {};
  const parts = mapEntries(stored, (config): [known: JsonValue, unknown: JsonObject] =>
    isJsonObject(config) ? splitKnown(config, schemas) : [config, {}],
  );
  const known = mapEntries(parts, ([one]) => one);
  const { collections, ...rest } = parseConfiguration(
    { ...value, ...(value.collections !== undefined && { collections: known }) },
    schemas,
  );
  return {
    ...rest,
    collections: mapEntries(collections, (config, name) => {
      const [, unknown = {}] = entryOf(parts, name) ?? [];
      return Object.keys(unknown).length > 0 ? { ...config, [UNKNOWN]: unknown } : config;
    }),
  };
}

/** What a process knows of a stored collection, and what is of absent modules. */
function splitKnown(
  config: JsonObject,
  { collection, sourceTypes }: ConfigurationSchemas,
): [known: JsonObject, unknown: JsonObject] {
  const [known, unknown] = splitByKeys(collection, config);
  if (!Array.isArray(known.auth_sources)) return [known, unknown];
  const isUnknown = (source: JsonValue) =>
    isJsonObject(source) && typeof source.type === 'string' && !sourceTypes.includes(source.type);
  const others = known.auth_sources.filter(isUnknown);
  if (others.length === 0) return [known, unknown];
  const auth_sources = known.auth_sources.filter((source) => !isUnknown(source));
  return [
    { ...known, auth_sources },
    { ...unknown, auth_sources: others },
  ];
}

/** @throws ServiceError `payload_invalid`; the paths of its problems start with `body` */
export function parseCollection(
  body: unknown,
  { namedCollection: schema }: ConfigurationSchemas,
): WithName<CollectionConfig> {
  return tidy(
    checked<WithName<CollectionConfig>>(schema, collectionInFull(body), 'payload_invalid', ['body']),
  );
}

/** @throws ServiceError `payload_invalid` */
export function parseToken(body: unknown): WithName<TokenConfig> {
  return checked(token, body, 'payload_invalid', ['body']);
}

/** @throws ServiceError `payload_invalid` */
export function parseAdminToken(body: unknown): WithName<AdminTokenConfig> {
  return checked(adminToken, body, 'payload_invalid', ['body']);
}

function checked<T>(schema: object, value: unknown, code: ErrorCode, root: readonly string[]): T {
  const problems = problemsBy(schema, value, root);
  if (problems.length > 0) throw refusal(code, problems);
  return withDefaults(schema as SchemaPart, value) as T;
}

/** YAML as the peer reads it, except that keys that occur twice, keys that are not strings, and dates are refused. */
function loadYaml(yaml: string): unknown {
  try {
    return asWritten(readYaml(yaml, { duplicateKeys: 'refuse', otherKeys: 'refuse', dates: 'refuse' }));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ServiceError('config_invalid', error.message, [], { cause: error });
  }
}

function inFull(value: unknown): unknown {
  if (!isJsonObject(value) || !isJsonObject(value.collections)) return value;
  return { ...value, collections: mapEntries(value.collections, collectionInFull) };
}

/** A backend that is given by its type alone becomes an object. */
function collectionInFull(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return typeof value.backend === 'string' ? { ...value, backend: { type: value.backend } } : value;
}

/** Without policy keys that set nothing, and paths without empty and `.` segments, as they are compared and shown. */
function tidy<T extends CollectionConfig>(config: T): T {
  const { curated, incoming } = config;
  return {
    ...withoutUnsetPolicies(config),
    curated: tidyPath(curated),
    incoming: incoming === null ? null : tidyPath(incoming),
  };
}

function tidyPath(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  return (path.startsWith('/') ? '/' : '') + segments.join('/') || '.';
}

/** The part of JSON Schema that the configuration pieces are written in. */
type SchemaPart = {
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly additionalProperties?: SchemaPart | boolean;
  readonly items?: SchemaPart;
  readonly discriminator?: { readonly propertyName: string };
  readonly oneOf?: readonly SchemaPart[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
};

/** A copy of a value that has passed its schema, with every default in its place. */
function withDefaults(schema: SchemaPart, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withDefaults(schema.items ?? {}, item));
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  const { properties = {}, additionalProperties } = alternativeOf(schema, object);
  const rest = typeof additionalProperties === 'object' ? additionalProperties : {};
  const given = Object.entries(object).map(([key, member]) => {
    const part = Object.hasOwn(properties, key) ? properties[key] : rest;
    return [key, withDefaults(part ?? {}, member)];
  });
  const missing = Object.entries(properties)
    .filter(([key, part]) => !Object.hasOwn(object, key) && part.default !== undefined)
    .map(([key, part]) => [key, withDefaults(part, part.default)]);
  return Object.fromEntries([...given, ...missing]);
}

/** Of a union with a discriminator the alternative that the value has chosen, else the schema itself. */
function alternativeOf(schema: SchemaPart, value: Record<string, unknown>): SchemaPart {
  const tag = schema.discriminator?.propertyName;
  if (tag === undefined) return schema;
  const chosen = schema.oneOf?.find(({ properties }) => {
    const part = properties?.[tag];
    return part?.const === value[tag] || part?.enum?.includes(value[tag]);
  });
  return chosen ?? schema;
}

/** The content of the `.dumpthings.yaml` of a curated area. */
type DescribeArea = (curated: string) => { schema: string; mapping_method: string };

type Mapping = Readonly<Record<string, unknown>>;

/** Whether a file says that it is of version 1. */
function isVersion1(value: unknown): value is Mapping {
  return isConfigMapping(value) && value.version === 1;
}

/**
 * Version 1 of the configuration file (the peer's 5.x) → version 2 (specification 2.5).
 *
 * In version 1 `tokens` was keyed by the secrets, `default_token` was a secret too, and a collection had its schema in
 * its `sqlite` backend, or in the `.dumpthings.yaml` of its record directory. A hashed token was written
 * `<id>-<sha256 of the secret>`. Tokens get the names `token_1`, `token_2`, … in the order of the file. What else is
 * wrong with a file is left for the check of version 2 to find.
 *
 * @throws ServiceError `config_invalid` for what version 1 alone can have wrong
 */
function upgrade(old: Mapping, describeArea: DescribeArea): Mapping {
  const { tokens = {}, collections = {}, ...rest } = old;
  if (!isConfigMapping(tokens) || !isConfigMapping(collections)) return { ...old, version: 2 };
  const names = new Map(Object.keys(tokens).map((secret, index) => [secret, `token_${index + 1}`]));
  const upgradedTokens = Object.entries(tokens).map(([secret, token]) => [
    names.get(secret),
    isConfigMapping(token) ? upgradeToken(secret, token) : token,
  ]);
  const upgradedCollections = Object.entries(collections).map(([name, collection]) => [
    name,
    isConfigMapping(collection) ? upgradeCollection(name, collection, names, describeArea) : collection,
  ]);
  return {
    ...rest,
    version: 2,
    tokens: Object.fromEntries(upgradedTokens),
    collections: Object.fromEntries(upgradedCollections),
  };
}

function upgradeToken(secret: string, token: Mapping): Mapping {
  if (token.hashed !== true) return { ...token, representation: secret };
  const hash = /^[^-]*-([0-9a-f]{64})$/i.exec(secret)?.[1];
  if (hash === undefined) {
    const where = `the hashed token ${JSON.stringify(secret.slice(0, secret.indexOf('-') + 1))}…`;
    throw new ServiceError('config_invalid', `tokens: ${where}: expected <id>-<SHA-256 of the secret>.`);
  }
  return { ...token, representation: hash };
}

function upgradeCollection(
  name: string,
  collection: Mapping,
  names: ReadonlyMap<string, string>,
  describeArea: DescribeArea,
): Mapping {
  const { default_token, curated } = collection;
  const token = typeof default_token === 'string' ? names.get(default_token) : undefined;
  if (default_token !== undefined && token === undefined) {
    const what = 'is expected to be one of the keys of tokens';
    throw new ServiceError('config_invalid', `collections.${name}.default_token: ${what}`);
  }
  const renamed = { ...collection, ...(token === undefined ? {} : { default_token: token }) };
  const { schema, ...backend } = backendOf(collection.backend);
  if (!String(backend.type).startsWith('record_dir')) return { ...renamed, schema, backend };
  if (typeof curated !== 'string') return renamed;
  const area = describeArea(curated);
  return { ...renamed, schema: area.schema, backend: { ...backend, mapping_method: area.mapping_method } };
}

function backendOf(backend: unknown): Mapping {
  if (typeof backend === 'string') return { type: backend };
  return isConfigMapping(backend) ? backend : { type: 'record_dir+stl' };
}

function isConfigMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
