/** A database server or file, as the {@link Database} of `open-database.ts` uses it. */

import type { Database, DatabaseSize, Leadership, Transaction } from './database.ts';
import type { Dialect, Value } from './dialect.ts';
import type { Revisions } from './write/apply.ts';

/** Rows as arrays, and the names of their columns. */
export type Rows = { readonly columns: readonly string[]; readonly rows: unknown[][] };

/** Runs a statement that reads. */
export type Query = (sql: string, values: readonly Value[]) => Promise<Rows>;

export interface Engine {
  readonly dialect: Dialect;
  readonly readOnly: boolean;
  readonly query: Query;
  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Carries out a transaction durably. Those that wait at the same time share a commit.
   *
   * @throws TransactionConflict, ServiceError, or the failure of the medium
   */
  commit(transaction: Transaction): Promise<Revisions>;
  /** A failure of the medium as an error of the service. */
  failure(error: unknown, doing: string): Error;
  /** Why nothing may be written; undefined if nothing is known. */
  problem(): Promise<string | undefined>;
  /** See {@link Database.requireWritable}. */
  probe(): Promise<void>;
  /** Informs other instances that areas have changed. */
  announce(areas: ReadonlySet<string>): void;
  /** Calls back when other processes have changed areas. */
  onForeignChange(callback: (areas: ReadonlySet<string> | 'unknown') => void): void;
  readonly leadership: Leadership;
  size(): Promise<DatabaseSize>;
  /** See {@link Database.logSize}. */
  logSize(): Promise<number | null>;
  /** Called when all transactions have been carried out. */
  close(): Promise<void>;
}
