/** The files of a store directory: those of collections that open, and the mirrors of areas. An area that several collections share has one. */
import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AreaFiles, FilesOpening, FilesOptions } from '../../core/collections/area-files.ts';
import type { Collection } from '../../core/collections/collection.ts';
import type { Fault } from '../../core/collections/part.ts';
import { areaIndex } from '../../core/collections/stores.ts';
import { BACKENDS, mappingOf } from '../../core/config/backends.ts';
import type { CollectionConfig } from '../../core/config/config.ts';
import { areaPath, confineZone, locate, zonesOnDisk } from '../../core/config/paths.ts';
import { EVERY, TIMEOUT } from '../../core/durations.ts';
import { ServiceError } from '../../core/errors.ts';
import { recordDirConflict } from '../../core/formats/directory-config.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { yielder } from '../../core/yield.ts';
import { requireNothingHidden } from './adopt/hidden-records.ts';
import { changedTable } from './adopt/imported-tables.ts';
import { adoptDirectories, areasOf, directoriesOf, namingOf } from './collection-areas.ts';
import { fileWorker } from './mirror/file-worker.ts';
import { AreaMirror } from './mirror/mirror.ts';

type OpenMirror = {
  readonly mirror: AreaMirror;
  /** The collection whose area it is. */
  readonly name: string;
  readonly form: string;
  /** The schema that the files were read by last. */
  schema?: Schema;
};

