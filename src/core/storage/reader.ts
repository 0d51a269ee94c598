/** The type of what reads a database: statements, outside and inside of transactions. */
import type { Value } from './dialect.ts';

/** Reads rows. */
export type Reader = {
  /** Rows as objects with the names of the columns. */
  read<Row extends object>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  /** Rows as arrays of columns: much cheaper with SQLite. */
  tuples<Row extends readonly unknown[]>(sql: string, values?: readonly Value[]): Promise<Row[]>;
};
