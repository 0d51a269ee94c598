/**
 * Writes a store that the peer opens: configuration, tokens, all areas with the backends and mapping methods of their
 * collections, also of deleted ones, and the audit logs. It reads one state of the database, also while a service writes to it.
 */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '#linkml/json.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import { writeYaml } from '#linkml/yaml/write.ts';
import { endOf } from '../../../core/access/config-tokens.ts';
import { batches } from '../../../core/batches.ts';
import type { AreaProgress } from '../../../core/collections/adoption.ts';
import type { AreaLog, AreaLogs } from '../../../core/collections/area-logs.ts';
import { BACKENDS, type BackendConfig, mappingOf } from '../../../core/config/backends.ts';
import {
  type CollectionConfig,
  type Configuration,
  type ConfigurationSchemas,
  mapEntries,
} from '../../../core/config/config.ts';
import { mapDirectories } from '../../../core/config/key-directories.ts';
import { areaPath, isBelow, linkedZones, locate, PRIVATE_FOLDER } from '../../../core/config/paths.ts';
import { CONFIGURATION_AREA } from '../../../core/config/record.ts';
import { ServiceError } from '../../../core/errors.ts';
import { writeDirectoryConfig } from '../../../core/formats/directory-config.ts';
import { filePath, spareFilePath } from '../../../core/formats/record-path.ts';
import type { Database } from '../../../core/storage/database.ts';
import { SILENT_LOG, type StoreLog } from '../../../core/storage/log.ts';
import { type StoredArea, storedAreas } from '../../../core/storage/read/areas.ts';
import type { Reader } from '../../../core/storage/reader.ts';
import type { AreaId, RecordKey } from '../../../core/storage/store.ts';
import { formerOwners, ownersOf } from '../adopt/owners.ts';
import { PEER_CONFIGURATION, peerConfiguration } from '../configuration.ts';
import { stampOf } from '../mirror/disk.ts';
import { filesOfRecords, pathsWithoutRecord } from '../mirror/file-table.ts';
import { writePeerIndex } from '../mirror/peer-index.ts';
import { classFolder, recordYaml } from '../mirror/record-files.ts';
import { PeerTable } from './table.ts';

type ExportOptions = {
  /** The store directory, in which the schemas and the audit logs are. */
  readonly root: string;
  readonly configurationSchemas: ConfigurationSchemas;
  /** The logs that are exported. */
  readonly logs?: AreaLogs | undefined;
  readonly progress?: (progress: AreaProgress) => void;
  readonly log?: StoreLog;
};

type Export = {
  readonly areas: number;
  readonly records: number;
  /** The areas of deleted collections among them, by their paths in the export. */
  readonly deleted: readonly AreaCount[];
  /** Areas with files that are not, byte for byte, as they are in the store, and how many; without areas that have none there. */
  readonly rewritten: readonly { readonly path: string; readonly files: number }[];
  /** Areas with records that are not exported: no configuration says with which backend. Paths are those in the store. */
  readonly unknown: readonly AreaCount[];
};

type AreaCount = { readonly path: string; readonly records: number };

/** The limits of a page of records. */
const PAGE = { items: 500, characters: 4_000_000 };

/**
 * @param to a directory, which is made or is empty. The peer has to serve the store from there: its indexes have absolute paths
 * @throws ServiceError `path_outside_store` for a directory that is not empty
 */
