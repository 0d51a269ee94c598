/** The storage backends by name, their configuration, and how they are opened. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import { Jobs } from '../jobs/jobs.ts';
import type { JsonObject } from '../json.ts';
import { type CollectionLocation, type CollectionStorage, fileAreas } from './collection-storage.ts';
import { storageFailure } from './database.ts';
import { openFollowed } from './followed-store.ts';
import { openFrozen } from './frozen-store.ts';
import { SILENT_LOG, type StoreLog } from './log.ts';
import { databaseAreas } from './postgresql/collection-areas.ts';
import type { PostgresqlStores } from './postgresql/stores.ts';
import { DIRECTORY_CONFIG_FILE, recordDirConflict } from './record-dir/directory-config.ts';
import { DEFAULT_MAPPING_METHOD, MAPPING_METHODS, type MappingMethod } from './record-dir/file-names.ts';
import { withPeerIndex } from './record-dir/peer-index.ts';
import { AREA_FILE, OWN_FOLDER, openRecordDir } from './record-dir/record-dir.ts';
import { withSchemaTypeFilledIn, withSchemaTypeLayer } from './schema-type-layer.ts';
import { openSqliteStore, SQLITE_FILE } from './sqlite.ts';
import type { RecordStore } from './store.ts';
import { type Naming, StoreHandles } from './store-handles.ts';

export type BackendType =
  | 'record_dir+stl'
  | 'record_dir'
  | 'sqlite'
  | 'sqlite+stl'
  | 'postgresql'
  | 'postgresql+stl';

/** The `backend` attribute of a collection, as it is kept and listed. */
export type BackendConfig =
  | { readonly type: 'record_dir+stl' | 'record_dir'; readonly mapping_method: MappingMethod }
  | { readonly type: 'sqlite' | 'sqlite+stl' | 'postgresql' | 'postgresql+stl' };

/** What a backend can do and others cannot. */
export type BackendTraits = {
  /** Whether `matching` is honoured; otherwise it is ignored (specification 4.1, rule 5). */
  readonly matching: boolean;
};

/** What a store needs to know of the world; it sees no schema, only answers. */
export type OpenOptions = Naming & {
  /** The address of the schema, for the `.dumpthings.yaml` of record directories; without it, none is written. */
  readonly schema?: string;
  readonly log?: StoreLog;
  /** The stores that are open already, if others share them. */
  readonly handles?: StoreHandles;
  /** The jobs of the store. */
  readonly jobs?: Jobs;
  /** Where record directories with many files are read; without it, before the store is open. */
  readonly background?: Jobs | undefined;
  /** Whether a record directory keeps an index for the peer: only if the peer cannot make that itself. */
  readonly peerIndex?: boolean;
  /** Set if another process owns the store: areas are opened for reading, and nothing is made for them. */
  readonly follow?: boolean | undefined;
  /** The database of the service, for collections in PostgreSQL. */
  readonly postgresql?: PostgresqlStores | undefined;
};

type Backend = {
  readonly traits: BackendTraits;
  readonly schemaTypeLayer: boolean;
  /** The database of an area, in its directory; undefined if areas are not in directories. */
  readonly file: string | undefined;
  /** The attributes besides `type`, as JSON Schema properties with defaults. */
  readonly attributes: JsonObject;
  open(config: BackendConfig, directory: string, options: OpenOptions): Promise<RecordStore>;
  /** Why an existing directory cannot be used with this configuration; undefined if it can. */
  incompatibility(config: BackendConfig, directory: string, options: OpenOptions): string | undefined;
};

const MAPPING_ATTRIBUTE: JsonObject = {
  mapping_method: { type: 'string', enum: [...MAPPING_METHODS], default: DEFAULT_MAPPING_METHOD },
};

const recordDir = (schemaTypeLayer: boolean): Backend => ({
  traits: { matching: false },
  schemaTypeLayer,
  file: join(OWN_FOLDER, AREA_FILE),
  attributes: MAPPING_ATTRIBUTE,
  open: async (config, directory, options) => {
    const mapping = mappingOf(config);
    const log = options.log ?? SILENT_LOG;
    const handles = handlesOf(options);
    const { crowd, memory } = handles;
    const store = await handles.share(`record_dir:${mapping}`, directory, options, async (path) => {
      const jobs = jobsOf(options);
      const opened = await openRecordDir(path, mapping, { ...options, log, jobs, crowd, memory });
      if (!options.peerIndex) return opened;
      return { ...opened, store: await withPeerIndex(opened.store, path, mapping, log) };
    });
    return layered(store, schemaTypeLayer, options);
  },
  incompatibility: (config, directory, options) =>
    madeForOther(directory, SQLITE_FILE, DIRECTORY_CONFIG_FILE) ??
    recordDirConflict(directory, mappingOf(config), options.schema),
});

const sqlite = (schemaTypeLayer: boolean): Backend => ({
  traits: { matching: true },
  schemaTypeLayer,
  file: SQLITE_FILE,
  attributes: {},
  open: async (_config, directory, options) => {
    const handles = handlesOf(options);
    const store = await handles.share('sqlite', directory, options, (path) =>
      openSqliteStore(path, options, options.log ?? SILENT_LOG, jobsOf(options), handles),
    );
    return layered(store, schemaTypeLayer, options);
  },
  incompatibility: (_config, directory) => madeForOther(directory, DIRECTORY_CONFIG_FILE, SQLITE_FILE),
});

