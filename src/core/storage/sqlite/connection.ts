/** Writing to SQLite. */
import type { DatabaseSync } from 'node:sqlite';
import { isDiskFull } from '../../errors.ts';
import type { Value } from '../dialect.ts';
import { SQLITE } from '../dialect.ts';
import type { GroupConnection } from '../write/group.ts';
import { bound, statementsOf } from './statements.ts';

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
