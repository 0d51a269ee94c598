/**
 * The configuration as the peer keeps it: one record of a record directory, with all defaults, no nulls and the names of
 * the peer. It is read when a store is adopted, and written when one is exported; the service itself has another form
 * (`config/record.ts`).
 */

import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, parseJson } from '#linkml/json.ts';
import { isForgeSource } from '../../core/access/sources.ts';
import {
  type CollectionConfig,
  type Configuration,
  type ConfigurationSchemas,
  EMPTY_CONFIGURATION,
  mapEntries,
  type TokenConfig,
  UNKNOWN,
  withUnknown,
} from '../../core/config/config.ts';
import { parseStored } from '../../core/config/parse.ts';
import { withoutUnsetPolicies } from '../../core/config/policies.ts';
import { withoutNulls } from '../../core/config/record.ts';
import { withoutType } from '../../core/schema-type.ts';

/** The record of the configuration, under the pid that the peer looks for. */
export const PEER_CONFIGURATION = { pid: 'dump_things:config', className: 'DumpThingsConfig' } as const;

/** The record in which releases 0.1 and 0.2 kept what the peer's form cannot say. */
export const FORMER_STATE = { pid: 'accession:state', className: 'AccessionState' } as const;

export type TakenConfiguration = {
  readonly configuration: Configuration;
  readonly maintenance: ReadonlySet<string>;
};

/**
 * Reads the two records of a configuration store.
 *
 * @throws ServiceError `config_invalid`
 */
export function readPeerConfiguration(
  record: JsonObject | undefined,
  state: JsonObject | undefined,
  schemas: ConfigurationSchemas,
): TakenConfiguration {
  const maintenance = new Set((state?.maintenance ?? []) as string[]);
  if (!record) return { configuration: EMPTY_CONFIGURATION, maintenance };
  const { pid: _, ...rest } = withoutType(record);
  const file = { ...rest, collections: mapEntries(asObject(rest.collections), withoutPolicies) };
  if (!isJsonObject(state?.configuration)) return { configuration: parseStored(file, schemas), maintenance };
  const own = parseStored(state.configuration, schemas);
  return { configuration: parseStored(completed(file, own), schemas), maintenance };
}

/** The peer's form with what it lacks: each collection and token that the peer has not changed is taken from our form. */
function completed(file: JsonObject, own: Configuration): JsonObject {
  const written = peerConfiguration(own);
  const complete = (kind: 'collections' | 'tokens') => {
    const before = written[kind] as JsonObject;
    return mapEntries(asObject(file[kind]), (element, name) => {
      const isOurs =
        Object.hasOwn(before, name) && canonicalJson(before[name]!) === canonicalJson(withoutNulls(element));
      return isOurs ? stored(own[kind][name]!) : element;
    });
  };
  return {
    ...file,
    ...(own.schema_map && { schema_map: { ...own.schema_map } }),
    collections: complete('collections'),
    tokens: complete('tokens'),
  };
}

/** An element as it is stored. */
function stored(element: CollectionConfig | TokenConfig): JsonValue {
  if (!('auth_sources' in element)) return element as object as JsonObject;
  const { [UNKNOWN]: unknown, ...config } = element;
  return withUnknown(config, unknown) as JsonValue;
}

/** The attributes that the peer has of a collection. It refuses a configuration with others. */
const PEER_KEYS = new Set(
  `schema default_token curated incoming backend auth_sources audit_backends submission_tags use_classes ignore_classes
  policy_annotation_tag default_policy policy_mapping policy_info_location`.split(/\s+/),
);

/** The record of a configuration in the form of the peer. */
export function peerConfiguration({ schema_map: _, ...configuration }: Configuration): JsonObject {
  const peers = {
    ...configuration,
    collections: mapEntries(configuration.collections, (collection) => ({
      ...Object.fromEntries(Object.entries(collection).filter(([key]) => PEER_KEYS.has(key))),
      auth_sources: collection.auth_sources
        .filter((source) => source.type === 'config' || isForgeSource(source))
        .map((source) => (source.type === 'forge' ? { ...source, type: 'forgejo' } : source)),
    })),
    tokens: mapEntries(configuration.tokens, ({ user_id, collections, hashed, representation }) => ({
      user_id,
      hashed,
      representation,
      collections: mapEntries(collections, ({ mode, incoming_label }) => ({
        mode: mode === 'WRITE_INCOMING' ? 'WRITE_SUBMISSIONS' : mode,
        incoming_label,
      })),
    })),
    pid: PEER_CONFIGURATION.pid,
  };
  return withoutNulls(parseJson(JSON.stringify(peers))) as JsonObject;
}

/** Release 6.6.4 writes an empty list of policies into each collection. */
const withoutPolicies = (collection: JsonValue) =>
  isJsonObject(collection) ? withoutUnsetPolicies(collection) : collection;

const asObject = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