const postgresql = (schemaTypeLayer: boolean): Backend => ({
  traits: { matching: true },
  schemaTypeLayer,
  file: undefined,
  attributes: {},
  open: async (_config, directory, options) => {
    const { postgresql } = options;
    if (!postgresql) throw new ServiceError('store_incompatible', NO_DATABASE);
    return layered(await postgresql.open(directory, options), schemaTypeLayer, options);
  },
  incompatibility: (_config, _directory, { postgresql }) => (postgresql ? undefined : NO_DATABASE),
});

const NO_DATABASE =
  'Collections with the backend postgresql need a database: start the service with --database-url.';

/** Why a directory that has the mark of another kind of store, and not that of this one, is refused. */
function madeForOther(directory: string, itsMark: string, ourMark: string): string | undefined {
  if (!existsSync(join(directory, itsMark)) || existsSync(join(directory, ourMark))) return undefined;
  return `The existing directory holds a store of another kind: it has '${itsMark}', and no '${ourMark}'.`;
}

/** All backends. Another one is another row. */
export const BACKENDS: Readonly<Record<BackendType, Backend>> = {
  'record_dir+stl': recordDir(true),
  record_dir: recordDir(false),
  sqlite: sqlite(false),
  'sqlite+stl': sqlite(true),
  postgresql: postgresql(false),
  'postgresql+stl': postgresql(true),
};

export const DEFAULT_BACKEND: BackendConfig = {
  type: 'record_dir+stl',
  mapping_method: DEFAULT_MAPPING_METHOD,
};

/** The `backend` attribute as JSON Schema: `type` selects the other attributes, so problems are reported for the intended type. */
export const backendConfigSchema = {
  title: 'Storage backend',
  description: 'Where and how the records of the collection are kept.',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: Object.entries(BACKENDS).map(([type, { attributes }]) => ({
    additionalProperties: false,
    properties: { type: { const: type }, ...attributes },
  })),
};

/**
 * Opens the store of an area, and makes its directory if it is missing. Several handles on one directory share
 * what is behind them.
 *
 * @throws ServiceError `store_incompatible` if the directory was made for another schema or mapping method,
 *   `storage_failed` if it cannot be read or written.
 */
export async function openStore(
  config: BackendConfig,
  directory: string,
  options: OpenOptions,
): Promise<RecordStore> {
  const backend = BACKENDS[config.type];
  if (options.follow) return followStore(backend, directory, options);
  const conflict = backend.incompatibility(config, directory, options);
  if (conflict) throw new ServiceError('store_incompatible', conflict);
  try {
    return await backend.open(config, directory, options);
  } catch (error) {
    throw storageFailure(error, 'Opening the store');
  }
}

async function followStore(
  { file, traits, schemaTypeLayer }: Backend,
  directory: string,
  options: OpenOptions,
): Promise<RecordStore> {
  if (file === undefined) throw new ServiceError('store_incompatible', NO_DATABASE);
  const handles = handlesOf(options);
  const { matching } = traits;
  const shared = {
    matching,
    texts: jobsOf(options),
    memory: handles.memory,
    missing: () => handles.missing(),
  };
  try {
    return layered(await openFollowed(directory, file, shared), schemaTypeLayer, options);
  } catch (error) {
    throw storageFailure(error, 'Opening the store');
  }
}

/** The areas of a collection by name. They are opened and made when they are first asked for. */
export function openCollectionStorage(
  config: BackendConfig,
  location: CollectionLocation,
  options: OpenOptions,
): CollectionStorage {
  const open = (path: string) => openStore(config, path, options);
  const { file, schemaTypeLayer } = BACKENDS[config.type];
  if (file === undefined) {
    if (!options.postgresql) throw new ServiceError('store_incompatible', NO_DATABASE);
    return databaseAreas(location, options.postgresql, open);
  }
  return fileAreas(location, open, (directory) => {
    const store = openFrozen(join(directory, file));
    return store && layered(store, schemaTypeLayer, options);
  });
}

/** With `+stl`, `schema_type` is only added on reading; without, it is stored, and added on reading if it is missing. */
function layered(store: RecordStore, schemaTypeLayer: boolean, options: OpenOptions): RecordStore {
  const schemaTypeOf = (className: string) => options.schemaTypeOf(className);
  return schemaTypeLayer
    ? withSchemaTypeLayer(store, schemaTypeOf)
    : withSchemaTypeFilledIn(store, schemaTypeOf);
}

const handlesOf = ({ handles = new StoreHandles() }: OpenOptions) => handles;
const jobsOf = ({ jobs, log = SILENT_LOG }: OpenOptions) => jobs ?? new Jobs(log);

const mappingOf = (config: BackendConfig): MappingMethod =>
  'mapping_method' in config ? config.mapping_method : DEFAULT_MAPPING_METHOD;
