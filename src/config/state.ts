/**
 * The configuration that is in force: loaded at the start, changed element by element, kept through restarts.
 *
 * A change is carried out in this order, and a failure at any step leaves the running and the stored state as they
 * were: the edit (which checks its rules), the preparation (which opens schemas, stores, sources), the write to the
 * store with its entry, the activation. From the activation on
 * every request that starts sees the new state; requests in flight keep what they hold.
 */
import type { RecordStore } from '../storage/store.ts';
import { type Configuration, isEmpty } from './config.ts';
import { type Persistent, readPersistent, writePersistent } from './record.ts';

/** Who makes changes that no administrator asked for, and commits all of them: as the peer has it. */
export const SERVER_ID = '__dump_things_server__';

const BY_SERVICE = { committer: SERVER_ID, author: SERVER_ID, role: 'service' } as const;

/** Carries a configuration out. The registry of collections does. */
export interface Realizer {
  /**
   * Opens everything that the next configuration needs and the present one does not have yet. Nothing changes for
   * anybody until it is activated.
   *
   * @param failures whether a collection that cannot be opened makes the configuration fail, or is left out and retried
   * @throws ServiceError `schema_invalid`, `store_incompatible`, `path_outside_store` or what else is in the way; all
   *   that was opened on the way is closed again
   */
  prepare(next: Configuration, failures?: 'refuse' | 'tolerate'): Promise<Prepared>;
  /** Switches maintenance modes, at once. */
  maintain(maintenance: ReadonlySet<string>): void;
}

/** A configuration that is ready; exactly one of the two is called. */
export interface Prepared {
  /** Puts it in force, at once and without failure. */
  activate(maintenance: ReadonlySet<string>): void;
  /** Closes what was opened for it. */
  discard(): Promise<void>;
}

export type ConfigurationParts = {
  /** The record directory `__dump_things__/config_store`. */
  readonly store: RecordStore;
  readonly realizer: Realizer;
};

/** The configuration in force and the maintenance modes; there is one in a service. */
export class ConfigurationState {
  readonly #parts: ConfigurationParts;
  #current: Persistent;
  /** Ends when all changes so far have ended. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(parts: ConfigurationParts, current: Persistent) {
    this.#parts = parts;
    this.#current = current;
  }

  /**
   * Puts the stored configuration in force; if there is none, the initial one, which then is stored.
   *
   * @param initial asked only if nothing is stored (the file of `-c`, the default file)
   * @throws ServiceError `config_invalid` for a stored configuration that cannot be read, and all of `initial` and of
   *   {@link Realizer.prepare}
   */
  static async open(
    parts: ConfigurationParts,
    initial: () => Promise<Configuration>,
  ): Promise<ConfigurationState> {
    const stored = await readPersistent(parts.store);
    const state = new ConfigurationState(parts, stored);
    const first = isEmpty(stored.configuration) ? await initial() : stored.configuration;
    if (isEmpty(stored.configuration) && !isEmpty(first)) await state.change(() => first, SERVER_ID);
    else (await parts.realizer.prepare(first, 'tolerate')).activate(stored.maintenance);
    return state;
  }

  get configuration(): Configuration {
    return this.#current.configuration;
  }

  /** The collections that are in maintenance. */
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

  /** Changes the configuration, and returns the answer of the edit. */
  apply<T>(
    edit: (current: Configuration) => { readonly configuration: Configuration; readonly answer: T },
    authorId: string,
  ): Promise<T> {
    return this.#serially(async () => {
      const { configuration: next, answer } = edit(this.configuration);
      const prepared = await this.#parts.realizer.prepare(next);
      const maintenance = new Set(
        [...this.maintenance].filter((name) => Object.hasOwn(next.collections, name)),
      );
      await this.#write({ configuration: next, maintenance }, authorId).catch(async (error) => {
        await prepared.discard();
        throw error;
      });
      prepared.activate(maintenance);
      return answer;
    });
  }

  /** Switches the maintenance mode of a collection on or off; it stays over restarts. */
  setMaintenance(collection: string, active: boolean): Promise<void> {
    return this.#serially(async () => {
      if (this.maintenance.has(collection) === active) return;
      const others = [...this.maintenance].filter((name) => name !== collection);
      const next = { ...this.#current, maintenance: new Set(active ? [...others, collection] : others) };
      const [, state] = writePersistent(next);
      await this.#parts.store.write([state], BY_SERVICE);
      this.#current = next;
      this.#parts.realizer.maintain(next.maintenance);
    });
  }

  /** Waits for changes in progress. The caller closes the store and the log. */
  async close(): Promise<void> {
    await this.#queue;
  }

  async #write(next: Persistent, authorId: string): Promise<void> {
    await this.#parts.store.write(writePersistent(next), { ...BY_SERVICE, author: authorId });
    this.#current = next;
  }

  #serially<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }
}