export async function exportStore(
  database: Database,
  configuration: Configuration,
  to: string,
  options: ExportOptions,
): Promise<Export> {
  const { log = SILENT_LOG } = options;
  const root = realpathSync(options.root);
  mkdirSync(to, { recursive: true });
  const directory = realpathSync(to);
  if (readdirSync(directory).length > 0)
    throw new ServiceError(
      'path_outside_store',
      `The directory ${directory} is not empty: expected a new or an empty one.`,
    );
  const exported: AreaCount[] = [];
  const deleted: AreaCount[] = [];
  const unknown: AreaCount[] = [];
  const rewritten: Export['rewritten'][number][] = [];
  const collections: Record<string, CollectionConfig> = {};
  await database.snapshot(async (reader) => {
    const areas = (await storedAreas(reader)).filter(({ path }) => path !== CONFIGURATION_AREA);
    const around = new Set(areas.flatMap(({ path }) => foldersAbove(path)));
    const to = { ...options, database, root, directory, around, rewritten };
    const ownerOf = ownersOf(root, configuration.collections);
    const owned = Map.groupBy(areas, ({ path }) => ownerOf(path));
    const formIn = (name: string, path: string) =>
      `${BACKENDS[configuration.collections[name]!.backend.type].files} ${path}`;
    const written = new Set(
      [...owned].flatMap(([name, own]) => own.map(({ path }) => name && formIn(name, path))),
    );
    for (const [name, config] of Object.entries(configuration.collections)) {
      const own = owned.get(name) ?? [];
      // An area that another collection has in the other form is written in both.
      const hasArea = ownersOf(root, { [name]: config });
      const also = areas.filter(({ path }) => hasArea(path) && !written.has(formIn(name, path)));
      for (const { path } of also) written.add(formIn(name, path));
      const { counts, config: asExported } = await exportCollection(reader, config, [...own, ...also], to);
      collections[name] = asExported;
      exported.push(...counts.slice(0, own.length));
    }
    const left = owned.get(undefined) ?? [];
    const paths = left.map(({ path }) => path);
    const formerOf = await formerOwners(
      database,
      reader,
      { root, schemas: options.configurationSchemas },
      paths,
    );
    for (const [config, own] of Map.groupBy(left, ({ path }) => formerOf.get(path)))
      if (config) deleted.push(...(await exportCollection(reader, config, own, to)).counts);
      else unknown.push(...own.filter(({ records }) => records > 0));
  });
  await copyLog(options.logs?.ofConfiguration(root), root, directory);
  // Last, so that a store which is not complete has no configuration.
  writeConfiguration({ ...configuration, collections, tokens: validTokens(configuration, log) }, directory);
  exported.push(...deleted);
  const records = exported.reduce((sum, area) => sum + area.records, 0);
  return { areas: exported.length, records, deleted, rewritten, unknown };
}

type CollectionOptions = ExportOptions & {
  readonly database: Database;
  /** Where the export is written. */
  readonly directory: string;
  /** Paths that other areas lie below. */
  readonly around: ReadonlySet<string>;
  /** Gets the areas whose files differ. */
  readonly rewritten: { path: string; files: number }[];
};

/** Writes areas, zones that are links, and audit logs. @returns the collection as it is configured in the export */
async function exportCollection(
  reader: Reader,
  config: CollectionConfig,
  areas: readonly StoredArea[],
  options: CollectionOptions,
): Promise<{ readonly config: CollectionConfig; readonly counts: readonly AreaCount[] }> {
  const { root, directory, around, logs, configurationSchemas } = options;
  const places = placesOf(root, directory, config, configurationSchemas);
  const backend = backendOf(config.backend);
  const schema = copySchema(root, config.schema, directory);
  const counts: AreaCount[] = [];
  for (const area of areas) {
    const path = placeOf(area.path);
    const to = { ...options, backend, schema, isAround: around.has(area.path) };
    const { records, rewritten } = await exportArea(reader, area, join(directory, path), to);
    counts.push({ path, records });
    if (rewritten > 0) options.rewritten.push({ path, files: rewritten });
  }
  linkZones(root, directory, config);
  for (const log of logs?.of(config, root) ?? []) await copyLog(log, root, directory);
  return { config: { ...config, ...places, backend, schema }, counts };
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path || above === '.' ? [] : [above, ...foldersAbove(above)];
}

/** Where the parts of a collection go: to the same paths or, from outside of the store, into a folder of their own. */
function placesOf(
  root: string,
  directory: string,
  config: CollectionConfig,
  { keys }: ConfigurationSchemas,
): Partial<CollectionConfig> {
  const { curated, incoming } = config;
  const nameOf = (path: string) => areaPath(root, locate(root, path, 'path'));
  const [curatedName, incomingName] = [nameOf(curated), incoming === null ? undefined : nameOf(incoming)];
  mkdirSync(join(directory, placeOf(curatedName)), { recursive: true });
  if (incomingName !== undefined) mkdirSync(join(directory, placeOf(incomingName)), { recursive: true });
  return {
    ...mapDirectories(config, keys, (path) => placeOf(nameOf(path))),
    curated: placeOf(curatedName),
    incoming: incomingName === undefined ? null : placeOf(incomingName),
  };
}

