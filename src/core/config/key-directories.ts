/** The directories of the store that keys of modules name in the configuration of a collection. */
import type { CollectionConfig, ConfigurationKeys } from './config.ts';

/** Returns the keys that name directories, with others in place of these. */
export function mapDirectories(
  config: CollectionConfig,
  keys: ConfigurationKeys,
  map: (path: string, key: string) => string,
): Partial<CollectionConfig> {
  const values: Readonly<Record<string, unknown>> = config;
  const mapped = Object.entries(keys).flatMap(([key, { mapDirectories }]) =>
    mapDirectories && Object.hasOwn(values, key)
      ? [[key, mapDirectories(values[key], (path) => map(path, key))]]
      : [],
  );
  return Object.fromEntries(mapped);
}

type KeyDirectory = { readonly key: string; readonly path: string };

/** Returns the directories that keys name, as they are configured. */
export function directoriesOfKeys(config: CollectionConfig, keys: ConfigurationKeys): KeyDirectory[] {
  const found: KeyDirectory[] = [];
  mapDirectories(config, keys, (path, key) => {
    found.push({ key, path });
    return path;
  });
  return found;
}
