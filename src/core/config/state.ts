/**
 * The current configuration: loaded at startup, changed element by element, kept through restarts.
 *
 * A change is carried out in this order, and a failure at any step leaves the running and the stored state as they
 * were: the edit (which checks its rules), the preparation (which opens schemas and sources), the write with its entry,
 * the activation. From the activation on every request that starts sees the new state; requests in flight keep what they
 * hold.
 */

import { canonicalJson, type JsonValue } from '#linkml/json.ts';
import { ServiceError } from '../errors.ts';
import { inTurn } from '../in-turn.ts';
import type { Database, Draft } from '../storage/database.ts';
import type { Actor, Change, RecordStore } from '../storage/store.ts';
import {
  type CollectionConfig,
  type Configuration,
  type ConfigurationSchemas,
  entryOf,
  isEmptyConfiguration,
  mapEntries,
} from './config.ts';
import {
  changesBetween,
  keepSettings,
  NOTHING_STORED,
  type Persistent,
  readPersistent,
  stateChange,
} from './record.ts';

/** Who makes changes that no administrator asked for, and commits all of them: as the peer has it. */
export const SERVER_ID = '__dump_things_server__';

export const BY_SERVICE = { committer: SERVER_ID, author: SERVER_ID, role: 'service' } as const;

/**
 * Whether a configuration is refused if a collection cannot be opened, or its policy information cannot be read. A tolerated
 * collection is left out and retried; policies that are tolerated stay as they could be read last.
 */
export type OnFailure = Readonly<Record<'collection' | 'policies', 'refuse' | 'tolerate'>>;

export const REFUSE: OnFailure = { collection: 'refuse', policies: 'refuse' };
export const TOLERATE: OnFailure = { collection: 'tolerate', policies: 'tolerate' };

/** Carries a configuration out. The registry of collections does. */
export interface ConfigurationHost {
  /**
   * Reads from other hosts what a configuration needs, before its turn: they may be slow, and no other change waits for them.
   *
   * @returns {@link prepare} with what was read, which refuses what could not be read
   */
  readAhead(next: Configuration): Promise<ConfigurationHost['prepare']>;
  /**
   * Opens everything that the next configuration needs and the present one does not have yet. Nothing changes
   * until it is activated.
   *
   * @param onFailure of a collection, see {@link OnFailure}
   * @throws ServiceError `schema_invalid`, `store_incompatible`, `path_outside_store` or what else is in the way; all
   *   that was opened on the way is closed again
   */
  prepare(next: Persistent, onFailure?: OnFailure): Promise<PreparedConfiguration>;
  /** Switches maintenance modes, at once. */
  maintain(maintenance: ReadonlySet<string>): void;
}

/** A configuration that is ready; exactly one of the two is called. */
export interface PreparedConfiguration {
  /**
   * Applies it, at once and without failure.
   *
   * @returns when what the configuration means for stored records is done
   */
  activate(maintenance: ReadonlySet<string>): Promise<void>;
  /** Closes what was opened for it. */
  discard(): Promise<void>;
}

type ConfigurationParts = {
  readonly database: Pick<Database, 'transact' | 'dialect'>;
  readonly area: RecordStore;
  /** The store directory. */
  readonly root: string;
  readonly host: ConfigurationHost;
  readonly schemas: ConfigurationSchemas;
};

/** How often a change is repeated because another instance made one first. */
const CHANGE_ATTEMPTS = 10;

/** Another instance has changed the configuration. */
class ConfigurationConflict extends Error {}

/** The current configuration and the maintenance modes; a service has one. */
export class ConfigurationState {
  readonly #parts: ConfigurationParts;
  #current: Persistent = NOTHING_STORED;
  /** The revision of the area as of {@link #current}. */
  #revision = 0;
  /** Changes and reads of the stored configuration take turns. */
  readonly #inTurn = inTurn();

  private constructor(parts: ConfigurationParts) {
    this.#parts = parts;
  }

  /**
   * Applies the stored configuration, or else the initial one, which then is stored.
   *
   * @param initial asked only if nothing is stored (the file of `-c`, the default file)
   * @throws ServiceError `config_invalid` for a stored configuration that cannot be read, and all of `initial` and of
   *   {@link ConfigurationHost.prepare}
   */
  static async open(
    parts: ConfigurationParts,
    initial: () => Promise<Configuration>,
  ): Promise<ConfigurationState> {
    const state = new ConfigurationState(parts);
    await state.refresh();
    if (!isEmptyConfiguration(state.configuration)) return state;
    const first = await initial();
    // Another instance may have stored one meanwhile.
    if (!isEmptyConfiguration(first))
      await state.apply(
        (current) => ({
          configuration: isEmptyConfiguration(current) ? first : current,
          answer: undefined,
        }),
        SERVER_ID,
        undefined,
        { ...REFUSE, policies: 'tolerate' },
      );
    return state;
  }

  get configuration(): Configuration {
    return this.#current.configuration;
  }

  get area(): RecordStore {
    return this.#parts.area;
  }

  get maintenance(): ReadonlySet<string> {
    return this.#current.maintenance;
  }

  /**
   * Changes the configuration. Changes take effect one after the other, each on the result of the one before.
   *
   * @param edit returns the next configuration; what it throws ends the change
   * @param authorId who asked for the change: the name of an admin token
   */
  change(edit: (current: Configuration) => Configuration, authorId: string): Promise<void> {
    return this.apply((current) => ({ configuration: edit(current), answer: undefined }), authorId);
  }

