/** SQLite as the service opens it. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDiskFull } from '../../errors.ts';
import type { Value } from '../dialect.ts';
import { SQLITE } from '../dialect.ts';
import type { GroupConnection } from '../write/group.ts';

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

/** Filters combine to many statements; those in use are prepared again. */
const MOST_STATEMENTS = 500;

/** Values as SQLite takes them: a list is a JSON array. */
export function bound(values: readonly Value[]): (string | number | null | Uint8Array)[] {
  return values.map((value) =>
    Array.isArray(value) ? JSON.stringify(value) : (value as Exclude<Value, readonly unknown[]>),
  );
}

/** A connection that writes, in the thread that owns it. */
export function writingConnection(database: DatabaseSync): GroupConnection {
  const statement = statementsOf(database);
  const run = (sql: string, values: readonly Value[] = []) =>
    Number(statement(sql).run(...bound(values)).changes);
  return {
    dialect: SQLITE,
    tuples: <Row extends readonly unknown[]>(sql: string, values: readonly Value[] = []) =>
      statement(sql).all(...bound(values)) as unknown as Row[],
    run,
    each: (statements) => statements.map(({ sql, values }) => run(sql, values)),
    many(sql, rows) {
      if (rows.length === 0) return;
      const prepared = statement(sql);
      for (const values of rows) prepared.run(...bound(values));
    },
    begin: () => database.exec('BEGIN IMMEDIATE'),
    commit: () => database.exec('COMMIT'),
    rollback() {
      if (database.isTransaction) database.exec('ROLLBACK');
    },
    isUsable: () => database.isTransaction,
    isLost: (error) => isDiskFull(error) || !database.isOpen,
  };
}
