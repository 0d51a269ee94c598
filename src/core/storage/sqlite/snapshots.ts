/** Snapshots of a database: each is a transaction that reads, on a connection of its own. */
import { DatabaseSync } from 'node:sqlite';
import type { Value } from '../dialect.ts';
import type { Rows } from '../engine.ts';
import { rowsOf } from './statements.ts';

/** Connections that are kept for the next snapshots: each has up to 2 MiB of pages. */
const MOST_IDLE = 4;

type Connection = { readonly database: DatabaseSync; readonly query: ReturnType<typeof rowsOf> };

export class Snapshots {
  readonly #file: string;
  readonly #idle: Connection[] = [];
  readonly #present = new Map<number, Connection>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Connections that are open. */
  get size(): number {
    return this.#idle.length + this.#present.size;
  }

  begin(snapshot: number): void {
    const connection = this.#idle.pop() ?? this.#open();
    this.#present.set(snapshot, connection);
    connection.database.exec('BEGIN');
  }

  query(snapshot: number, sql: string, values: readonly Value[]): Rows {
    const connection = this.#present.get(snapshot);
    if (!connection) throw new Error('The snapshot has ended.');
    return connection.query(sql, values);
  }

  end(snapshot: number): void {
    const connection = this.#present.get(snapshot);
    if (!connection) return;
    this.#present.delete(snapshot);
    if (connection.database.isTransaction) connection.database.exec('COMMIT');
    if (this.#idle.length < MOST_IDLE) this.#idle.push(connection);
    else connection.database.close();
  }

  close(): void {
    for (const { database } of [...this.#idle.splice(0), ...this.#present.values()]) database.close();
    this.#present.clear();
  }

  #open(): Connection {
    const database = new DatabaseSync(this.#file, { timeout: 10_000, readOnly: true });
    return { database, query: rowsOf(database) };
  }
}
