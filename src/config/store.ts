/** The store of the configuration: the record directory in which the peer keeps its own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_BACKEND, openStore, type StoreOptions } from '../storage/backends.ts';
import type { RecordStore } from '../storage/store.ts';
import { PRIVATE_FOLDER } from './paths.ts';
import { CONFIGURATION_CLASSES } from './record.ts';

/**
 * Opens it, and creates it if it is missing. It contains secrets, so only its owner can read a folder created here.
 *
 * @param root the store directory
 * @throws ServiceError `storage_failed`
 */
export async function openConfigurationStore(root: string, log: StoreOptions['log']): Promise<RecordStore> {
  mkdirSync(join(root, PRIVATE_FOLDER), { recursive: true, mode: 0o700 });
  return openStore(DEFAULT_BACKEND, join(root, PRIVATE_FOLDER, 'config_store'), {
    expand: (pid) => pid,
    schemaTypeOf: (className) => (CONFIGURATION_CLASSES.includes(className) ? className : undefined),
    peerIndex: true,
    log,
  });
}
