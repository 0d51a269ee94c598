/**
 * The configuration as the peer keeps it: one record of a record directory, with all defaults, no nulls and the names of
 * the peer. It is read when a store is adopted, and written when one is exported; the service itself has another form
 * (`config/record.ts`).
 */
import { type Configuration, mapEntries } from '../config/config.ts';
import { parseConfiguration } from '../config/parse.ts';
import { withoutUnsetPolicies } from '../config/policies.ts';
import { withoutNulls } from '../config/record.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { withoutType } from '../schema-type.ts';

/** The record of the configuration, under the pid that the peer looks for. */
export const PEER_CONFIGURATION = { pid: 'dump_things:config', className: 'DumpThingsConfig' } as const;

/** Reads the record. @throws ServiceError `config_invalid` */
export function readPeerConfiguration(record: JsonObject): Configuration {
  const { pid: _, ...rest } = withoutType(record);
  const collections = isJsonObject(rest.collections) ? rest.collections : {};
  return parseConfiguration({ ...rest, collections: mapEntries(collections, withoutPolicies) });
}

/** The record of a configuration in the form of the peer. */
export function peerConfiguration(configuration: Configuration): JsonObject {
  const peers = {
    ...configuration,
    collections: mapEntries(
      configuration.collections,
      ({ review: _review, vocabularies: _own, ...collection }) => ({
        ...collection,
        auth_sources: collection.auth_sources.map((source) =>
          source.type === 'forge' ? { ...source, type: 'forgejo' } : source,
        ),
      }),
    ),
    tokens: mapEntries(configuration.tokens, ({ expires: _expires, previous: _previous, ...token }) => ({
      ...token,
      collections: mapEntries(token.collections, ({ mode, incoming_label }) => ({
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
