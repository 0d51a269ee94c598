/** A database server or file, as the {@link Database} of `open-database.ts` uses it. */
import type { Database, DatabaseSize, Leadership, Transaction } from './database.ts';
import type { Dialect, Value } from './dialect.ts';
import type { Outcome } from './group.ts';

/** Rows as arrays, and the names of their columns. */
type Rows = { readonly columns: readonly string[]; readonly rows: unknown[][] };

/** Runs a statement that reads. */
export type Query = (sql: string, values: readonly Value[]) => Promise<Rows>;

export interface Engine {
  readonly dialect: Dialect;
  readonly readOnly: boolean;
  readonly query: Query;
  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Carries out transactions with one commit, durably. Called for one group at a time.
   *
   * @returns their outcomes in order, with TransactionConflict, ServiceError, or the failure of the medium
   * @throws what has kept all of them from being made
   */
  commit(group: readonly Transaction[]): Promise<readonly Outcome[]>;
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
  close(): Promise<void>;
}
