/**
 * The configuration of the service: collections, tokens, admin tokens (docs/configuration.md), put together from the pieces
 * that the rooms declare. It is shaped as in a configuration file of version 2, immutable, and complete: every default
 * is filled in.
 *
 * Names are keys of plain objects, and clients choose them: look them up with {@link entryOf}, never with `[name]`.
 */

import type { JsonObject } from '#linkml/json.ts';
import { type TokenConfig, tokenConfigSchema } from '../access/config-tokens.ts';
import {
  defaultSources,
  type SourceConfig,
  type SourceSchemas,
  sourceConfigSchemaWith,
  sourceTypesWith,
} from '../access/sources.ts';
import { type ModuleKey, type ModuleKeys, withKeys } from '../module-keys.ts';
import { SCHEMA_TYPE } from '../schema-type.ts';
import { type BackendConfig, backendConfigSchema } from './backends.ts';
import { type Shown, shownBy } from './secrets.ts';

export type { TokenConfig };

export type Configuration = {
  readonly type: 'collections';
  readonly version: 2;
  readonly collections: Entries<CollectionConfig>;
  readonly tokens: Entries<TokenConfig>;
  readonly admin_tokens: Entries<AdminTokenConfig>;
  /** URL prefix → folder whose files are read instead, which the peer does not know; absent if it is not set. */
  readonly schema_map?: Entries<string>;
};

/** Elements by name. */
export type Entries<T> = Readonly<Record<string, T>>;

export type CollectionConfig = {
  /** A path, `file:` or `http(s):` URL, as it was configured. */
  readonly schema: string;
  /** The name of a token, which may not exist yet. */
  readonly default_token: string;
  /** A path below the store. */
  readonly curated: string;
  /** A path below the store; null if no token of the collection can write. */
  readonly incoming: string | null;
  readonly backend: BackendConfig;
  readonly auth_sources: readonly SourceConfig[];
  readonly submission_tags: SubmissionTags;
  /** Only these classes get store and validate endpoints; all do if the list is empty. */
  readonly use_classes: readonly string[];
  /** These classes get none. */
  readonly ignore_classes: readonly string[];
  /** Keys of modules that this process does not have, and entries of `auth_sources`. They are stored again, and not shown. */
  readonly [UNKNOWN]?: JsonObject;
} & PolicyConfig &
  Partial<ModuleConfiguration>;

/** The values of the keys that modules have, added by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: modules add the members
export interface ModuleConfiguration {}

/** A key that a module has in the configuration of each collection. */
type ConfigurationKey = ModuleKey & {
  /** Returns the value that is stored in place of one that is sent, with what it keeps of the former one. */
  replace?(sent: unknown, former: unknown): unknown;
  /**
   * Returns the value with others in place of the directories that it names. They are below the store, and none is in an area, nor
   * an area in one of them.
   */
  mapDirectories?(value: unknown, map: (path: string) => string): unknown;
  /** Returns the value that `accession init` writes into the configuration of a collection. */
  initial?(collection: string): unknown;
};
export type ConfigurationKeys = ModuleKeys<ConfigurationKey>;

/** No key of JSON: what is shown or compared does not have it, and a copy of the object keeps it. */
export const UNKNOWN = Symbol('unknown keys');

/** Which records callers see; each key is absent if it is not set (docs/how-to/restrict-records.md). */
export type PolicyConfig = PolicyInformation & {
  /** The address of a JSON object with the other keys, which then do not apply. */
  readonly policy_info_location?: string;
};

/** The keys of policies, in the configuration of a collection or at its `policy_info_location`. */
export type PolicyInformation = {
  /** The tag of the annotation that names the policy of a record. */
  readonly policy_annotation_tag?: string;
  /** The policy of records that name none. */
  readonly default_policy?: string;
  readonly policy_mapping?: readonly PolicyGrant[];
};

/** The policies of one caller; several entries of one caller add up. */
type PolicyGrant = {
  readonly auth_source: string;
  readonly user_id: string;
  readonly authorized_by: readonly string[];
};

/** The annotation tags of a submission: IRIs or CURIEs. */
type SubmissionTags = {
  readonly submitter_id_tag: string;
  readonly submission_time_tag: string;
};

export type AdminTokenConfig = {
  /** The SHA-256 hash of the secret, in hexadecimal digits. */
  readonly representation: string;
};

export const EMPTY_CONFIGURATION: Configuration = {
  type: 'collections',
  version: 2,
  collections: {},
  tokens: {},
  admin_tokens: {},
};

