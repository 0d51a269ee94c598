/** The store of the configuration: the record directory in which the peer keeps its own, or an area of the database. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import { DEFAULT_BACKEND, type OpenOptions, openStore } from '../storage/backends.ts';
import type { RecordStore } from '../storage/store.ts';
import { PRIVATE_FOLDER } from './paths.ts';
import { CONFIGURATION_CLASSES } from './record.ts';

/** The area of the configuration, relative to the store directory. */
export const CONFIGURATION_AREA = `${PRIVATE_FOLDER}/config_store`;

const NAMING = {
  expand: (pid: string) => pid,
  schemaTypeOf: (className: string) => (CONFIGURATION_CLASSES.includes(className) ? className : undefined),
};

/**
 * Opens it for reading, in a store that another process owns.
 *
 * @throws ServiceError `config_invalid` if there is none
 */
export async function followConfigurationStore(root: string, log: OpenOptions['log']): Promise<RecordStore> {
  const store = await openStore(DEFAULT_BACKEND, join(root, CONFIGURATION_AREA), {
    ...NAMING,
    follow: true,
    log,
  });
  if (store.followed !== 'missing') return store;
  throw new ServiceError(
    'config_invalid',
    `The store ${root} has no configuration to follow: start the service that owns it first.`,
  );
}

/**
 * Opens it, and creates it if it is missing. It contains secrets, so only its owner can read a folder created here.
 *
 * @param root the store directory
 * @param postgresql the database of the service, if it has one
 * @throws ServiceError `storage_failed`
 */
export async function openConfigurationStore(
  root: string,
  log: OpenOptions['log'],
  postgresql?: OpenOptions['postgresql'],
): Promise<RecordStore> {
  const directory = join(root, CONFIGURATION_AREA);
  if (postgresql) return openStore({ type: 'postgresql+stl' }, directory, { ...NAMING, postgresql, log });
  mkdirSync(join(root, PRIVATE_FOLDER), { recursive: true, mode: 0o700 });
  return openStore(DEFAULT_BACKEND, directory, { ...NAMING, peerIndex: true, log });
}
