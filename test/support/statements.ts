/** Counts the statements that read, on both databases, in the main thread and in those of snapshots. */
import { StatementSync } from 'node:sqlite';
import pg from 'pg';
import { ReadingThread } from '../../src/core/storage/sqlite/reading-threads.ts';

let statements = 0;

function countCalls<Name extends string>(prototype: Record<Name, unknown>, name: Name): void {
  const method = prototype[name] as (...values: unknown[]) => unknown;
  prototype[name] = function (this: unknown, ...values: unknown[]) {
    statements += 1;
    return method.apply(this, values);
  };
}

countCalls(StatementSync.prototype, 'all');
countCalls(ReadingThread.prototype, 'query');
countCalls(pg.Client.prototype, 'query');

/** How many statements have run while some work was done, with what runs in the background. */
export async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const before = statements;
  await work();
  return statements - before;
}
