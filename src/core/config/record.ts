/** The configuration as records of its area (docs/configuration.md, "Where it is kept"). */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  JsonText,
  type JsonValue,
  parseJson,
} from '#linkml/json.ts';
import { isServiceError, ServiceError } from '../errors.ts';
import { withoutType } from '../schema-type.ts';
import { setCursor } from '../storage/cursors.ts';
import type { Draft } from '../storage/database.ts';
import type { Change, RecordStore } from '../storage/store.ts';
import {
  type CollectionConfig,
  type Configuration,
  type ConfigurationSchemas,
  EMPTY_CONFIGURATION,
  entryOf,
  mapEntries,
  UNKNOWN,
  withUnknown,
} from './config.ts';
import { parseStored } from './parse.ts';
import { PRIVATE_FOLDER } from './paths.ts';

/** The area of the configuration, relative to the store directory. */
export const CONFIGURATION_AREA = `${PRIVATE_FOLDER}/config_store`;

/** The record of the configuration; its entries are the history of the configuration. */
export const CONFIGURATION_PID = 'dump_things:config';
const CONFIGURATION_CLASS = 'DumpThingsConfig';

type Put = Extract<Change, { readonly put: unknown }>;

/** The record of what belongs to the configuration and no administrator has written. */
const STATE_PID = 'accession:state';
const STATE_CLASS = 'AccessionState';

/** The state that survives a restart. */
export type Persistent = {
  readonly configuration: Configuration;
  /** The collections that are in maintenance. */
  readonly maintenance: ReadonlySet<string>;
  /**
   * Of each collection the revision of the change that set it last. Setting a collection to what it was has its schema read
   * again, which the configuration does not show to other instances.
   */
  readonly settings: Readonly<Record<string, number>>;
};

export const NOTHING_STORED: Persistent = {
  configuration: EMPTY_CONFIGURATION,
  maintenance: new Set(),
  settings: {},
};

/**
 * Reads the stored configuration; empty if none was ever stored.
 *
 * @param root the store directory, to which addresses of schemas in it may be relative
 * @throws ServiceError `config_invalid` for a record that contains what no configuration can contain
 */
export async function readPersistent(
  area: Pick<RecordStore, 'get'>,
  root: string,
  schemas: ConfigurationSchemas,
): Promise<Persistent> {
  const [stored, state] = [await area.get(CONFIGURATION_PID), await area.get(STATE_PID)];
  const { maintenance = [], settings = {} } = state ? (JSON.parse(state.json) as StateRecord) : {};
  return {
    configuration: stored
      ? withSchemas(configurationIn(stored.json, schemas), (schema) => openedAddress(root, schema))
      : EMPTY_CONFIGURATION,
    maintenance: new Set(maintenance),
    settings,
  };
}

type StateRecord = { readonly maintenance?: string[]; readonly settings?: Record<string, number> };

/**
 * The change that stores a configuration. Addresses of schemas in the store are relative to it, so that the store can be
 * moved.
 *
 * @param root the store directory if it has the database; instances of another database may have others
 */
export function configurationChange(configuration: Configuration, root?: string): Put {
  const { collections, tokens, admin_tokens, ...rest } = configuration;
  return putChange(CONFIGURATION_PID, CONFIGURATION_CLASS, {
    ...(withoutNulls(rest) as JsonObject),
    pid: CONFIGURATION_PID,
    collections: mapEntries(collections, (one) => textOf(one, root, storedCollection)),
    tokens: mapEntries(tokens, (one) => textOf(one, root, storedToken)),
    admin_tokens: mapEntries(admin_tokens, (one) => textOf(one, root, storedToken)),
  });
}

/** The texts of elements as they were stored first: an edit replaces one of them, and stores all. */
const texts = new WeakMap<object, { readonly root: string | undefined; readonly text: JsonText }>();

function textOf<Element extends object>(
  element: Element,
  root: string | undefined,
  stored: (element: Element, root: string | undefined) => object,
): JsonText {
  const kept = texts.get(element);
  if (kept && kept.root === root) return kept.text;
  const text = new JsonText(canonicalJson(stored(element, root) as JsonObject));
  texts.set(element, { root, text });
  return text;
}

function storedCollection({ [UNKNOWN]: unknown, ...config }: CollectionConfig, root: string | undefined) {
  const schema = root === undefined ? config.schema : storedAddress(root, config.schema);
  return withUnknown(
    withoutNulls({ ...config, schema } as unknown as JsonObject) as unknown as CollectionConfig,
    unknown,
  );
}

const storedToken = (token: object): object => withoutNulls(token as JsonObject) as object;

