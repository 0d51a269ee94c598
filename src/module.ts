/**
 * A module: a capability beyond the specification, in a folder of `src/modules`. The service calls these members; commands are in
 * `cli/module.ts`, the part of the desk in `ui/module.ts`. Of the core, only `app.ts` and `modules.ts` import this file: everything
 * below gets values.
 */
import type { Logger } from 'pino';
import type { OpenModuleSource, SourceSchemas } from './core/access/sources.ts';
import type { UserNames } from './core/access/user-names.ts';
import type { StoreAdoption } from './core/collections/adoption.ts';
import { type AreaFiles, type FilesOptions, filesNotKept } from './core/collections/area-files.ts';
import type { AreaLogs } from './core/collections/area-logs.ts';
import type { Collection } from './core/collections/collection.ts';
import type { CollectionPart } from './core/collections/part.ts';
import type { Extension, Registry } from './core/collections/registry.ts';
import type { SettingKeys } from './core/collections/settings.ts';
import { type TermSource, WITHOUT_TERMS } from './core/collections/terms.ts';
import type { Administration } from './core/config/administration.ts';
import type { ConfigurationKeys } from './core/config/config.ts';
import type { ModuleCodes } from './core/errors.ts';
import type { Endpoint, ReadExtension, Replacing } from './core/http/endpoint.ts';
import type { MemoryBounds } from './core/memory-bounds.ts';
import type { Gauges } from './core/metrics/metrics.ts';
import type { Database } from './core/storage/database.ts';
import type { ModuleTables, TablesOfModules } from './core/storage/tables.ts';
import type { Jobs } from './core/work/jobs.ts';
import type { Pool } from './core/work/pool.ts';
import type { Projector } from './core/work/projector.ts';

export interface Module {
  /** The name of its folder, of its tables, jobs and cursors. */
  readonly name: string;
  /** The modules whose code and parts it uses. A module cannot be taken out without those that use it. */
  readonly uses?: readonly string[];
  /** Its tables, made before anything opens by the process that owns the database. */
  readonly tables?: ModuleTables;
  /** Its error codes, with the statuses of responses. */
  readonly codes?: Partial<Readonly<Record<keyof ModuleCodes, number>>>;
  readonly endpoints?: readonly Endpoint[];
  /** Its keys in the settings of a collection. They stay in the store while the module is absent. */
  readonly settings?: SettingKeys;
  /** Its keys in the configuration of a collection, which `commands.ts` loads, too. They stay in the store while the module is absent. */
  readonly configuration?: ConfigurationKeys;
  /** The gauges of its samples in `/-/metrics`. */
  readonly gauges?: Gauges;
  /** The bounds of what it keeps in memory, which its page lists. */
  readonly memory?: MemoryBounds;
  /** Its parameters of reads of records. */
  readonly reads?: ReadExtension;
  /** What it does for the core. */
  readonly provides?: Partial<Provided>;
  /** Which staged changes its companions see: a condition on the row `p` of a change (`storage/write/staged.ts`). */
  readonly concerned?: string;
  /**
   * Opens what follows the store from before its configuration is read, in a process that writes.
   *
   * @returns what is closed before the database
   */
  open?(core: Core): Promise<Closable>;
  /**
   * Starts what runs for the whole service, once the configuration is in force. Not called in a process that only reads.
   *
   * @returns what is closed before the database
   */
  start?(core: StartedCore): Closable | undefined;
  /**
   * Makes what its parts share, also in a process that only reads.
   *
   * @returns a function that makes its part of each collection that opens
   */
  attach?(core: Core): (collection: Collection) => CollectionPart;
}

/** What one module at most does for the core, which goes on without. */
type Provided = {
  /** Rehearses another schema in `PUT /collections`. */
  readonly replacing: Replacing;
  /** Makes the vocabularies whose terms the schemas of collections name, also in a process that only reads. */
  terms(core: Core): TermSource;
  /** Types of entries in `auth_sources`, which `commands.ts` loads, too. Entries stay in the store while the module is absent. */
  readonly sources: { readonly schemas: SourceSchemas; open(core: Core): OpenModuleSource };
  /** Makes the names of users, for copies of changes that people read. */
  names(core: Pick<Core, 'database'>): UserNames;
  /** The logs of the changes of areas, which are read when a store is adopted, and copied when one is exported. */
  readonly logs: AreaLogs;
  /** Adopts stores of another program when a service starts that has no database yet. */
  readonly adoption: StoreAdoption;
  /** Keeps areas as files in the store directory, too. */
  files(options: FilesOptions): AreaFiles;
};

export type Closable = { close(): Promise<void> };

/** The parts of the service that modules use. */
export type Core = {
  /** The store directory. */
  readonly root: string;
  readonly database: Database;
  readonly registry: Registry;
  readonly jobs: Jobs;
  readonly pool: Pool;
  /** Threads for what other hosts send, however slowly: requests wait for those of `pool`. */
  readonly sources: Pool;
  readonly projector: Pick<Projector, 'add'>;
  readonly log: Logger;
  /** The names of users who have signed in. */
  readonly names: UserNames;
  /** The hosts on this machine or in a private network that may be connected to; undefined lets all. */
  readonly hosts: readonly string[] | undefined;
};

/** The core once a configuration is in force. */
type StartedCore = Core & {
  readonly administration: Administration;
  /** Whether the schemas are those of another service: their changes are not edits of this one. */
  readonly follows: boolean;
};

/** The tables of modules, by their names. */
export function tablesOf(modules: readonly Module[]): TablesOfModules {
  return Object.fromEntries(modules.flatMap(({ name, tables }) => (tables ? [[name, tables]] : [])));
}

/** What one of the modules provides. @throws Error if two of them do */
export function provided<Name extends keyof Provided>(
  modules: readonly Module[],
  name: Name,
): Provided[Name] | undefined {
  const providers = modules.filter(({ provides }) => provides?.[name] !== undefined);
  if (providers.length > 1)
    throw new Error(
      `One module can provide '${name}', found: ${providers.map((one) => one.name).join(', ')}.`,
    );
  return providers[0]?.provides?.[name];
}

/** What modules add to collections. */
export function extensionOf(modules: readonly Module[], core: Core): Extension {
  const partsOf = modules.flatMap(({ name, attach }) => (attach ? [[name, attach(core)] as const] : []));
  return {
    attach: (collection) => new Map(partsOf.map(([name, partOf]) => [name, partOf(collection)])),
    terms: provided(modules, 'terms')?.(core) ?? WITHOUT_TERMS,
    openSource: provided(modules, 'sources')?.open(core) ?? refuseSource,
  };
}

/** Entries of types that no module has are not opened: `parseStored` keeps them apart. */
const refuseSource: OpenModuleSource = ({ type }: { readonly type: string }) => {
  throw new Error(`No module has sources of the type '${type}'.`);
};

/** The files of areas that a module keeps. */
export function filesOf(modules: readonly Module[], options: Omit<FilesOptions, 'logs'>): AreaFiles {
  const made = provided(modules, 'files')?.({ ...options, logs: provided(modules, 'logs') });
  return made ?? filesNotKept(options.root);
}

/** Which staged changes the companions of modules see: those that concern one of them. */
export function concernedOf(modules: readonly Module[]): string | undefined {
  const conditions = modules.flatMap(({ concerned }) => (concerned === undefined ? [] : [`(${concerned})`]));
  return conditions.length === 0 ? undefined : conditions.join(' OR ');
}