  /**
   * Changes the configuration, and returns the answer of the edit.
   *
   * @param edit is called several times, the last time in its turn, and changes nothing itself
   * @param also adds to the same transaction, see {@link Database.transact}
   */
  async apply<T>(
    edit: (current: Configuration) => { readonly configuration: Configuration; readonly answer: T },
    authorId: string,
    also?: (draft: Draft) => Promise<void>,
    onFailure: OnFailure = REFUSE,
  ): Promise<T> {
    const prepare = await this.#readAhead(edit);
    return this.#serially(async () => {
      const { configuration, answer } = edit(this.configuration);
      const next = this.#after(configuration);
      const prepared = await prepare(next, onFailure);
      try {
        const { database, root } = this.#parts;
        const moving = database.dialect.name === 'sqlite' ? root : undefined;
        const changes = changesBetween(this.#current, next, moving);
        await this.#write(changes, { ...BY_SERVICE, author: authorId }, async (draft) => {
          keepSettings(draft, next, this.#current);
          await also?.(draft);
        });
      } catch (error) {
        await prepared.discard();
        throw error;
      }
      this.#current = next;
      await prepared.activate(next.maintenance);
      return answer;
    });
  }

  async #readAhead(edit: (current: Configuration) => { readonly configuration: Configuration }) {
    const { host } = this.#parts;
    try {
      return await host.readAhead(edit(this.configuration).configuration);
    } catch {
      // A change that is refused now may be possible after the changes before it.
      return host.prepare.bind(host);
    }
  }

  /** Switches the maintenance mode of a collection on or off; it stays over restarts. */
  setMaintenance(collection: string, active: boolean): Promise<void> {
    return this.#serially(async () => {
      if (this.maintenance.has(collection) === active) return;
      const others = [...this.maintenance].filter((name) => name !== collection);
      const next = { ...this.#current, maintenance: new Set(active ? [...others, collection] : others) };
      await this.#write([stateChange(next)], BY_SERVICE);
      this.#current = next;
      this.#parts.host.maintain(next.maintenance);
    });
  }

  /**
   * Applies the stored configuration, if this instance does not have it yet.
   *
   * @throws ServiceError `storage_unavailable`, `config_invalid`
   */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#follow());
  }

  /** @throws ServiceError `storage_unavailable` or `storage_failed` if the stored configuration can't be read now */
  async checkStore(): Promise<void> {
    await this.#parts.area.revision();
  }

  /** Waits for changes in progress. */
  async close(): Promise<void> {
    await this.#inTurn(async () => {});
  }

  async #follow(): Promise<void> {
    const { area, host, root, schemas } = this.#parts;
    const revision = await area.revision();
    if (revision === this.#revision) return;
    const stored = await readPersistent(area, root, schemas);
    // Changed while it was read.
    if ((await area.revision()) !== revision) return this.#follow();
    const next = { ...stored, configuration: withKept(stored, this.#current) };
    const prepared = await host.prepare(next, TOLERATE);
    this.#current = next;
    this.#revision = revision;
    await prepared.activate(next.maintenance);
  }

  /** Returns the changes to store after an edit. */
  #after(configuration: Configuration): Persistent {
    const { collections } = configuration;
    const { settings } = this.#current;
    const isKept = (config: CollectionConfig, name: string) =>
      entryOf(this.configuration.collections, name) === config;
    return {
      configuration,
      maintenance: new Set([...this.maintenance].filter((name) => Object.hasOwn(collections, name))),
      settings: mapEntries(collections, (config, name) =>
        isKept(config, name) ? (entryOf(settings, name) ?? 0) : this.#revision + 1,
      ),
    };
  }

  /** @throws Moved */
  async #write(changes: readonly Change[], by: Actor, also?: (draft: Draft) => Promise<void>): Promise<void> {
    const { area } = this.#parts.area;
    const written = await this.#parts.database.transact(async (draft) => {
      const [stored] = await draft.tuples<[number]>('SELECT revision FROM accession_area WHERE area = $1', [
        area.id,
      ]);
      if ((stored?.[0] ?? 0) !== this.#revision) throw new ConfigurationConflict();
      const made = await draft.write(area, changes, by);
      await also?.(draft);
      return made;
    });
    this.#revision = written.revisions.at(-1) ?? this.#revision;
  }

  /** One change after the other. If another instance was faster, the change is repeated on its result. */
  #serially<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      for (let attempt = 1; attempt <= CHANGE_ATTEMPTS; attempt++) {
        await this.#follow();
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof ConfigurationConflict)) throw error;
        }
      }
      const message = 'Other instances change the configuration at the same time. Try again later.';
      throw new ServiceError('busy', message);
    });
  }
}

/** The stored configuration, with the objects of the running one for collections that were not set since. */
function withKept({ configuration, settings }: Persistent, running: Persistent): Configuration {
  const collections = mapEntries(configuration.collections, (config, name) => {
    const former = entryOf(running.configuration.collections, name);
    const isSet = entryOf(settings, name) !== entryOf(running.settings, name);
    return former && !isSet && isSameJson(former, config) ? former : config;
  });
  return { ...configuration, collections };
}

function isSameJson(a: unknown, b: unknown): boolean {
  return canonicalJson(a as JsonValue) === canonicalJson(b as JsonValue);
}
