/**
 * The configuration as a record of the configuration store, in the form that the peer reads and writes
 * (docs/configuration.md, "Where it is kept").
 *
 * If our form says more than the peer's can (the names `forge` and `WRITE_INCOMING`, `review`, `schema_map`, when
 * tokens expire), it is kept beside it in the record of {@link STATE_PID}, which the peer leaves alone. It applies to
 * each collection and token that the peer has not changed since.
 */
import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { removeSchemaType, withoutType } from '../schema-type.ts';
import type { Change, Entry, RecordStore } from '../storage/store.ts';
import { type Configuration, EMPTY_CONFIGURATION, mapEntries } from './config.ts';
import { parseConfiguration } from './parse.ts';
import { PRIVATE_FOLDER } from './paths.ts';

/** The record of the configuration, under the pid that the peer looks for. */
export const CONFIGURATION_PID = 'dump_things:config';
const CONFIGURATION_CLASS = 'DumpThingsConfig';

/** The record of what only Accession keeps. */
export const STATE_PID = 'accession:state';
const STATE_CLASS = 'AccessionState';

/** The classes of the records in the configuration store. */
export const CONFIGURATION_CLASSES: readonly string[] = [CONFIGURATION_CLASS, STATE_CLASS];

/** What survives a restart. */
export type Persistent = {
  readonly configuration: Configuration;
  /** The collections that are in maintenance. */
  readonly maintenance: ReadonlySet<string>;
};

/**
 * What is stored; empty if nothing ever was.
 *
 * @throws ServiceError `config_invalid` for a file that is damaged or says what no configuration can say,
 *   `storage_failed`
 */
export async function readPersistent(store: RecordStore): Promise<Persistent> {
  const [stored, state, faults] = await Promise.all([
    store.get(CONFIGURATION_PID),
    store.get(STATE_PID),
    store.faults(),
  ]);
  const damage = faults.find(({ path }) => path.startsWith(CONFIGURATION_CLASS));
  // Continuing without it would overwrite a configuration that can still be repaired.
  if (damage) throw unreadable(`${damage.path}: ${damage.message}`);
  const kept = state && (parseJson(state.json) as StateRecord);
  const maintenance = new Set(kept?.maintenance ?? []);
  if (!stored) return { configuration: EMPTY_CONFIGURATION, maintenance };
  const file = fileIn(stored.json);
  try {
    const own = kept?.configuration && parseConfiguration(kept.configuration);
    return { configuration: parseConfiguration(own ? completed(file, own) : file), maintenance };
  } catch (error) {
    throw error instanceof ServiceError ? unreadable(error.message) : error;
  }
}

/**
 * The configuration of the peer's form, with what that form lacks: each collection and token that still is as our form
 * would be written is taken from our form.
 */
function completed(file: JsonObject, own: Configuration): JsonObject {
  const { schema_map } = own;
  const written = fileIn(configurationRecord(own));
  const complete = (kind: 'collections' | 'tokens') => {
    const elements = (file[kind] ?? {}) as JsonObject;
    const before = (written[kind] ?? {}) as JsonObject;
    const entries = Object.entries(elements).map(([name, element]) => {
      const same =
        Object.hasOwn(before, name) && canonicalJson(before[name]!) === canonicalJson(withoutNulls(element));
      return [name, same ? (own[kind][name] as unknown as JsonValue) : element] as const;
    });
    return Object.fromEntries(entries);
  };
  return {
    ...file,
    ...(schema_map && { schema_map: { ...schema_map } }),
    collections: complete('collections'),
    tokens: complete('tokens'),
  };
}

function unreadable(why: string): ServiceError {
  const place = `${PRIVATE_FOLDER}/config_store in the store directory`;
  return new ServiceError('config_invalid', `The stored configuration cannot be read (${place}): ${why}`);
}

/** The entries of the configuration as its audit log has them: without the class, which the store adds. */
export function configurationEntry(entry: Entry): Entry | undefined {
  if (entry.pid !== CONFIGURATION_PID || entry.json === null) return undefined;
  return { ...entry, json: removeSchemaType(entry.json) };
}

/** The changes that store it; of the maintenance modes, the second alone. */
export function writePersistent({
  configuration,
  maintenance,
}: Persistent): [configuration: Change, state: Change] {
  const json = configurationRecord(configuration);
  const own = configuration as unknown as JsonObject;
  const needed = canonicalJson(withoutNulls(own)) !== canonicalJson(fileIn(json));
  const state: StateRecord = {
    pid: STATE_PID,
    maintenance: [...maintenance].sort(),
    ...(needed ? { configuration: own, stands_for: configurationDigest(fileIn(json)) } : {}),
  };
  return [
    putChange(CONFIGURATION_PID, CONFIGURATION_CLASS, json),
    putChange(STATE_PID, STATE_CLASS, canonicalJson(state as JsonObject)),
  ];
}

type StateRecord = {
  pid: string;
  maintenance: string[];
  configuration?: JsonObject;
  /** The digest of the peer's form; read by releases up to 0.2.0. */
  stands_for?: string;
};

/** The canonical JSON text of the configuration's record: all defaults, no nulls, the names of the peer. */
export function configurationRecord(configuration: Configuration): string {
  const { collections, tokens, schema_map: _map, ...rest } = configuration;
  const record = {
    ...rest,
    pid: CONFIGURATION_PID,
    collections: mapEntries(collections, ({ review: _review, ...collection }) => ({
      ...collection,
      auth_sources: collection.auth_sources.map((source) =>
        source.type === 'forge' ? { ...source, type: 'forgejo' } : source,
      ),
    })),
    tokens: mapEntries(tokens, ({ expires: _expires, previous: _previous, ...token }) => ({
      ...token,
      collections: mapEntries(token.collections, ({ mode, incoming_label }) => ({
        mode: mode === 'WRITE_INCOMING' ? 'WRITE_SUBMISSIONS' : mode,
        incoming_label,
      })),
    })),
  };
  return canonicalJson(withoutNulls(record as unknown as JsonValue));
}

function putChange(pid: string, className: string, json: string): Change {
  return { put: { pid, iri: pid, className, json } };
}

/** The configuration in its record: all but what makes it a record. */
function fileIn(json: string): JsonObject {
  const { pid: _, ...file } = withoutType(parseJson(json) as JsonObject);
  return file;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}

function configurationDigest(file: JsonObject): string {
  return createHash('sha256').update(canonicalJson(file)).digest('hex');
}
