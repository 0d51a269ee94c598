/**
 * Finds the collections that have areas: those of a configuration and, for areas that none of them has, the last ones that
 * had them, from the history of the configuration. A deleted collection leaves its areas in the database.
 */
import { dirname } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '#linkml/json.ts';
import {
  type CollectionConfig,
  type ConfigurationSchemas,
  type Entries,
  entryOf,
} from '../../../core/config/config.ts';
import { directoriesOfKeys } from '../../../core/config/key-directories.ts';
import { parseConfiguration } from '../../../core/config/parse.ts';
import { areaPath, linkedZones, locate } from '../../../core/config/paths.ts';
import { CONFIGURATION_AREA, CONFIGURATION_PID, openedAddress } from '../../../core/config/record.ts';
import { isServiceError } from '../../../core/errors.ts';
import type { Database } from '../../../core/storage/database.ts';
import { scanEntries } from '../../../core/storage/read/paging.ts';
import type { Reader } from '../../../core/storage/reader.ts';

/** The paths of a collection, as they are configured. */
type Paths = Pick<CollectionConfig, 'curated' | 'incoming'>;

/**
 * @param root the store directory
 * @returns the name of the collection that has an area; the first one if several share it
 * @throws ServiceError as {@link locate}
 */
export function ownersOf(root: string, collections: Entries<Paths>): (area: string) => string | undefined {
  return ownersBy(placesIn(root), collections);
}

/**
 * The last collection that had each area, as it was configured then.
 *
 * @param areas paths that no present collection has; one that no collection ever had is not in the result
 */
export async function formerOwners(
  database: Database,
  reader: Reader,
  store: StoreRoot,
  areas: readonly string[],
): Promise<Map<string, CollectionConfig>> {
  const found = new Map<string, CollectionConfig>();
  const configurations = areas.length > 0 ? await database.existingArea(CONFIGURATION_AREA) : undefined;
  if (!configurations) return found;
  const places = placesIn(store.root);
  const history = scanEntries(configurations.within(reader), {
    iris: [CONFIGURATION_PID],
    newestFirst: true,
  });
  for await (const { json } of history) {
    const collections = collectionsIn(json);
    const ownerOf = ownersBy(tolerant(places), collections);
    const opened = new Map<string, CollectionConfig | undefined>();
    for (const area of areas) {
      const name = found.has(area) ? undefined : ownerOf(area);
      if (name === undefined) continue;
      if (!opened.has(name)) opened.set(name, collectionOf(entryOf(collections, name)!, store));
      const config = opened.get(name);
      if (config) found.set(area, config);
    }
    if (found.size === areas.length) break;
  }
  return found;
}

type StoreRoot = { readonly root: string; readonly schemas: ConfigurationSchemas };

/** Where the areas of a collection are. */
type Places = {
  readonly curated: string | undefined;
  readonly incoming: string | undefined;
  /** Zones that are links to other directories of the store. */
  readonly linked: readonly string[];
};

/** Asks the file system once for each path: a history repeats them. */
function placesIn(root: string): (paths: Paths) => Places {
  const curatedAt = new Map<string, string>();
  const zonesAt = new Map<string, { readonly incoming: string; readonly linked: readonly string[] }>();
  return ({ curated, incoming }) => {
    if (!curatedAt.has(curated))
      curatedAt.set(curated, areaPath(root, locate(root, curated, 'curated-path')));
    if (incoming !== null && !zonesAt.has(incoming)) {
      const located = locate(root, incoming, 'incoming-path');
      const linked = linkedZones(root, located).map(([, target]) => areaPath(root, target));
      zonesAt.set(incoming, { incoming: areaPath(root, located), linked });
    }
    const zones = incoming === null ? undefined : zonesAt.get(incoming);
    return { curated: curatedAt.get(curated), incoming: zones?.incoming, linked: zones?.linked ?? [] };
  };
}

/** A former collection whose paths cannot be resolved any more has no areas. */
function tolerant(places: (paths: Paths) => Places): (paths: Paths) => Places {
  return (paths) => {
    try {
      return places(paths);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      return { curated: undefined, incoming: undefined, linked: [] };
    }
  };
}

function ownersBy(
  places: (paths: Paths) => Places,
  collections: Entries<Paths>,
): (area: string) => string | undefined {
  const curatedOf = new Map<string, string>();
  const zonesOf = new Map<string, string>();
  const linkedOf = new Map<string, string>();
  const note = (owners: Map<string, string>, path: string | undefined, name: string) => {
    if (path !== undefined && !owners.has(path)) owners.set(path, name);
  };
  for (const [name, paths] of Object.entries(collections)) {
    const { curated, incoming, linked } = places(paths);
    note(curatedOf, curated, name);
    note(zonesOf, incoming, name);
    for (const path of linked) note(linkedOf, path, name);
  }
  return (area) => curatedOf.get(area) ?? zonesOf.get(dirname(area)) ?? linkedOf.get(area);
}

type StoredCollection = Paths & { readonly config: JsonObject };

/** The collections of a stored configuration, of which only the paths are judged yet: a history has many. */
function collectionsIn(json: string | null): Entries<StoredCollection> {
  const record = json === null ? undefined : parseJson(json);
  const collections = isJsonObject(record) && isJsonObject(record.collections) ? record.collections : {};
  return Object.fromEntries(
    Object.entries(collections).flatMap(([name, config]) => {
      if (!isJsonObject(config) || typeof config.curated !== 'string') return [];
      const incoming = typeof config.incoming === 'string' ? config.incoming : null;
      return [[name, { curated: config.curated, incoming, config }]];
    }),
  );
}

/** What decides about the areas of a collection. Of the keys of modules, those do that name directories. */
const DECISIVE = ['schema', 'curated', 'incoming', 'backend'];

/** A collection as any release has stored it, with the address of its schema as it is opened; undefined if it cannot be used. */
function collectionOf(
  { config }: StoredCollection,
  { root, schemas }: StoreRoot,
): CollectionConfig | undefined {
  const keys = Object.keys(schemas.keys).filter((key) => schemas.keys[key]?.mapDirectories);
  const decisive = [...DECISIVE, ...keys].flatMap((key): [string, JsonValue][] =>
    config[key] === undefined ? [] : [[key, config[key]]],
  );
  const one = { default_token: '', ...Object.fromEntries(decisive) };
  try {
    const parsed = parseConfiguration({ type: 'collections', version: 2, collections: { one } }, schemas);
    const found = entryOf(parsed.collections, 'one')!;
    for (const { key, path } of directoriesOfKeys(found, schemas.keys)) locate(root, path, key);
    return { ...found, schema: openedAddress(root, found.schema) };
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}