/** The path of an area in the export. */
const placeOf = (area: string) => (isAbsolute(area) ? join('outside', area) : area);

/** The peer has no PostgreSQL. */
function backendOf(backend: BackendConfig): BackendConfig {
  if (!BACKENDS[backend.type].postgresql) return backend;
  return { type: BACKENDS[backend.type].schemaTypeLayer ? 'sqlite+stl' : 'sqlite' };
}

/** Zones that are links to other areas of the store. */
function linkZones(root: string, directory: string, { incoming }: CollectionConfig): void {
  if (incoming === null) return;
  const located = locate(root, incoming, 'incoming-path');
  for (const [label, target] of linkedZones(root, located)) {
    const folder = join(directory, placeOf(areaPath(root, located)));
    const link = join(folder, label);
    mkdirSync(folder, { recursive: true });
    const isThere = lstatSync(link, { throwIfNoEntry: false }) !== undefined;
    if (!isThere) symlinkSync(relative(folder, join(directory, placeOf(areaPath(root, target)))), link);
  }
}

/** Expired tokens and those of shared links are left out: to the peer, tokens do not expire. */
function validTokens({ tokens }: Configuration, log: StoreLog): Configuration['tokens'] {
  const ofUsers = Object.entries(tokens).filter(([, { shared_link }]) => !shared_link);
  const valid = ofUsers.filter(([token, { expires }]) => {
    const isValid = expires === undefined || endOf(expires) > Date.now();
    if (!isValid) log.warn({ token }, 'an expired token is not exported');
    else if (expires !== undefined)
      log.warn({ token, expires }, 'the exported token does not expire in the other service');
    return isValid;
  });
  return Object.fromEntries(valid);
}

type AreaOptions = ExportOptions & {
  readonly database: Database;
  readonly backend: BackendConfig;
  readonly schema: string;
  /** Whether other areas lie below this one. */
  readonly isAround: boolean;
};

async function exportArea(
  reader: Reader,
  area: StoredArea,
  to: string,
  options: AreaOptions,
): Promise<{ readonly records: number; readonly rewritten: number }> {
  const { database, backend, schema, root, progress } = options;
  const { files, schemaTypeLayer } = BACKENDS[backend.type];
  const from = resolve(root, area.path);
  mkdirSync(to, { recursive: true });
  const faults = await pathsWithoutRecord(reader, area.id);
  // The peer refuses a whole area if it finds a file without a good pid, or one that repeats a record.
  const isIndexed = options.isAround || faults.length > 0;
  const writer = files ? new FileWriter(to, backend, isIndexed, from) : new PeerTable(to, !schemaTypeLayer);
  if (files) writeDirectoryConfig(to, mappingOf(backend), schema);
  let records = 0;
  for await (const page of recordsOf(database, reader, area)) {
    for (const record of page) writer.write(record);
    records += page.length;
    progress?.({ area: area.path, step: 'records', done: records, total: area.records });
  }
  for (const path of faults) writer.copyFault(from, path);
  writer.close();
  return { records, rewritten: writer.rewritten };
}

type ExportedRecord = RecordKey & {
  readonly json: string;
  /** The path of its file in a mirrored area. */
  readonly path: string | undefined;
};

/** The records of an area, in pages. */
async function* recordsOf(
  database: Database,
  reader: Reader,
  { id, path }: AreaId,
): AsyncGenerator<ExportedRecord[]> {
  const store = (await database.existingArea(path))!.within(reader);
  for await (const page of batches(store.scan({}), PAGE, ({ json }) => json.length)) {
    const iris = page.map(({ iri }) => iri);
    const files = await filesOfRecords(reader, database.dialect, id, iris);
    yield page.map((record) => {
      const file = files.get(record.iri);
      return { ...record, path: file?.isBroken === false ? file.path : undefined };
    });
  }
}