export class StoreFiles implements AreaFiles {
  readonly #options: FilesOptions;
  readonly #open = new Map<string, OpenMirror>();
  #collections: ReadonlyMap<string, Collection> = new Map();
  #areas = areaIndex<Collection>([]);
  /** The collections whose areas are mirrored already: one that is set again is another object. */
  readonly #begun = new WeakSet<Collection>();
  /** When the directories of zones have changed last. */
  readonly #looked = new WeakMap<Collection, number>();
  /** Tables that the peer has written to after their import. */
  readonly #changedTables = new WeakMap<Collection, Fault[]>();
  readonly #timer: NodeJS.Timeout;
  #beginning: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: FilesOptions) {
    this.#options = options;
    options.database.onChange((areas) => {
      for (const path of areas === 'unknown' ? this.#open.keys() : areas)
        this.#open.get(path)?.mirror.changed();
    });
    this.#timer = setInterval(
      () => void this.#beginning.then(() => this.#look()),
      EVERY.zoneDirectories,
    ).unref();
  }

  async adopt(config: CollectionConfig, schema: Schema, { isNew, isStrict }: FilesOpening): Promise<boolean> {
    const { database, root, logs } = this.#options;
    if (BACKENDS[config.backend.type].files) requireSameForm(root, config, isNew);
    if (database.readOnly) return false;
    if (isStrict) await requireNothingHidden(areasOf(root, config, schema), database);
    return isNew && (await adoptDirectories(database, root, config, schema, logs));
  }

  mirror(path: string): AreaMirror | undefined {
    const known = this.#open.get(path);
    if (known) return known.mirror;
    const collection = this.#areas.at(path).find((one) => isMirrored(one) && owns(one, path));
    return collection && this.#begin(collection, path);
  }

  async use(collections: ReadonlyMap<string, Collection>): Promise<void> {
    this.#collections = collections;
    this.#areas = areaIndex(collections.values());
    for (const [path, { mirror, name, form }] of this.#open) {
      const collection = collections.get(name);
      if (collection && isMirrored(collection) && owns(collection, path) && formOf(collection) === form)
        continue;
      this.#open.delete(path);
      await mirror.close();
      // Others may have the area, too.
      for (const other of this.#areas.at(path)) {
        this.#begun.delete(other);
        this.#looked.delete(other);
      }
    }
  }

  async begin(): Promise<void> {
    const beginning = this.#beginning.then(() => this.#beginAll());
    this.#beginning = beginning.catch((error) => {
      this.#options.log.warn({ err: error }, 'could not compare the files of all areas with their records');
    });
    await Promise.race([this.#beginning, delay(TIMEOUT.files, undefined, { ref: false })]);
  }

  async faults(collection: Collection): Promise<Fault[]> {
    const own = [...this.#open.values()].filter((opened) => opened.name === collection.name);
    const tables = (this.#changedTables.get(collection) ?? []).filter(({ path }) => existsSync(path));
    return [...(await Promise.all(own.map(({ mirror }) => mirror.faults()))).flat(), ...tables];
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosed = true;
    await this.#beginning;
    for (const { mirror } of this.#open.values()) await mirror.close();
    this.#open.clear();
  }

  async #beginAll(): Promise<void> {
    for (const collection of this.#collections.values()) {
      if (this.#begun.has(collection)) continue;
      if (isMirrored(collection)) await this.#beginAreas(collection);
      else await this.#lookForTables(collection);
      if (this.#isClosed) return;
      this.#begun.add(collection);
    }
  }

  async #beginAreas({ curated, zones }: Collection): Promise<void> {
    const paths = [curated.area.path, ...(await zones.areas()).map(({ path }) => path)];
    for (const path of paths) {
      if (this.#isClosed) return;
      await this.mirror(path)?.begin();
      const opened = this.#open.get(path);
      const schema = opened && this.#collections.get(opened.name)?.schema;
      // It may have changed while the service did not run.
      if (opened && opened.schema !== schema) await opened.mirror.schemaChanged();
      if (opened) opened.schema = schema;
    }
  }

  /** Looks for tables that the peer has changed. */
  async #lookForTables(collection: Collection): Promise<void> {
    const { database, root, log } = this.#options;
    const { name, config } = collection;
    const found: Fault[] = [];
    this.#changedTables.set(collection, found);
    const yieldIfDue = yielder();
    for (const directory of directoriesOf(root, config)) {
      if (this.#isClosed) return;
      await yieldIfDue();
      const path = areaPath(root, directory);
      const changed = await changedTable(database, { path, directory });
      if (!changed) continue;
      const { file, message, remedy } = changed;
      log.warn({ collection: name, file, reason: message }, 'a table of the peer is not as it was imported');
      found.push({ path: file, message: `${message} ${remedy}` });
    }
  }

  #begin(collection: Collection, path: string): AreaMirror {
    const { database, root, log } = this.#options;
    const { name, config } = collection;
    const mirror = new AreaMirror({
      database,
      worker: fileWorker,
      path,
      log,
      directory: isAbsolute(path) ? path : join(root, path),
      mapping: mappingOf(config.backend),
      typed: !BACKENDS[config.backend.type].schemaTypeLayer,
      schema: () => {
        const { schema, config } = this.#collections.get(name) ?? collection;
        return { ...namingOf(schema, config), address: config.schema };
      },
      writeEdits: async (changes) => {
        const { area } = await database.area(path);
        await database.transact(async (draft) => void (await draft.write(area, changes, null)));
      },
    });
    this.#open.set(path, { mirror, name, form: formOf(collection) });
    void mirror.begin();
    return mirror;
  }

  /** Begins to mirror zones whose directories others have made. */
  #look(): void {
    const { root, log } = this.#options;
    for (const collection of this.#collections.values()) {
      const incoming = isMirrored(collection) ? collection.zones.directory : undefined;
      if (incoming === undefined) continue;
      try {
        const changed = statSync(incoming, { throwIfNoEntry: false })?.mtimeMs ?? 0;
        if (changed === this.#looked.get(collection)) continue;
        this.#looked.set(collection, changed);
        for (const label of zonesOnDisk(root, incoming))
          this.mirror(areaPath(root, confineZone(root, incoming, label)));
      } catch (error) {
        log.warn({ err: error, directory: incoming }, 'could not look for new zones, will retry');
      }
    }
  }
}

function isMirrored({ config }: Collection): boolean {
  return BACKENDS[config.backend.type].files;
}

function owns({ curated, zones }: Collection, path: string): boolean {
  return path === curated.area.path || [...zones.labelsAt(path)].length > 0;
}

/**
 * A record directory says what it was made for. A collection may get another schema, and a store may be moved.
 *
 * @throws ServiceError `store_incompatible`
 */
function requireSameForm(root: string, { curated, backend, schema }: CollectionConfig, isNew: boolean): void {
  const directory = locate(root, curated, 'curated-path');
  const conflict = recordDirConflict(directory, mappingOf(backend), isNew ? schema : undefined);
  if (conflict !== undefined) throw new ServiceError('store_incompatible', conflict);
}

/** How the files of a collection look. */
function formOf({ config }: Collection): string {
  return JSON.stringify([config.backend.type, mappingOf(config.backend)]);
}
