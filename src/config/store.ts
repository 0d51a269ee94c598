/** The store of the configuration: the record directory in which the peer keeps its own, or an area of the database. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_BACKEND, type OpenOptions, openStore } from '../storage/backends.ts';
import type { RecordStore } from '../storage/store.ts';
import { PRIVATE_FOLDER } from './paths.ts';
import { CONFIGURATION_CLASSES } from './record.ts';

/** The area of the configuration, relative to the store directory. */
export const CONFIGURATION_AREA = `${PRIVATE_FOLDER}/config_store`;

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
  const naming = {
    expand: (pid: string) => pid,
    schemaTypeOf: (className: string) => (CONFIGURATION_CLASSES.includes(className) ? className : undefined),
  };
  if (postgresql) return openStore({ type: 'postgresql+stl' }, directory, { ...naming, postgresql, log });
  mkdirSync(join(root, PRIVATE_FOLDER), { recursive: true, mode: 0o700 });
  return openStore(DEFAULT_BACKEND, directory, { ...naming, peerIndex: true, log });
}
