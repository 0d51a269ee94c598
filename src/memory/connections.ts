/**
 * The page caches of SQLite. Each connection has its own; they are set again whenever one is opened or closed, so that all
 * together stay within their share. (SQLite's own limit for all connections needs statistics that Node leaves out.)
 */

/** A connection, as far as it is needed here; that of `node:sqlite` fits. */
export type Connection = { readonly isOpen: boolean; exec(sql: string): void };

/** More than the upper pages of the trees is better left to the cache of the system: 8 MB saved no processor time. */
const MOST = 2 * 1024 * 1024;
/** With less, SQLite reads pages again within one statement. */
const LEAST = 256 * 1024;

export class ConnectionMemory {
  readonly #limit: number;
  /** With the kilobytes that each was given. */
  readonly #open = new Map<Connection, number>();

  /** @param limit for all connections, in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a connection, until it is closed and another one is added. @returns it */
  add<T extends Connection>(connection: T): T {
    this.#open.set(connection, 0);
    this.divide();
    return connection;
  }

  /** To be called when connections were closed. */
  divide(): void {
    for (const one of this.#open.keys()) if (!one.isOpen) this.#open.delete(one);
    const kilobytes = Math.floor(this.#each / 1024);
    for (const [one, given] of this.#open) {
      if (given === kilobytes) continue;
      one.exec(`PRAGMA cache_size = -${kilobytes}`);
      this.#open.set(one, kilobytes);
    }
  }

  /** What all connections may use now, in bytes. */
  get most(): number {
    return [...this.#open.keys()].filter(({ isOpen }) => isOpen).length * this.#each;
  }

  get #each(): number {
    return Math.max(LEAST, Math.min(MOST, this.#limit / Math.max(1, this.#open.size)));
  }
}