/** Writes the records of an area as the peer has them. */
interface RecordWriter {
  write(record: ExportedRecord): void;
  /** Copies what holds no record from another directory, so that nothing is lost. */
  copyFault(from: string, path: string): void;
  /** Files that have other bytes in the store. */
  readonly rewritten: number;
  close(): void;
}

class FileWriter implements RecordWriter {
  readonly #directory: string;
  readonly #backend: BackendConfig;
  readonly #folders = new Set<string>();
  readonly #from: string;
  rewritten = 0;
  readonly #index: { readonly iri: string; readonly pid: string; readonly path: string }[] | undefined;

  /** @param from the directory of the area in the store */
  constructor(directory: string, backend: BackendConfig, isIndexed: boolean, from: string) {
    this.#directory = directory;
    this.#from = from;
    this.#backend = backend;
    this.#index = isIndexed ? [] : undefined;
  }

  write({ pid, iri, className, json, path: known }: ExportedRecord): void {
    const mapped = filePath(mappingOf(this.#backend), className, pid);
    const wanted = known !== undefined && classFolder(known) === className ? known : mapped;
    const path = existsSync(join(this.#directory, wanted)) ? spareFilePath(className, pid) : wanted;
    const text = recordYaml(json, !BACKENDS[this.#backend.type].schemaTypeLayer);
    if (this.#hasOther(path, text)) this.rewritten += 1;
    this.#put(path, text);
    this.#index?.push({ iri, pid, path });
  }

  copyFault(from: string, path: string): void {
    const file = join(from, path);
    if (existsSync(file) && !existsSync(join(this.#directory, path))) this.#put(path, readFileSync(file));
  }

  /** Whether the store has a file with other bytes. Reads it only if its size does not say so. */
  #hasOther(path: string, text: string): boolean {
    const former = join(this.#from, path);
    const size = stampOf(former)?.size;
    if (size === undefined) return false;
    return size !== Buffer.byteLength(text) || readFileSync(former, 'utf8') !== text;
  }

  close(): void {
    if (this.#index) writePeerIndex(this.#directory, this.#index);
  }

  #put(path: string, content: string | Uint8Array): void {
    const folder = dirname(path);
    if (!this.#folders.has(folder)) {
      mkdirSync(join(this.#directory, folder), { recursive: true });
      this.#folders.add(folder);
    }
    writeFileSync(join(this.#directory, path), content);
  }
}

async function copyLog(log: AreaLog | undefined, root: string, directory: string): Promise<void> {
  await log?.copyTo(join(directory, placeOf(areaPath(root, log.directory))));
}

/** Copies a schema of the store with the files that it imports. @returns its address for the peer */
function copySchema(root: string, address: string, directory: string): string {
  const file = address.startsWith('file:') ? fileURLToPath(address) : address;
  if (!isAbsolute(file) || !isBelow(root, file)) return address;
  copyWithImports(root, file, directory);
  return join(directory, relative(root, file));
}

function copyWithImports(root: string, file: string, directory: string): void {
  const to = join(directory, relative(root, file));
  if (existsSync(to) || !existsSync(file) || !isBelow(root, file)) return;
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(file, to);
  const schema = readYaml(readFileSync(file, 'utf8'));
  const imports = isJsonObject(schema) && Array.isArray(schema.imports) ? schema.imports : [];
  for (const name of imports)
    if (typeof name === 'string' && !name.includes(':'))
      copyWithImports(root, resolve(dirname(file), `${name}.yaml`), directory);
}

function writeConfiguration(configuration: Configuration, directory: string): void {
  const { pid, className } = PEER_CONFIGURATION;
  const record: JsonObject = peerConfiguration({
    ...configuration,
    collections: mapEntries(configuration.collections, (one) => one),
  });
  const store = join(directory, CONFIGURATION_AREA);
  const path = filePath('digest-md5', className, pid);
  // It contains secrets.
  mkdirSync(join(directory, PRIVATE_FOLDER), { recursive: true, mode: 0o700 });
  mkdirSync(dirname(join(store, path)), { recursive: true });
  writeFileSync(join(store, path), writeYaml(record), { mode: 0o600 });
  writePeerIndex(store, [{ iri: pid, pid, path }]);
}
