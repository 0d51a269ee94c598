/** Opens a store for commands that run without a service, whether it is a directory or a database. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TokenDirectory } from '../core/access/config-tokens.ts';
import { NO_ADOPTION } from '../core/collections/adoption.ts';
import { Schemas } from '../core/collections/schemas.ts';
import { termsOf } from '../core/collections/terms.ts';
import { Overlays, Zones } from '../core/collections/zones.ts';
import type { Configuration } from '../core/config/config.ts';
import { areaPath, locate } from '../core/config/paths.ts';
import { CONFIGURATION_AREA, readPersistent } from '../core/config/record.ts';
import { initialConfiguration } from '../core/config/startup.ts';
import {
  DATABASE_FILE,
  movedStore,
  requireDatabase,
  storeDirectory,
} from '../core/config/store-directory.ts';
import { ServiceError } from '../core/errors.ts';
import type { Database } from '../core/storage/database.ts';
import { SILENT_LOG } from '../core/storage/log.ts';
import { openPostgresqlDatabase } from '../core/storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../core/storage/sqlite/sqlite.ts';
import type { RecordStore } from '../core/storage/store.ts';
import { moduleMeta, requireTables, type TablesOfModules } from '../core/storage/tables.ts';
import { configurationSchemas } from './configuration-schemas.ts';
import { MODULES } from './modules.ts';
import type { OpenStore, StoreArea } from './opened-store.ts';
import { complain } from './outcome.ts';

/** Whether a store is in a database: a URL of PostgreSQL. */
export const isDatabaseUrl = (store: string) => /^postgres(ql)?:\/\//.test(store);

/**
 * @param place a directory or the URL of a database
 * @param beside whether the command also writes, beside a service that may run: only what the service keeps nothing of
 * @param foreign whether the directory may have a store of another program: then its records are read into a database in a temporary
 *   directory, and the store stays as it is
 * @throws ServiceError `config_invalid` if there is no store
 */
export async function openStore(place: string, { beside = false, foreign = false } = {}): Promise<OpenStore> {
  const isDirectory = !isDatabaseUrl(place);
  const isForeign = foreign && isDirectory && !existsSync(join(place, DATABASE_FILE));
  const temporary =
    isForeign || !isDirectory ? realpathSync(mkdtempSync(join(tmpdir(), 'accession-'))) : undefined;
  const root = isForeign ? storeDirectory(place) : (temporary ?? ownDirectory(place));
  const readOnly = !beside;
  let database: Database | undefined;
  const close = async () => {
    await database?.close();
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  };
  try {
    const file = join(isForeign ? temporary! : root, DATABASE_FILE);
    if (isForeign) await readForeign(root, file);
    const opened = isDirectory
      ? await openSqliteDatabase(file, { readOnly, beside })
      : await openPostgresqlDatabase(place, { leads: false, readOnly });
    database = opened;
    const stored = await opened.existingArea(CONFIGURATION_AREA);
    if (!stored)
      throw new ServiceError('config_invalid', `${isDirectory ? place : 'The database'} contains no store.`);
    requireTables(await tablesOfCommands(), await moduleMeta(opened));
    const schemas = await configurationSchemas();
    const { configuration } = await readPersistent(stored, root, schemas);
    return {
      root,
      database: opened,
      configuration,
      configurationSchemas: schemas,
      logs: async () => MODULES.find(({ logs }) => logs)?.logs?.(),
      areas: () => areasOf(opened, configuration, root),
      schemas(given) {
        const open = new Schemas(root, SILENT_LOG, new Map(), { keep: false }).reading();
        const openTerms = MODULES.find(({ storedTerms }) => storedTerms)?.storedTerms?.(opened);
        return async (config) =>
          open(config.schema, { ...(await (await openTerms)?.(termsOf(config))), ...given });
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reads the store of another program in a directory into the database of a file elsewhere, without its histories. */
async function readForeign(root: string, file: string): Promise<void> {
  const adoption = (await MODULES.find((one) => one.adoption)?.adoption?.()) ?? NO_ADOPTION;
  const schemas = await configurationSchemas();
  const adopted = await adoption.intoSqlite(file, {
    root,
    log: SILENT_LOG,
    configurationSchemas: schemas,
    initial: () => initialConfiguration({ root, schemas }),
    schemas: new Schemas(root, SILENT_LOG, undefined, { keep: false }),
  });
  // There is none of another program either.
  if (!adopted) ownDirectory(root);
  const complete = await openSqliteDatabase(file, { tables: await tablesOfCommands() });
  await complete.close();
}

/** The tables of modules that commands read. */
async function tablesOfCommands(): Promise<TablesOfModules> {
  const ofModules = MODULES.map(async ({ name, tables }) => tables && ([name, await tables()] as const));
  return Object.fromEntries((await Promise.all(ofModules)).filter((one) => one !== undefined));
}

export async function configurationOf(place: string): Promise<Configuration> {
  await using store = await openStore(place);
  return store.configuration;
}

async function areasOf(
  database: Database,
  { collections }: Configuration,
  root: string,
): Promise<StoreArea[]> {
  const found = new Map<string, StoreArea>();
  for (const [collection, config] of Object.entries(collections)) {
    const curatedDirectory = locate(root, config.curated, 'curated-path');
    const curated = await database.existingArea(areaPath(root, curatedDirectory));
    const add = (area: string, store: RecordStore, directory: string) => {
      // Collections may share areas, and a zone may be the curated area.
      if (!found.has(store.area.path))
        found.set(store.area.path, { collection, config, area, store, directory });
    };
    if (curated) add('curated', curated, curatedDirectory);
    if (config.incoming === null || !curated) continue;
    const incoming = locate(root, config.incoming, 'incoming-path');
    const zones = new Zones({
      database,
      root,
      incoming,
      curated,
      collection,
      overlays: new Overlays(),
      tokens: new TokenDirectory(),
    });
    for (const label of await zones.labels()) {
      const zone = await zones.existing(label);
      if (zone) add(`incoming/${label}`, zone.store, join(incoming, label));
    }
  }
  return [...found.values()];
}

/**
 * The directory of a store that has its database there.
 *
 * @throws ServiceError `config_invalid` for a directory without one, `storage_failed` for a store that has lost it
 */
export function ownDirectory(path: string): string {
  if (isDatabaseUrl(path)) {
    const message = `expected a store directory, found the URL of a database. See docs/how-to/back-up.md.`;
    throw new ServiceError('config_invalid', message);
  }
  const root = storeDirectory(path);
  requireDatabase(root);
  const moved = movedStore(root);
  if (moved !== undefined) complain(moved);
  if (existsSync(join(root, DATABASE_FILE))) return root;
  throw new ServiceError(
    'config_invalid',
    `The directory ${path} has no ${DATABASE_FILE}: run "accession serve ${path}" once, which creates it, also from a store of ` +
      'dump-things-service or of an earlier release.',
  );
}
