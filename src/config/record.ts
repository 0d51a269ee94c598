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
import { type Breathe, slices } from '../jobs/turns.ts';
import {
  canonicalJson,
  compareCodePoints,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../json.ts';
import { removeSchemaType, withoutType } from '../schema-type.ts';
import type { Change, Entry, RecordStore } from '../storage/store.ts';
import {
  type CollectionConfig,
  type Configuration,
  EMPTY_CONFIGURATION,
  type Entries,
  mapEntries,
  type TokenConfig,
} from './config.ts';
import { parseConfiguration } from './parse.ts';
import { PRIVATE_FOLDER } from './paths.ts';
import { withoutUnsetPolicies } from './policies.ts';

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
    return { configuration: parseConfiguration(own ? await completed(file, own) : file), maintenance };
  } catch (error) {
    throw error instanceof ServiceError ? unreadable(error.message) : error;
  }
}

/**
 * The configuration of the peer's form, with what that form lacks: each collection and token that still is as our form
 * would be written is taken from our form.
 */
async function completed(file: JsonObject, own: Configuration): Promise<JsonObject> {
  const { schema_map } = own;
  const written = fileIn(await configurationRecord(own));
  const complete = (kind: 'collections' | 'tokens') => {
    const elements = (file[kind] ?? {}) as JsonObject;
    const before = (written[kind] ?? {}) as JsonObject;
    const entries = Object.entries(elements).map(([name, element]) => {
      const said = withoutNulls(isJsonObject(element) ? withoutUnsetPolicies(element) : element);
      const same = Object.hasOwn(before, name) && canonicalJson(before[name]!) === canonicalJson(said);
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

/**
 * The changes that store it; of the maintenance modes, the second alone. Thousands of tokens are written in slices, between
 * which other requests have their turn.
 */
export async function writePersistent({
  configuration,
  maintenance,
}: Persistent): Promise<[configuration: Change, state: Change]> {
  const breathe = slices();
  const peers = await membersOf(configuration, PEER_FORM, breathe);
  const file = objectText(peers);
  const needed = objectText(await membersOf(configuration, OWN_FORM, breathe)) !== file;
  const state: Members = { pid: json(STATE_PID), maintenance: json([...maintenance].sort()) };
  if (needed) {
    state.configuration = objectText(await membersOf(configuration, STORED_FORM, breathe));
    // Read by releases up to 0.2.0: the digest of the peer's form.
    state.stands_for = json(createHash('sha256').update(file).digest('hex'));
  }
  return [
    putChange(CONFIGURATION_PID, CONFIGURATION_CLASS, objectText({ ...peers, pid: json(CONFIGURATION_PID) })),
    putChange(STATE_PID, STATE_CLASS, objectText(state)),
  ];
}

/** What is read of the record of {@link STATE_PID}. */
type StateRecord = {
  readonly maintenance: string[];
  readonly configuration?: JsonObject;
};

/** How the parts of a configuration are written. */
type Form = {
  readonly collection: (config: CollectionConfig) => string;
  readonly token: (token: TokenConfig) => string;
  readonly rest: (value: unknown) => string;
  /** Parts of the configuration that the form does not have. */
  readonly lacks?: readonly string[];
};

const json = (value: unknown) => canonicalJson(value as JsonValue);
const withoutAnyNull = (value: unknown) => canonicalJson(withoutNulls(value as JsonValue));

/** All as it is. */
const STORED_FORM: Form = { collection: json, token: json, rest: json };
const OWN_FORM: Form = { collection: withoutAnyNull, token: withoutAnyNull, rest: withoutAnyNull };
/** All defaults, no nulls, the names of the peer. */
const PEER_FORM: Form = {
  collection: ({ review: _review, ...collection }) =>
    withoutAnyNull({
      ...collection,
      auth_sources: collection.auth_sources.map((source) =>
        source.type === 'forge' ? { ...source, type: 'forgejo' } : source,
      ),
    }),
  token: ({ expires: _expires, previous: _previous, ...token }) =>
    withoutAnyNull({
      ...token,
      collections: mapEntries(token.collections, ({ mode, incoming_label }) => ({
        mode: mode === 'WRITE_INCOMING' ? 'WRITE_SUBMISSIONS' : mode,
        incoming_label,
      })),
    }),
  rest: withoutAnyNull,
  lacks: ['schema_map'],
};

/** The canonical texts of the members of an object. */
type Members = Record<string, string>;

async function membersOf(
  { collections, tokens, ...rest }: Configuration,
  form: Form,
  breathe: Breathe,
): Promise<Members> {
  const members: Members = {};
  for (const [key, value] of Object.entries(rest))
    if (value !== null && !form.lacks?.includes(key)) members[key] = form.rest(value);
  members.collections = await entriesText(collections, form.collection, breathe);
  members.tokens = await entriesText(tokens, form.token, breathe);
  return members;
}

async function entriesText<T>(
  entries: Entries<T>,
  write: (entry: T) => string,
  breathe: Breathe,
): Promise<string> {
  const texts: [string, string][] = [];
  for (const [name, entry] of Object.entries(entries)) {
    await breathe();
    texts.push([name, write(entry)]);
  }
  return objectText(Object.fromEntries(texts));
}

/** The canonical text of an object whose members are canonical texts. */
function objectText(members: Members): string {
  const names = Object.keys(members).sort(compareCodePoints);
  return `{${names.map((name) => `${JSON.stringify(name)}:${members[name]}`).join(',')}}`;
}

/** The canonical JSON text of the configuration's record: all defaults, no nulls, the names of the peer. */
export async function configurationRecord(configuration: Configuration): Promise<string> {
  const members = await membersOf(configuration, PEER_FORM, slices());
  return objectText({ ...members, pid: json(CONFIGURATION_PID) });
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
