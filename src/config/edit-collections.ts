/** What administrators may do to collections: each edit gives the next configuration, or says why there is none. */
import { modeNeedsZone } from '../access/modes.ts';
import { ServiceError } from '../errors.ts';
import { type CollectionConfig, type Configuration, entryOf } from './config.ts';
import { checkCollectionName } from './names.ts';
import type { Named } from './parse.ts';
import { confineDirectory } from './paths.ts';

/** Whether an element of the same name may be there already: `PUT` replaces it, `POST` does not. */
export type Placement = 'create' | 'create or replace';

/**
 * @param root the store directory, which no path of the collection may leave
 * @throws ServiceError `name_taken`, `name_reserved`, `payload_invalid`, `incoming_missing`, `path_outside_store`
 */
export function putCollection(
  current: Configuration,
  { name, ...config }: Named<CollectionConfig>,
  placement: Placement,
  root: string,
): Configuration {
  checkCollectionName(name);
  if (placement === 'create' && entryOf(current.collections, name)) {
    throw new ServiceError('name_taken', `The collection '${name}' already exists.`);
  }
  checkPlaces(config, root);
  if (config.incoming === null) checkNobodyWrites(current, name);
  return { ...current, collections: { ...current.collections, [name]: config } };
}

/** The data of the collection and the entries of tokens stay. @throws ServiceError `collection_unknown` */
export function removeCollection(current: Configuration, name: string): Configuration {
  collectionOf(current, name);
  const { [name]: _, ...collections } = current.collections;
  return { ...current, collections };
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
export function checkPlaces({ curated, incoming, audit_backends }: CollectionConfig, root: string): void {
  confineDirectory(root, curated, 'curated-path');
  if (incoming !== null) confineDirectory(root, incoming, 'incoming-path');
  for (const { path } of audit_backends) confineDirectory(root, path, 'audit-path');
}

/**
 * The places of a stored configuration that lie outside of the store, one sentence each, for the operator. They are
 * served nevertheless: the peer lets files name them, and its stores open in place.
 */
export function strayPlaces({ collections }: Configuration, root: string): string[] {
  return Object.entries(collections).flatMap(([name, config]) => {
    try {
      checkPlaces(config, root);
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
