/**
 * Adopts a store of the peer (releases 6.3 to 6.6), of version 1 of its configuration, or of Accession 0.1 and 0.2, once:
 * configuration, tokens, the records of all areas, and the audit log as entries. The files that are read stay as they are.
 *
 * With SQLite, the database gets its name when it is complete; with PostgreSQL, the row `adopting` is removed. Until then,
 * the next call goes on where this one was interrupted.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import type { Adoption, AdoptOptions, StoreAdoption } from '../../../core/collections/adoption.ts';
import { BACKENDS, mappingOf } from '../../../core/config/backends.ts';
import {
  type CollectionConfig,
  type Configuration,
  type ConfigurationSchemas,
  isEmptyConfiguration,
  mapEntries,
} from '../../../core/config/config.ts';
import { locate } from '../../../core/config/paths.ts';
import {
  CONFIGURATION_AREA,
  configurationChange,
  movedAddress,
  stateChange,
  withSchemas,
} from '../../../core/config/record.ts';
import { BY_SERVICE } from '../../../core/config/state.ts';
import { EVERY } from '../../../core/durations.ts';
import { isServiceError, ServiceError } from '../../../core/errors.ts';
import { recordDirConflict } from '../../../core/formats/directory-config.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import { cursorVersions, removeCursors } from '../../../core/storage/cursors.ts';
import type { Database } from '../../../core/storage/database.ts';
import { Loader } from '../../../core/storage/load.ts';
import type { StoreLog } from '../../../core/storage/log.ts';
import { readMeta, removeMeta, setMeta } from '../../../core/storage/meta.ts';
import { hasAreas, storedAreas } from '../../../core/storage/read/areas.ts';
import { takeLock } from '../../../core/storage/sqlite/lock.ts';
import { openSqliteDatabase } from '../../../core/storage/sqlite/sqlite.ts';
import type { RecordStore } from '../../../core/storage/store.ts';
import { areasOf, directoriesOf } from '../collection-areas.ts';
import {
  FORMER_STATE,
  PEER_CONFIGURATION,
  readPeerConfiguration,
  type TakenConfiguration,
} from '../configuration.ts';
import { flushIfThere } from '../mirror/disk.ts';
import { countFaults, NOTE_REPEATED, removeRows, storedFaults } from '../mirror/file-table.ts';
import { TABLES } from '../tables.ts';
import { type AdoptAreaOptions, type AreaToAdopt, adoptArea, isFresh, loadAreas } from './adopt-area.ts';
import { ADOPTION, DONE } from './adoption-sinks.ts';
import { hasBothForms, requireNothingHidden } from './hidden-records.ts';

/** The row that says when an adoption has begun, in microseconds since 1970. */
const ADOPTING = 'adopting';
/** Faults that are logged one by one. */
const FAULTS_LOGGED = 100;

export const adoption: StoreAdoption = {
  isDue: holdsStore,
  intoSqlite: adoptIntoSqlite,
  intoPostgresql: adoptIntoPostgresql,
};

export async function adoptIntoSqlite(file: string, options: AdoptOptions): Promise<Adoption | undefined> {
  if (existsSync(file) || !holdsStore(options)) return undefined;
  const lock = takeLock(`${file}.lock`, `The database ${file}`);
  const draft = `${file}.adopting`;
  try {
    if (!(await inSqlite(draft, isComplete))) await makeDraft(draft, options);
    const adoption = await inSqlite(draft, (database) => summaryOf(database, options));
    settle(draft);
    renameSync(draft, file);
    await flushIfThere(dirname(file));
    return adoption;
  } finally {
    lock.release();
  }
}

async function makeDraft(draft: string, options: AdoptOptions): Promise<void> {
  const taken = await inSqlite(draft, (database) => begin(database, options));
  const { areas, adoptOptions } = await planOf(taken, options);
  const fresh = [];
  for (const area of areas) if (!taken.adopted.has(area.path) && (await isFresh(area))) fresh.push(area);
  if (fresh.length > 0) {
    const loader = new Loader(draft, { tables: TABLES, repeated: NOTE_REPEATED });
    try {
      await loadAreas(loader, fresh, adoptOptions);
    } finally {
      loader.close();
    }
  }
  await inSqlite(draft, (database) => finish(database, taken, areas, adoptOptions, options));
}

