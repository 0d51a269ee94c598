/** Transactions that share a commit, on a connection that writes. */

import type { Connection } from '../connection.ts';
import type { Transaction } from '../database.ts';
import { apply, type Revisions } from './apply.ts';

export type Outcome<Failure = unknown> = { readonly revisions: Revisions } | { readonly error: Failure };

/** A transaction that waits for its commit. */
export type WaitingTransaction = {
  readonly transaction: Transaction;
  readonly done: (revisions: Revisions) => void;
  readonly failed: (error: unknown) => void;
};

/** A group ends with the transaction that brings it to this many changes and other steps. */
const STEPS_OF_GROUP = 1000;

/**
 * Decides which transactions join a group. One that derives rows of many records takes longer than all others: a group has one of
 * these, so that no write waits for several.
 */
export class GroupBounds {
  #steps = 0;
  #derives = false;

  /** The index of the next one that joins; -1 if the others have to wait. */
  nextIn(waiting: readonly WaitingTransaction[]): number {
    if (this.#steps >= STEPS_OF_GROUP) return -1;
    return waiting.findIndex(({ transaction }) => !this.#derives || !derivesRows(transaction));
  }

  add(transaction: Transaction): void {
    this.#steps += stepsIn(transaction);
    this.#derives ||= derivesRows(transaction);
  }

  remove(transaction: Transaction): void {
    this.#steps -= stepsIn(transaction);
    if (derivesRows(transaction)) this.#derives = false;
  }
}

function stepsIn({ steps }: Transaction): number {
  return steps.reduce((sum, step) => sum + ('changes' in step ? step.changes.length : 1), 0);
}

function derivesRows({ steps }: Transaction): boolean {
  return steps.some((step) => 'derived' in step);
}

/** A connection that can begin and end transactions. */
export type GroupConnection = Connection & {
  begin(): Promise<void> | void;
  commit(): Promise<void> | void;
  /** Does not throw. */
  rollback(): Promise<void> | void;
  /** Whether the transaction can go on after an error of a statement that reads. */
  isUsable(error: unknown): boolean;
  /** Whether an error concerns the medium: nothing will succeed now, or it is unknown what has. */
  isLost(error: unknown): boolean;
};

/**
 * Carries out transactions with one commit, each entirely or not at all. One that is refused before it has written
 * anything leaves the others alone, which is nearly always so; otherwise all are made again, each with its own commit.
 */
export async function applyGroup(
  connection: GroupConnection,
  group: readonly Transaction[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let writes = 0;
  const counting: Connection = {
    ...connection,
    run(sql, values) {
      writes += 1;
      return connection.run(sql, values);
    },
    each(statements) {
      writes += statements.length;
      return connection.each(statements);
    },
    many(sql, rows) {
      writes += rows.length;
      return connection.many(sql, rows);
    },
  };
  let isBegun = false;
  try {
    await connection.begin();
    isBegun = true;
    for (const transaction of group) {
      writes = 0;
      try {
        outcomes.push({ revisions: await apply(counting, transaction) });
      } catch (error) {
        if (writes > 0 || !connection.isUsable(error)) throw error;
        outcomes.push({ error });
      }
    }
    await connection.commit();
    return outcomes;
  } catch (error) {
    await connection.rollback();
    // Each transaction alone would wait as long for the same lock.
    if (!isBegun || group.length === 1 || connection.isLost(error)) return group.map(() => ({ error }));
    const single: Outcome[] = [];
    for (const transaction of group) single.push(...(await applyGroup(connection, [transaction])));
    return single;
  }
}
