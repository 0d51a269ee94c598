/**
 * The current configuration: loaded at startup, changed element by element, kept through restarts.
 *
 * A change is carried out in this order, and a failure at any step leaves the running and the stored state as they
 * were: the edit (which checks its rules), the preparation (which opens schemas, stores, sources), the write to the
 * store with its entry, the activation. From the activation on
 * every request that starts sees the new state; requests in flight keep what they hold.
 */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Actor, Change, JointPart, LedgerChange, RecordStore } from '../storage/store.ts';
import { type Configuration, isEmptyConfiguration } from './config.ts';
import { type Persistent, readPersistent, writePersistent } from './record.ts';
import { afterWrite, expectationOf, readStored, type StoredState, settingRow, withKept } from './shared.ts';

/** Who makes changes that no administrator asked for, and commits all of them: as the peer has it. */
export const SERVER_ID = '__dump_things_server__';

const BY_SERVICE = { committer: SERVER_ID, author: SERVER_ID, role: 'service' } as const;

/** Carries a configuration out. The registry of collections does. */
export interface ConfigurationHost {
  /**
   * Opens everything that the next configuration needs and the present one does not have yet. Nothing changes
   * until it is activated.
   *
   * @param failures whether a collection that cannot be opened makes the configuration fail, or is left out and retried
   * @throws ServiceError `schema_invalid`, `store_incompatible`, `path_outside_store` or what else is in the way; all
   *   that was opened on the way is closed again
   */
  prepare(next: Configuration, failures?: 'refuse' | 'tolerate'): Promise<Staged>;
  /** Switches maintenance modes, at once. */
  maintain(maintenance: ReadonlySet<string>): void;
}

/** A configuration that is ready; exactly one of the two is called. */
export interface Staged {
  /** Applies it, at once and without failure. */
  activate(maintenance: ReadonlySet<string>): void;
  /** Closes what was opened for it. */
  discard(): Promise<void>;
}

export type ConfigurationParts = {
  /** The record directory `__dump_things__/config_store`, or the area of that name in the database. */
  readonly store: RecordStore;
  readonly host: ConfigurationHost;
  /** Whether other processes change the configuration. */
  readonly shared?: boolean;
};

/** How often a change is repeated because another instance made one first. */
const CHANGE_ATTEMPTS = 10;

/** The current configuration and the maintenance modes; a service has one. */
export class ConfigurationState {
  readonly #parts: ConfigurationParts;
  #current: Persistent;
  /** What the store has, as far as this instance knows. */
  #stored: StoredState | undefined;
  /** Ends when all changes so far have ended. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(parts: ConfigurationParts, current: Persistent) {
    this.#parts = parts;
    this.#current = current;
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
    const known = parts.shared ? await readStored(parts.store) : undefined;
    const stored = known?.persistent ?? (await readPersistent(parts.store));
    const state = new ConfigurationState(parts, stored);
    state.#stored = known;
    const first = isEmptyConfiguration(stored.configuration) ? await initial() : stored.configuration;
    if (isEmptyConfiguration(stored.configuration) && !isEmptyConfiguration(first)) {
      // Another instance may have stored one meanwhile.
      await state.change((current) => (isEmptyConfiguration(current) ? first : current), SERVER_ID);
    } else (await parts.host.prepare(first, 'tolerate')).activate(stored.maintenance);
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

  /** The database whose areas can be changed in one transaction with the configuration. */
  get database(): object | undefined {
    return this.#stored && this.#parts.store.joint?.database;
  }

  /**
   * Changes the configuration, and returns the answer of the edit.
   *
   * @param together writes to areas of {@link database}, made in the same transaction
   */
  apply<T>(
    edit: (current: Configuration) => { readonly configuration: Configuration; readonly answer: T },
    authorId: string,
    together: readonly JointPart[] = [],
  ): Promise<T> {
    return this.#serially(async () => {
      const { configuration: next, answer } = edit(this.configuration);
      const prepared = await this.#parts.host.prepare(next);
      const maintenance = new Set(
        [...this.maintenance].filter((name) => Object.hasOwn(next.collections, name)),
      );
      const by = { ...BY_SERVICE, author: authorId };
      try {
        await this.#write(await writePersistent({ configuration: next, maintenance }), by, next, together);
      } catch (error) {
        await prepared.discard();
        throw error;
      }
      this.#current = { configuration: next, maintenance };
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
      const [, state] = await writePersistent(next);
      await this.#write([state], BY_SERVICE, this.configuration);
      this.#current = next;
      this.#parts.host.maintain(next.maintenance);
    });
  }

  /**
   * Applies the changes of other instances, if there are any.
   *
   * @throws ServiceError `storage_unavailable`, `config_invalid`
   */
  refresh(): Promise<void> {
    const done = this.#queue.then(() => this.#follow());
    this.#queue = done.catch(() => {});
    return done;
  }

  /** @throws ServiceError `storage_unavailable` or `storage_failed` if the stored configuration can't be read now */
  async checkStore(): Promise<void> {
    await this.#parts.store.revision();
  }

  /** Waits for changes in progress. The caller closes the store and the log. */
  async close(): Promise<void> {
    await this.#queue;
  }

  async #follow(): Promise<void> {
    const { store, host } = this.#parts;
    const before = this.#stored;
    if (!before || (await store.revision()) === before.revision) return;
    const stored = await readStored(store);
    const configuration = withKept(stored, before, this.configuration);
    const { maintenance } = stored.persistent;
    const prepared = await host.prepare(configuration, 'tolerate');
    this.#stored = stored;
    this.#current = { configuration, maintenance };
    prepared.activate(maintenance);
  }

  /** @throws ServiceError `precondition_failed` if another instance has changed the configuration meanwhile */
  async #write(
    changes: readonly Change[],
    by: Actor,
    next: Configuration,
    together: readonly JointPart[] = [],
  ): Promise<void> {
    const { store } = this.#parts;
    const set = Object.entries(next.collections).filter(
      ([name, config]) => this.configuration.collections[name] !== config,
    );
    const rows = new Map(set.map(([name]) => [name, randomUUID() as string]));
    const settings = [...rows].map(([id, value]) => ({ set: settingRow(id, value) }));
    const stored = this.#stored;
    if (!stored) {
      await store.write(changes, by, settings);
      return;
    }
    const expected = changes.map((change) => ({ ...change, expect: expectationOf(change, stored) }));
    const revisions = await revisionsOf(store, expected, by, settings, together);
    this.#stored = afterWrite(stored, changes, revisions, new Map([...stored.settings, ...rows]));
  }

  /** One change after the other. If another instance was faster, the change is repeated on its result. */
  #serially<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(async () => {
      for (let attempt = 1; ; attempt++) {
        await this.#follow();
        try {
          return await work();
        } catch (error) {
          const refused = error instanceof ServiceError && error.code === 'precondition_failed';
          if (!this.#stored || !refused || attempt === CHANGE_ATTEMPTS) throw error;
          if ((await this.#parts.store.revision()) === this.#stored.revision) throw error;
        }
      }
    });
    this.#queue = done.catch(() => {});
    return done;
  }
}

/** Writes, together with writes to other areas of the database. @returns the revisions of the changes */
async function revisionsOf(
  store: RecordStore,
  changes: readonly Change[],
  by: Actor,
  ledger: readonly LedgerChange[],
  others: readonly JointPart[],
): Promise<readonly number[]> {
  const { joint } = store;
  if (!joint || others.length === 0)
    return (await store.write(changes, by, ledger)).map(({ revision }) => revision);
  const [revisions = []] = await joint.write([joint.part({ changes, by, ledger }), ...others]);
  return revisions;
}
