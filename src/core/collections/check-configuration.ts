/** Looks at the configuration that a service starts with: warns of what is odd, and refuses an empty one that no token may change. */
import type { Logger } from 'pino';
import {
  type Configuration,
  type ConfigurationKeys,
  isEmptyConfiguration,
  UNKNOWN,
} from '../config/config.ts';
import { strayPlaces, unrestrictedNames } from '../config/edit-collections.ts';
import { tokensWithoutZone } from '../config/edit-tokens.ts';
import { refusedNames } from '../config/names.ts';
import { ServiceError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { type SettingKeys, unknownSettings } from './settings.ts';

/** Warns of what is odd about the configuration. @throws ServiceError `admin_token_missing` if it is empty */
export function checkConfiguration(
  configuration: Configuration,
  options: {
    /** The store directory. */
    readonly root: string;
    /** Those of modules in the configuration of a collection. */
    readonly keys: ConfigurationKeys;
    /** SHA-256 of the admin token that the command line names. */
    readonly bootstrap: string | undefined;
    readonly log: Logger;
  },
): void {
  const { root, keys, bootstrap, log } = options;
  const oddities = [
    ...refusedNames(configuration),
    ...strayPlaces(configuration, root, keys),
    ...unrestrictedNames(configuration, root, keys),
    ...tokensWithoutZone(configuration),
  ];
  for (const oddity of oddities) log.warn(oddity);
  if (Object.keys(configuration.admin_tokens).length === 0 && bootstrap === undefined)
    log.warn('there is no admin token, so the configuration cannot be changed: see --admin-token-hash');
  if (isEmptyConfiguration(configuration) && bootstrap === undefined) throw adminTokenMissing();
}

/** Warns of keys that are kept for modules which this process does not have. */
export async function noteUnknownKeys(
  configuration: Configuration,
  options: {
    readonly database: Database;
    /** Those of modules in the settings of a collection. */
    readonly keys: SettingKeys;
    readonly log: Logger;
  },
): Promise<void> {
  const { database, keys: known, log } = options;
  for (const [collection, config] of Object.entries(configuration.collections)) {
    const keys = Object.keys(config[UNKNOWN] ?? {});
    if (keys.length > 0)
      log.warn({ collection, keys }, 'the configuration has keys of absent modules, they are kept');
  }
  for (const [collection, keys] of await unknownSettings(database, known))
    log.warn({ collection, keys }, 'the settings have keys of absent modules, they are kept');
}

function adminTokenMissing(): ServiceError {
  return new ServiceError(
    'admin_token_missing',
    'The configuration is empty, so an admin token is needed: give its hash with --admin-token-hash, or the token ' +
      'itself in the environment variable ACCESSION_ADMIN_TOKEN.',
  );
}
