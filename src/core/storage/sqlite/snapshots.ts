/** Snapshots of a database: each is a transaction that reads, on a connection of its own. */
import type { Value } from '../dialect.ts';
import type { Rows } from '../engine.ts';
import { openReading, type ReadingConnection } from './statements.ts';

/** Connections that are kept for the next snapshots: each has up to 2 MiB of pages. */
const MOST_IDLE = 4;

export class Snapshots {
  readonly #file: string;
  readonly #idle: ReadingConnection[] = [];
  readonly #present = new Map<number, ReadingConnection>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Connections that are open. */
  get size(): number {
    return this.#idle.length + this.#present.size;
  }

  begin(snapshot: number): void {
    const connection = this.#idle.pop() ?? openReading(this.#file);
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
}