export async function adoptIntoPostgresql(
  database: Database,
  options: AdoptOptions,
): Promise<Adoption | undefined> {
  for (;;) {
    const isBegun = (await readMeta(database, ADOPTING)) !== undefined;
    if (!isBegun && ((await isComplete(database)) || !holdsStore(options))) return undefined;
    if (database.leadership.held) break;
    await pause(EVERY.adoption);
  }
  const taken = await begin(database, options);
  const { areas, adoptOptions } = await planOf(taken, options);
  await finish(database, taken, areas, adoptOptions, options);
  return summaryOf(database, options);
}

/** Whether the directory has a configuration, or areas of the one that is given. */
function holdsStore({ root, initial }: AdoptOptions): boolean {
  if (existsSync(join(root, CONFIGURATION_AREA))) return true;
  return Object.values(initial().collections).some((collection) =>
    directoriesOf(root, collection).some((directory) => existsSync(directory)),
  );
}

/** Whether nothing is left to adopt in a database that has something. */
async function isComplete(database: Database): Promise<boolean> {
  if ((await readMeta(database, ADOPTING)) !== undefined) return false;
  return hasAreas(database);
}

async function inSqlite<T>(draft: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openSqliteDatabase(draft, { loading: true, tables: TABLES });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

type Taken = TakenConfiguration & {
  readonly begun: number;
  /** The areas that were adopted before an interruption. */
  readonly adopted: ReadonlySet<string>;
};

/** Adopts the configuration with its log. */
async function begin(
  database: Database,
  { root, initial, log, logs, configurationSchemas: schemas }: AdoptOptions,
): Promise<Taken> {
  await database.transact(async (draft) => {
    if ((await readMeta(draft, ADOPTING)) === undefined) setMeta(draft, ADOPTING, String(Date.now() * 1000));
  });
  const begun = Number(await readMeta(database, ADOPTING));
  const adopted = await adoptedAreas(database);
  const directory = join(root, CONFIGURATION_AREA);
  const found = (configuration: Configuration) =>
    withSchemas(configuration, (schema) => foundSchema(root, schema, log));
  if (!existsSync(directory))
    return { configuration: found(initial()), maintenance: new Set(), begun, adopted };
  const classes: readonly string[] = [PEER_CONFIGURATION.className, FORMER_STATE.className];
  const identity = (name: string) => (classes.includes(name) ? name : undefined);
  const area: AreaToAdopt = {
    path: CONFIGURATION_AREA,
    directory,
    files: true,
    typed: true,
    naming: { expand: (pid) => pid, schemaTypeOf: identity, classOfSchemaType: identity },
    logs: logs ? [logs.ofConfiguration(root)] : [],
    check: async (store) => {
      await requireReadable(database, store);
      await storedConfiguration(store, schemas);
    },
  };
  await adoptArea(database, area, { begun, progress: () => {} });
  const stored = await storedConfiguration(await database.area(CONFIGURATION_AREA), schemas);
  const configuration = found(isEmptyConfiguration(stored.configuration) ? initial() : stored.configuration);
  return { ...stored, configuration, begun, adopted };
}

/** The address of a schema, or where it is in a store that was moved. */
function foundSchema(root: string, schema: string, log: StoreLog): string {
  const path = movedAddress(root, schema);
  if (path !== schema)
    log.warn({ schema, path }, 'the schema is not at its path, the one in the store is used');
  return path;
}

async function adoptedAreas(database: Database): Promise<Set<string>> {
  const versions = await cursorVersions(database, ADOPTION);
  const adopted = (await storedAreas(database)).filter(({ id }) => versions.get(id) === DONE);
  return new Set(adopted.map(({ path }) => path));
}

async function storedConfiguration(
  store: RecordStore,
  schemas: ConfigurationSchemas,
): Promise<TakenConfiguration> {
  const [record, state] = [await store.get(PEER_CONFIGURATION.pid), await store.get(FORMER_STATE.pid)];
  const parsed = (stored: { readonly json: string } | undefined) =>
    stored && (parseJson(stored.json) as JsonObject);
  return readPeerConfiguration(parsed(record), parsed(state), schemas);
}

/** @throws ServiceError `config_invalid`: without it, all that it configures would be lost */
async function requireReadable(database: Database, { area }: RecordStore): Promise<void> {
  const [fault] = await storedFaults(database, { area: area.id, limit: 1 });
  if (fault)
    throw new ServiceError('config_invalid', `${CONFIGURATION_AREA}/${fault.path}: ${fault.message}`);
}

/** The areas of a configuration: those of several collections that are in one directory are one. */
async function planOf({ configuration, begun }: Taken, { root, schemas, logs, progress }: AdoptOptions) {
  schemas.useMap(configuration.schema_map);
  const open = schemas.reading();
  const areas = new Map<string, AreaToAdopt>();
  for (const [name, collection] of Object.entries(configuration.collections)) {
    const schema = await openNamed(open, name, collection);
    requireSameMapping(root, name, collection);
    const own = areasOf(root, collection, schema, logs);
    await requireNamed(name, () => requireNothingHidden(own));
    for (const area of own) {
      const known = areas.get(area.path);
      if (known && known.files !== area.files && hasBothForms(area))
        throw new ServiceError(
          'store_incompatible',
          `The store cannot be adopted with its collection '${name}': another one has the directory '${area.directory}', too, and ` +
            'its records are files where those of this one are rows of a table, or the reverse. Move one of both to a directory of its own.',
        );
      areas.set(area.path, known ? { ...known, logs: [...known.logs, ...area.logs] } : area);
    }
  }
  const numbers = new Map([...areas.keys()].map((path, at) => [path, at + 1]));
  const adoptOptions: AdoptAreaOptions = {
    begun,
    progress: (one) => progress?.({ ...one, number: numbers.get(one.area) ?? 0, areas: areas.size }),
  };
  return { areas: [...areas.values()], adoptOptions };
}

/** @throws ServiceError `store_incompatible` if the files of a collection are named otherwise than it says */
function requireSameMapping(root: string, name: string, { backend, curated }: CollectionConfig): void {
  if (!BACKENDS[backend.type].files) return;
  const directory = locate(root, curated, 'curated-path');
  const conflict = recordDirConflict(directory, mappingOf(backend), undefined);
  if (conflict === undefined) return;
  const message = `The store cannot be adopted with its collection '${name}': ${conflict}`;
  throw new ServiceError('store_incompatible', message);
}

/** Checks a collection; an error mentions its name. */
async function requireNamed(name: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const message = `The store cannot be adopted with its collection '${name}': ${error.message}`;
    throw new ServiceError(error.code, message);
  }
}

