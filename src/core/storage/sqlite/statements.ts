/** Statements of SQLite as the service runs them. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Value } from '../dialect.ts';
import type { Rows } from '../engine.ts';

/** Filters combine to many statements; those in use are prepared again. */
const MOST_STATEMENTS = 500;

/** Prepares statements once; their parameters are numbered and their rows are arrays. */
export function statementsOf(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    let statement = prepared.get(sql);
    if (!statement) {
      statement = database.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'));
      statement.setReturnArrays(true);
      if (prepared.size >= MOST_STATEMENTS) prepared.clear();
      prepared.set(sql, statement);
    }
    return statement;
  };
}

/** Values as SQLite takes them: a list is a JSON array. */
export function bound(values: readonly Value[]): (string | number | null | Uint8Array)[] {
  return values.map((value) =>
    Array.isArray(value) ? JSON.stringify(value) : (value as Exclude<Value, readonly unknown[]>),
  );
}

/** A connection that reads. */
export type ReadingConnection = {
  readonly database: DatabaseSync;
  query(sql: string, values: readonly Value[]): Rows;
};

export function openReading(file: string): ReadingConnection {
  const database = new DatabaseSync(file, { timeout: 10_000, readOnly: true });
  return { database, query: rowsOf(database) };
}

function rowsOf(database: DatabaseSync): ReadingConnection['query'] {
  const statement = statementsOf(database);
  const columns = new Map<string, string[]>();
  return (sql, values) => {
    const prepared = statement(sql);
    let names = columns.get(sql);
    if (!names) {
      names = prepared.columns().map(({ name }) => name);
      columns.set(sql, names);
    }
    return { columns: names, rows: prepared.all(...bound(values)) as unknown as unknown[][] };
  };
}
