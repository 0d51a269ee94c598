/** Schemas whose text was sent: the store keeps a copy, named for its content, and the configuration has its path. */
import { hash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ServiceError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { PRIVATE_FOLDER } from './paths.ts';

const keptFolder = (root: string) => join(root, PRIVATE_FOLDER, 'schemas', 'switched');

/** Why a schema cannot be kept for a collection of several instances. */
export const OTHER_INSTANCES =
  'Other instances read the configuration, too: make the schema available at an address for all instances.';

/** Whether an address is that of a copy that {@link keepSchema} has made. */
export function isKeptSchema(root: string, address: string): boolean {
  return dirname(resolve(root, address)) === keptFolder(root);
}

/** Keeps the text of a schema in the store. @returns its address */
export async function keepSchema(root: string, name: string, text: string): Promise<string> {
  const folder = keptFolder(root);
  const digest = hash('sha256', text, 'hex').slice(0, 16);
  const path = join(folder, `${encodeURIComponent(name)}-${digest}.yaml`);
  await mkdir(folder, { recursive: true });
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, text, { flush: true });
  await rename(written, path);
  return path;
}

type KeepParts = {
  readonly root: string;
  readonly database: Pick<Database, 'dialect'>;
  readonly registry: {
    trySchema(
      trial: { readonly address: string; readonly text: string },
      vocabularies: undefined,
    ): Promise<unknown>;
  };
};

/**
 * Keeps the text of a schema for a collection that is still to be made.
 *
 * @returns the address to configure
 * @throws ServiceError `schema_invalid`, `precondition_failed` if other instances could not read it
 */
export async function keepNewSchema({ root, database, registry }: KeepParts, text: string): Promise<string> {
  if (database.dialect.name === 'postgresql') throw new ServiceError('precondition_failed', OTHER_INSTANCES);
  await registry.trySchema({ address: join(root, 'schema.yaml'), text }, undefined);
  return keepSchema(root, 'schema', text);
}
