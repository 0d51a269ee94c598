/** Edits of collections by administrators: each edit returns the next configuration, or throws the reason. */
import { modeNeedsZone } from '../access/modes.ts';
import { ServiceError } from '../errors.ts';
import { haveSameForm } from './backends.ts';
import {
  type CollectionConfig,
  type Configuration,
  type ConfigurationKeys,
  type ConfigurationSchemas,
  entryOf,
  mapEntries,
  UNKNOWN,
} from './config.ts';
import { directoriesOfKeys } from './key-directories.ts';
import { checkCollectionName } from './names.ts';
import type { WithName } from './parse.ts';
import { confineDirectory, isBelow, locate } from './paths.ts';
import { hasPolicies } from './policies.ts';

/** Whether an element of the same name may be there already: `PUT` replaces it, `POST` does not. */
export type Placement = 'create' | 'create or replace';

/**
 * @param root the store directory, which no path of the collection may leave
 * @throws ServiceError `name_taken`, `name_reserved`, `payload_invalid`, `incoming_missing`, `path_outside_store`
 */
export function putCollection(
  current: Configuration,
  { name, ...config }: WithName<CollectionConfig>,
  placement: Placement,
  { root, schemas }: { readonly root: string; readonly schemas: ConfigurationSchemas },
): Configuration {
  checkCollectionName(name);
  if (placement === 'create' && entryOf(current.collections, name)) {
    throw new ServiceError('name_taken', `The collection '${name}' already exists.`);
  }
  checkPlaces(config, root, schemas.keys);
  checkApart(current, name, config, { root, keys: schemas.keys });
  if (config.incoming === null) checkNobodyWrites(current, name);
  const former = entryOf(current.collections, name);
  const unknown = former?.[UNKNOWN];
  const replaced = withFormer(config, former, schemas.keys);
  const next = { ...replaced, ...(unknown && { [UNKNOWN]: unknown }) };
  return { ...current, collections: { ...current.collections, [name]: next } };
}

/** A configuration in which the values of modules keep of the former ones what they have to. */
function withFormer(
  config: CollectionConfig,
  former: CollectionConfig | undefined,
  keys: ConfigurationKeys,
): CollectionConfig {
  const values: Readonly<Record<string, unknown>> = config;
  const before: Readonly<Record<string, unknown>> = former ?? {};
  const replaced = Object.entries(keys).flatMap(([key, { replace }]) =>
    replace && Object.hasOwn(values, key) ? [[key, replace(values[key], before[key])]] : [],
  );
  return { ...config, ...Object.fromEntries(replaced) };
}

/** The data of the collection and the entries of tokens stay. @throws ServiceError `collection_unknown` */
export function removeCollection(current: Configuration, name: string): Configuration {
  collectionOf(current, name);
  const { [name]: _, ...collections } = current.collections;
  return { ...current, collections };
}

/** The names of the tokens that have permissions in a collection. They reach a later collection of the same name. */
export function tokensOf({ tokens }: Configuration, collection: string): string[] {
  return Object.entries(tokens).flatMap(([name, token]) =>
    Object.hasOwn(token.collections, collection) ? [name] : [],
  );
}

/** Takes the permissions in a collection from all tokens. */
export function revokeTokens(current: Configuration, collection: string): Configuration {
  const tokens = mapEntries(current.tokens, (token) => {
    const { [collection]: _, ...collections } = token.collections;
    return { ...token, collections };
  });
  return { ...current, tokens };
}

/** @throws ServiceError `collection_unknown` */
export function collectionOf({ collections }: Configuration, name: string): CollectionConfig {
  const config = entryOf(collections, name);
  if (!config) throw new ServiceError('collection_unknown', `The collection '${name}' does not exist.`);
  return config;
}

/**
 * Every path of a collection is below the store, and is a directory or does not exist yet.
 *
 * @throws ServiceError `path_outside_store`, `path_not_directory`
 */
export function checkPlaces(config: CollectionConfig, root: string, keys: ConfigurationKeys): void {
  const { curated, incoming } = config;
  confineDirectory(root, curated, 'curated-path');
  if (incoming !== null) confineDirectory(root, incoming, 'incoming-path');
  for (const { key, path } of directoriesOfKeys(config, keys)) confineDirectory(root, path, key);
}

/**
 * No area is in an area of another collection or in a directory that a key of a module names there, where the other one would
 * find files that are not its own. Collections may share a directory: then they have the same records, under the same schema, in the
 * same form, and with policies if one of them has some. Stores of the peer have other pairs: those stay.
 *
 * @throws ServiceError `payload_invalid`
 */
function checkApart(
  { collections }: Configuration,
  name: string,
  config: CollectionConfig,
  store: StorePlaces,
): void {
  const own = placesOf(config, store);
  const former = entryOf(collections, name);
  for (const [other, otherConfig] of Object.entries(collections)) {
    if (other === name) continue;
    // A pair that shares already may have to change, one after the other.
    const mayDiffer = former?.curated === config.curated && former.incoming === config.incoming;
    for (const theirs of placesOf(otherConfig, store)) {
      for (const ours of own) {
        const problem = clash(ours, theirs) ?? clash(theirs, ours);
        if (problem)
          throw overlap(
            ours,
            `${ours.what} ${JSON.stringify(ours.path)} and ${theirs.what} of the collection '${other}': ${problem}.`,
          );
        if (!isArea(ours) || ours.real !== theirs.real) continue;
        const isCurated = ours.what === 'curated';
        const difference =
          (mayDiffer ? undefined : differenceOf(config, otherConfig, isCurated)) ??
          (isCurated ? disclosure(config, otherConfig, mayDiffer ? former : undefined) : undefined);
        if (difference)
          throw overlap(
            ours,
            `the directory ${JSON.stringify(ours.path)} is the ${ours.what === 'curated' ? 'curated area' : 'incoming area'} of the collection '${other}', ${difference}`,
          );
      }
    }
  }
}

