/**
 * `accession serve --read-only`: a store is followed, beside the service that owns it; a folder of records becomes a
 * collection that everyone on the machine may read.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { readNote } from '../../core/config/notes.ts';
import { CONFIGURATION_AREA } from '../../core/config/record.ts';
import { DATABASE_FILE } from '../../core/config/store-directory.ts';
import { describedSchema } from '../offline/source-files.ts';
import { UsageError } from '../outcome.ts';

/** A temporary store for a folder while the service runs. */
type FolderStore = {
  readonly store: string;
  readonly configFile: string;
  remove(): void;
};

/** Whether a directory is a store that has a configuration. */
export function hasConfiguration(directory: string | undefined): boolean {
  if (directory === undefined) return false;
  return [DATABASE_FILE, CONFIGURATION_AREA].some((name) => existsSync(join(directory, name)));
}

/** Options that decide how a store is written, or where its configuration is. */
export type OwnerOptions = {
  readonly config?: string;
  readonly keepEntries?: number;
  readonly schema?: string;
  readonly databaseUrl?: string;
};

/** @throws UsageError for an option that only the service that owns a store follows, and for a store in a database */
export function refuseOwnerOptions(
  store: string,
  { config, keepEntries, schema, databaseUrl }: OwnerOptions,
): void {
  const ownerOptions = { config, 'keep-entries': keepEntries, schema, 'database-url': databaseUrl };
  const [name] = Object.entries(ownerOptions).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined)
    throw new UsageError(`--${name} is for the service that owns the store, and not for --read-only.`);
  if (readNote(store, 'database') === undefined) return;
  throw new UsageError(
    `The configuration of ${store} is in a database: start another service on the database instead of --read-only.`,
  );
}

/** Names that collections may have, made from the name of a folder. */
const NOT_IN_NAMES = /[^\p{L}\p{N}_-]+/gu;

/**
 * Copies the records of a folder into a temporary store, whose default token may read them. The folder itself is left as it
 * is: a service keeps an index beside records, and that belongs to no checkout.
 *
 * @throws UsageError if no schema is known
 */
export function storeOfFolder(place: string | undefined, address: string | undefined): FolderStore {
  if (place === undefined) throw new UsageError('Expected a store or a folder of records.');
  const folder = resolve(place);
  const schema = address ?? describedSchema(folder);
  if (!existsSync(folder)) throw new UsageError(`The folder ${folder} does not exist.`);
  if (schema === undefined) {
    throw new UsageError(
      `${folder}: no schema is known. Use --schema, or a .dumpthings.yaml that names one.`,
    );
  }
  const name =
    basename(folder)
      .replaceAll(NOT_IN_NAMES, '-')
      .replace(/^-+|-+$/g, '') || 'records';
  const store = mkdtempSync(join(tmpdir(), 'accession-folder-'));
  const configFile = join(store, 'config.yaml');
  const curated = join(store, 'records', 'curated');
  mkdirSync(curated, { recursive: true });
  cpSync(folder, curated, {
    recursive: true,
    filter: (path) => path === folder || !/^\.(?!$)|^node_modules$/.test(basename(path)),
  });
  const configuration = {
    type: 'collections',
    version: 2,
    collections: {
      [name]: {
        schema: /^(?:https?|file):/i.test(schema) ? schema : resolve(schema),
        default_token: 'everybody',
        curated: 'records/curated',
        backend: { type: 'record_dir+stl' },
      },
    },
    tokens: { everybody: { user_id: 'everybody', collections: { [name]: { mode: 'READ_CURATED' } } } },
  };
  writeFileSync(configFile, JSON.stringify(configuration));
  return { store, configFile, remove: () => rmSync(store, { recursive: true, force: true }) };
}
