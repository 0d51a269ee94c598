/** A connection as transactions are carried out on it: in a thread on SQLite, in the main thread on PostgreSQL. */

import type { Dialect, Value } from './dialect.ts';

/** SQLite returns a value at once, and PostgreSQL promises it: statements are awaited either way. */
type Awaitable<T> = T | Promise<T>;

export type Statement = { readonly sql: string; readonly values: readonly Value[] };

export interface Connection {
  readonly dialect: Dialect;
  /** Rows as arrays of columns. */
  tuples<Row extends readonly unknown[]>(sql: string, values?: readonly Value[]): Awaitable<Row[]>;
  /** Runs a statement that returns no rows. @returns the number of rows that it changed */
  run(sql: string, values?: readonly Value[]): Awaitable<number>;
  /** Runs statements in order: on PostgreSQL, they travel together. @returns the number of rows that each has changed */
  each(statements: readonly Statement[]): Awaitable<number[]>;
  /** Runs a statement once for each list of values. */
  many(sql: string, rows: readonly (readonly Value[])[]): Awaitable<void>;
}

/** The first row, if there is one. */
export async function first<Row extends readonly unknown[]>(
  connection: Pick<Connection, 'tuples'>,
  sql: string,
  values: readonly Value[] = [],
): Promise<Row | undefined> {
  return (await connection.tuples<Row>(sql, values))[0];
}
