/**
 * Reads configuration: from the text of a file, from the body of an administration request. Every unknown key and
 * every wrong value is reported, with its path and what was expected.
 */
import { tokenConfigSchema } from '../access/config-tokens.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { problemsBy, refused } from '../json-schema.ts';
import { readYaml, YamlError } from '../yaml/read.ts';
import { asWritten } from './as-written.ts';
import {
  type AdminTokenConfig,
  adminTokenSchema,
  type CollectionConfig,
  type Configuration,
  collectionSchema,
  configurationSchema,
  mapEntries,
  payloadSchema,
  type TokenConfig,
} from './config.ts';
import { withDefaults } from './defaults.ts';
import { withoutUnsetPolicies } from './policies.ts';
import { type DescribeArea, isVersion1, upgrade } from './upgrade.ts';

/** The payload of an administration request: an element, and the name that it has or gets. */
export type Named<T> = T & { readonly name: string };

const collection = payloadSchema(collectionSchema);
const token = payloadSchema(tokenConfigSchema);
const adminToken = payloadSchema(adminTokenSchema);

/**
 * Reads the text of a configuration file, of version 2 or 1.
 *
 * @param describeArea says what version 1 left to the `.dumpthings.yaml` of a record directory
 * @throws ServiceError `config_invalid`
 */
export function parseConfigurationFile(yaml: string, describeArea: DescribeArea): Configuration {
  const value = loadYaml(yaml);
  return parseConfiguration(isVersion1(value) ? upgrade(value, describeArea) : value);
}

/** @throws ServiceError `config_invalid` for what is not a whole configuration of version 2 */
export function parseConfiguration(value: unknown): Configuration {
  const read = checked<Configuration>(configurationSchema, inFull(value), 'config_invalid', []);
  return { ...read, collections: mapEntries(read.collections, tidy) };
}

/** @throws ServiceError `payload_invalid`; the paths of its problems start with `body` */
export function parseCollection(body: unknown): Named<CollectionConfig> {
  return tidy(
    checked<Named<CollectionConfig>>(collection, collectionInFull(body), 'payload_invalid', ['body']),
  );
}

/** @throws ServiceError `payload_invalid` */
export function parseToken(body: unknown): Named<TokenConfig> {
  return checked(token, body, 'payload_invalid', ['body']);
}

/** @throws ServiceError `payload_invalid` */
export function parseAdminToken(body: unknown): Named<AdminTokenConfig> {
  return checked(adminToken, body, 'payload_invalid', ['body']);
}

function checked<T>(schema: object, value: unknown, code: ErrorCode, root: readonly string[]): T {
  const problems = problemsBy(schema, value, root);
  if (problems.length > 0) throw refused(code, problems);
  return withDefaults(schema, value) as T;
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