/** The change that stores the rest. */
export function stateChange({ maintenance, settings }: Persistent): Put {
  return putChange(STATE_PID, STATE_CLASS, {
    pid: STATE_PID,
    maintenance: [...maintenance].sort(),
    settings: { ...settings },
  });
}

/** The changes that store what follows another state. A record that stays as it is gets no entry in the history. */
export function changesBetween(former: Persistent, next: Persistent, root?: string): Change[] {
  const recordsOf = (one: Persistent) => [configurationChange(one.configuration, root), stateChange(one)];
  const before = recordsOf(former);
  return recordsOf(next).filter(({ put }, at) => put.json !== before[at]?.put.json);
}

/** Keeps in the transaction of a change which collections it sets: {@link requireUnset} finds it there. */
export function keepSettings(draft: Draft, { settings }: Persistent, former: Persistent): void {
  for (const [name, revision] of Object.entries(settings))
    if (entryOf(former.settings, name) !== revision) setCursor(draft, cursorOf(name), 0, [revision, '']);
}

/**
 * Requires that a collection was not set again since a setting, at the commit of the transaction: what it writes was
 * judged by the schema of then.
 *
 * @throws ServiceError `busy`
 */
export function requireUnset(draft: Draft, name: string, setting: number): Promise<void> {
  const message = `The collection '${name}' was configured differently meanwhile. Try again.`;
  return draft.refuseIf(LATER_SETTING, [cursorOf(name), setting], () => new ServiceError('busy', message));
}

/** The cursor of a collection, which is of no area. */
const cursorOf = (collection: string) => `collection ${collection}`;
const LATER_SETTING = 'SELECT revision FROM accession_cursor WHERE name = $1 AND area = 0 AND revision > $2';

export function withSchemas(
  configuration: Configuration,
  address: (schema: string) => string,
): Configuration {
  return {
    ...configuration,
    collections: mapEntries(configuration.collections, (collection) => ({
      ...collection,
      schema: address(collection.schema),
    })),
  };
}

/** A configuration with the schemas as they are named when it is stored and read again, to be compared with one that was. */
export function asReadAgain(configuration: Configuration, root: string): Configuration {
  return withSchemas(configuration, (schema) => openedAddress(root, storedAddress(root, schema)));
}

/** Whether an address of a schema is a path without a root. */
export const isRelative = (address: string): boolean => !hasScheme(address) && !isAbsolute(address);

const hasScheme = (address: string) => /^[a-z][a-z\d+.-]+:/i.test(address);

/**
 * The address of a schema as it is stored: relative to the store directory if it is in it, else absolute. A relative path in a
 * configuration starts at the working directory, and would otherwise only be found from there. One that is found nowhere is
 * kept as it is.
 */
export function storedAddress(root: string, schema: string): string {
  const path = schema.startsWith('file:') ? fileURLToPath(schema) : schema;
  if (hasScheme(path) || (isRelative(path) && !existsSync(path))) return schema;
  const within = relative(root, resolve(path));
  return within.startsWith('..') || isAbsolute(within) ? resolve(path) : within.split(sep).join('/');
}

/**
 * The address of a schema in a store of an earlier release, which named it by its absolute path. If no file is there, the store
 * was moved, and the file in it whose path ends alike is the schema.
 */
export function movedAddress(root: string, schema: string): string {
  const path = schema.startsWith('file:') ? fileURLToPath(schema) : schema;
  if (!isAbsolute(path) || existsSync(path)) return schema;
  const names = resolve(path).split(sep).slice(1);
  const ends = names.map((_, at) => join(root, ...names.slice(at)));
  return ends.find((end) => existsSync(end)) ?? schema;
}

/** The reverse of {@link storedAddress}. A relative path is one in the store, if there is such a file, else relative to the working directory. */
export function openedAddress(root: string, schema: string): string {
  if (!isRelative(schema)) return schema;
  const path = join(root, schema);
  return existsSync(path) || !existsSync(schema) ? path : schema;
}

/** @throws ServiceError `config_invalid` */
function configurationIn(json: string, schemas: ConfigurationSchemas): Configuration {
  try {
    const { pid: _, ...members } = withoutType(parseJson(json) as JsonObject);
    return parseStored(members, schemas);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    // Continuing without it would overwrite a configuration that can still be repaired.
    const message = `The stored configuration (${CONFIGURATION_AREA}) cannot be read: ${error.message}`;
    throw new ServiceError('config_invalid', message);
  }
}

function putChange(pid: string, className: string, record: object): Put {
  return { put: { pid, iri: pid, className, json: canonicalJson(record as JsonObject), links: '' } };
}

/** Keys that are not set have no place in a configuration. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}
