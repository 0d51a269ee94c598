/** Transactions that wait for the connection which writes. */

import type { Transaction } from '../database.ts';
import type { Revisions } from '../write/apply.ts';
import { GroupBounds, type Outcome, type WaitingTransaction } from '../write/group.ts';

/** Carries out what waits as a group, one group at a time: transactions that come meanwhile share the next commit. */
export class GroupQueue {
  readonly #carryOut: (group: readonly Transaction[]) => Promise<readonly Outcome[]>;
  readonly #waiting: WaitingTransaction[] = [];
  #working: Promise<void> | undefined;

  /** @param carryOut returns the outcomes in order; if it throws, no transaction of the group has another outcome */
  constructor(carryOut: (group: readonly Transaction[]) => Promise<readonly Outcome[]>) {
    this.#carryOut = carryOut;
  }

  commit(transaction: Transaction): Promise<Revisions> {
    return new Promise((done, failed) => {
      this.#waiting.push({ transaction, done, failed });
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    // Transactions of requests that are read in the same turn join the group.
    await new Promise((turn) => setImmediate(turn));
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      const outcomes = await this.#carryOut(group.map(({ transaction }) => transaction)).catch((error) =>
        group.map((): Outcome => ({ error })),
      );
      // The next group is on its way before those who wait for this one go on: the disk never waits for responses.
      queueMicrotask(() => {
        for (const [at, outcome] of outcomes.entries())
          if ('revisions' in outcome) group[at]!.done(outcome.revisions);
          else group[at]!.failed(outcome.error);
      });
    }
    this.#working = undefined;
  }

  #takeGroup(): WaitingTransaction[] {
    const group: WaitingTransaction[] = [];
    const bounds = new GroupBounds();
    for (let at = bounds.nextIn(this.#waiting); at >= 0; at = bounds.nextIn(this.#waiting)) {
      group.push(...this.#waiting.splice(at, 1));
      bounds.add(group.at(-1)!.transaction);
    }
    return group;
  }
}