/** The element of a name, if there is one. */
export function entryOf<T>(entries: Entries<T>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** A collection as it is stored: with what its absent modules have kept, as they have written it. */
export function withUnknown(
  known: Omit<CollectionConfig, typeof UNKNOWN>,
  { auth_sources: sources, ...keys }: JsonObject = {},
): object {
  const auth_sources = [...known.auth_sources, ...(Array.isArray(sources) ? sources : [])];
  return { ...known, auth_sources, ...keys };
}

/** Replaces each element, and keeps its name. */
export function mapEntries<A, B>(entries: Entries<A>, map: (element: A, name: string) => B): Entries<B> {
  return Object.fromEntries(Object.entries(entries).map(([name, element]) => [name, map(element, name)]));
}

/** Whether nothing at all is configured: no collection, no token, no admin token. */
export function isEmptyConfiguration({ collections, tokens, admin_tokens }: Configuration): boolean {
  return [collections, tokens, admin_tokens].every((entries) => Object.keys(entries).length === 0);
}

const NON_EMPTY = { type: 'string', minLength: 1 };

const STRING_OR_NULL = { type: ['string', 'null'] };
const POLICY_INFORMATION = {
  policy_annotation_tag: STRING_OR_NULL,
  default_policy: STRING_OR_NULL,
  policy_mapping: {
    type: ['array', 'null'],
    items: {
      type: 'object',
      properties: {
        auth_source: { type: 'string' },
        user_id: { type: 'string' },
        authorized_by: { type: 'array', items: { type: 'string' } },
      },
      required: ['auth_source', 'user_id', 'authorized_by'],
      additionalProperties: false,
    },
  },
};

/** The JSON Schema of what is at a `policy_info_location`. */
export const policyInformationSchema = {
  type: 'object',
  properties: POLICY_INFORMATION,
  additionalProperties: false,
};

/** The JSON Schema of {@link CollectionConfig} as it is written, defaults left out. */
const collectionSchema = {
  type: 'object',
  properties: {
    schema: NON_EMPTY,
    default_token: { type: 'string' },
    curated: NON_EMPTY,
    incoming: { type: ['string', 'null'], minLength: 1, default: null },
    backend: { ...backendConfigSchema, default: { type: 'record_dir+stl' } },
    auth_sources: { type: 'array', items: sourceConfigSchemaWith({}), default: defaultSources },
    submission_tags: {
      type: 'object',
      properties: {
        submitter_id_tag: { ...NON_EMPTY, default: 'http://purl.obolibrary.org/obo/NCIT_C54269' },
        submission_time_tag: { ...NON_EMPTY, default: 'http://semanticscience.org/resource/SIO_001083' },
      },
      additionalProperties: false,
      default: {},
    },
    use_classes: { type: 'array', items: { type: 'string' }, default: [] },
    ignore_classes: { type: 'array', items: { type: 'string' }, default: [] },
    ...POLICY_INFORMATION,
    policy_info_location: STRING_OR_NULL,
  },
  required: ['schema', 'default_token', 'curated'],
  additionalProperties: false,
};

/** The JSON Schema of {@link AdminTokenConfig}. */
export const adminTokenSchema = {
  type: 'object',
  properties: { representation: { type: 'string', format: 'password' } },
  required: ['representation'],
  additionalProperties: false,
};

/** The JSON Schemas of the configuration with the keys of modules. */
export type ConfigurationSchemas = {
  readonly keys: ConfigurationKeys;
  /** The types of entries in `auth_sources`. */
  readonly sourceTypes: readonly string[];
  readonly collection: typeof collectionSchema;
  /** Of a collection as administrators send it, with its name. */
  readonly namedCollection: typeof collectionSchema;
  /** Of a whole file of version 2. */
  readonly file: object;
  /** What is shown of it, and of the record that it is stored as. */
  readonly shown: Shown | undefined;
};

/** Makes the schemas. They are compiled at their first use, so what is made is kept. */
export function configurationSchemasWith(
  keys: ConfigurationKeys,
  sources: SourceSchemas = {},
): ConfigurationSchemas {
  const ofCore = withKeys(collectionSchema, keys);
  const auth_sources = {
    ...collectionSchema.properties.auth_sources,
    items: sourceConfigSchemaWith(sources),
  };
  const collection = { ...ofCore, properties: { ...ofCore.properties, auth_sources } };
  const file = {
    type: 'object',
    properties: {
      type: { const: 'collections' },
      version: { const: 2 },
      collections: { type: 'object', additionalProperties: collection, default: {} },
      tokens: { type: 'object', additionalProperties: tokenConfigSchema, default: {} },
      admin_tokens: { type: 'object', additionalProperties: adminTokenSchema, default: {} },
      schema_map: { type: 'object', additionalProperties: NON_EMPTY },
    },
    required: ['type', 'version'],
    additionalProperties: false,
  };
  const sourceTypes = sourceTypesWith(sources);
  const shown = shownBy({ ...file, properties: { ...file.properties, pid: {}, [SCHEMA_TYPE]: {} } });
  return { keys, sourceTypes, collection, namedCollection: payloadSchema(collection), file, shown };
}

/** The schema of an element plus the `name` that payloads carry (specification 2.5 to 2.7). */
export function payloadSchema<S extends { properties: object; required: readonly string[] }>(schema: S) {
  return {
    ...schema,
    properties: { name: NON_EMPTY, ...schema.properties },
    required: ['name', ...schema.required],
  };
}