/** Why a collection cannot share an area with another one, as a clause; undefined if it can. */
function differenceOf(
  config: CollectionConfig,
  other: CollectionConfig,
  isCurated: boolean,
): string | undefined {
  const isAnother = 'name another directory, or the same';
  if (isCurated && config.schema !== other.schema)
    return `whose schema is ${JSON.stringify(other.schema)}: ${isAnother} schema`;
  if (!haveSameForm(config.backend, other.backend))
    return `whose backend is ${JSON.stringify(other.backend)}: ${isAnother} backend`;
  return undefined;
}

/**
 * Why one of two collections with the same curated area would show what the policies of the other one hide, as a clause; undefined if
 * neither does.
 *
 * @param former the collection before, if both share the area already: then policies may be added to one after the other, not removed
 */
function disclosure(
  config: CollectionConfig,
  other: CollectionConfig,
  former: CollectionConfig | undefined,
): string | undefined {
  if (hasPolicies(config) === hasPolicies(other) || (former && !hasPolicies(former))) return undefined;
  if (hasPolicies(other))
    return 'whose policies hide records that this collection would show: name another directory, or policies';
  return former
    ? undefined
    : 'which would show records that the policies of this collection hide: name another directory, or give that collection policies first';
}

function overlap({ what }: PlaceOf, msg: string): ServiceError {
  return new ServiceError('payload_invalid', msg, [{ type: 'paths_overlap', loc: ['body', what], msg }]);
}

type StorePlaces = { readonly root: string; readonly keys: ConfigurationKeys };

type PlaceOf = {
  /** The key that names it. */
  readonly what: string;
  readonly path: string;
  readonly real: string;
};

const isArea = ({ what }: PlaceOf) => what === 'curated' || what === 'incoming';

/** The places of configurations, as they were found first: each that is set is compared with all others, and links are followed on the disk. */
const known = new WeakMap<CollectionConfig, StorePlaces & { readonly places: readonly PlaceOf[] }>();

function placesOf(config: CollectionConfig, { root, keys }: StorePlaces): readonly PlaceOf[] {
  const kept = known.get(config);
  if (kept?.root === root && kept.keys === keys) return kept.places;
  const places = locatedPlaces(config, { root, keys });
  known.set(config, { root, keys, places });
  return places;
}

function locatedPlaces(config: CollectionConfig, { root, keys }: StorePlaces): PlaceOf[] {
  const { curated, incoming } = config;
  const place = (what: string, path: string): PlaceOf[] => {
    try {
      return [{ what, path, real: locate(root, path, what) }];
    } catch {
      // That of another collection, which is reported to the operator.
      return [];
    }
  };
  return [
    ...place('curated', curated),
    ...(incoming === null ? [] : place('incoming', incoming)),
    ...directoriesOfKeys(config, keys).flatMap(({ key, path }) => place(key, path)),
  ];
}

/** Explains that one of two collections has a place inside a place of the other; undefined if that is not so. */
function clash(outer: PlaceOf, inner: PlaceOf): string | undefined {
  const isSame = outer.real === inner.real;
  if (!isSame && !isBelow(outer.real, inner.real)) return undefined;
  // Collections share a directory as the same kind of area; whether they share another one, its module decides.
  if (isSame && outer.what === inner.what) return undefined;
  if (!isArea(outer)) return `one of ${outer.what} cannot contain another directory of the service`;
  if (outer.what === 'curated') return 'a curated area cannot contain another directory of the service';
  return inner.what === 'curated' ? 'the curated area would be an incoming zone' : undefined;
}

/** The collections of a stored configuration that show what the policies of another one hide, one sentence each. */
export function unrestrictedNames(
  { collections }: Configuration,
  root: string,
  keys: ConfigurationKeys,
): string[] {
  const all = Object.entries(collections).map(([name, config]) => ({
    name,
    config,
    real: placesOf(config, { root, keys }).find(({ what }) => what === 'curated')?.real,
  }));
  return all.flatMap(({ name, config, real }) => {
    if (hasPolicies(config) || real === undefined) return [];
    const restricted = all.find((other) => other.real === real && hasPolicies(other.config));
    return restricted
      ? [`collection '${name}': it has no policies, and shows what those of '${restricted.name}' hide`]
      : [];
  });
}

/**
 * The places of a stored configuration that lie outside of the store, one sentence each, for the operator. They are
 * served nevertheless: the peer lets files name them, and its stores open in place.
 */
export function strayPlaces({ collections }: Configuration, root: string, keys: ConfigurationKeys): string[] {
  return Object.entries(collections).flatMap(([name, config]) => {
    try {
      checkPlaces(config, root, keys);
      return [];
    } catch (error) {
      return `collection '${name}': ${(error as Error).message}`;
    }
  });
}

function checkNobodyWrites({ tokens }: Configuration, collection: string): void {
  for (const [name, token] of Object.entries(tokens)) {
    const mode = entryOf(token.collections, collection)?.mode;
    if (mode === undefined || !modeNeedsZone(mode)) continue;
    const why = `the token '${name}' may write to it (${mode})`;
    throw new ServiceError(
      'incoming_missing',
      `The collection '${collection}' requires an \`incoming\` path: ${why}.`,
    );
  }
}