async function openNamed(
  open: (address: string) => Promise<Schema>,
  name: string,
  { schema }: CollectionConfig,
) {
  try {
    return await open(schema);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const message = `The store cannot be adopted without the schema of the collection '${name}': ${error.message}`;
    throw new ServiceError(error.code, message, error.problems, { cause: error });
  }
}

/** Adopts the other areas, then replaces the peer's form of the configuration. */
async function finish(
  database: Database,
  { configuration, maintenance }: Taken,
  areas: readonly AreaToAdopt[],
  adoptOptions: AdoptAreaOptions,
  { root }: AdoptOptions,
): Promise<void> {
  for (const area of areas) await adoptArea(database, area, adoptOptions);
  const own = await database.area(CONFIGURATION_AREA);
  await database.transact(async (draft) => {
    if (!isEmptyConfiguration(configuration)) {
      const settings = mapEntries(configuration.collections, () => 0);
      const changes = [
        configurationChange(configuration, database.dialect.name === 'sqlite' ? root : undefined),
        stateChange({ configuration, maintenance, settings }),
      ];
      await draft.write(own.area, changes, BY_SERVICE);
    }
    removeRows(draft, own.area.id);
    removeCursors(draft, ADOPTION);
    removeMeta(draft, ADOPTING);
  });
}

async function summaryOf(database: Database, { root, log }: AdoptOptions): Promise<Adoption> {
  const areas = (await storedAreas(database)).filter(({ path }) => path !== CONFIGURATION_AREA);
  const records = areas.reduce((sum, area) => sum + area.records, 0);
  const pathOf = new Map(areas.map(({ id, path }) => [id, path]));
  for (const { area, path, message } of await storedFaults(database, { limit: FAULTS_LOGGED }))
    log.warn(
      { directory: join(root, pathOf.get(area) ?? ''), path, reason: message },
      'could not adopt a record, it is left where it is',
    );
  return { areas: areas.length, records, faults: await countFaults(database) };
}

/** Brings everything into the file itself. */
function settle(draft: string): void {
  const database = new DatabaseSync(draft);
  database.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  for (const suffix of ['-wal', '-shm', '.lock']) rmSync(draft + suffix, { force: true });
}
