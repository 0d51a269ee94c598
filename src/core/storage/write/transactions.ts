/** The transactions of a database: prepared, committed, and prepared again if something else was faster. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '../../errors.ts';
import type { Database, Draft, Participants, StagedFiles, Step, Transaction } from '../database.ts';
import type { Engine, Query } from '../engine.ts';
import { type Revisions, TransactionConflict } from './apply.ts';
import { NO_COMPANIONS, sentStep, TransactionDraft } from './draft.ts';

/** How often a transaction is prepared again because something else was faster. */
const MOST_ATTEMPTS = 50;
/** From this attempt on, other transactions of this process wait for it. */
const FAIR_ATTEMPTS = 5;

const NO_PARTICIPANTS: Participants = { companions: () => NO_COMPANIONS, mirror: () => undefined };

type OnChange = Parameters<Database['onChange']>[0];
/** Files of a mirror, and the step of the transaction that they belong to. */
type Staged = { readonly files: StagedFiles; readonly step: number };

export class Transactions {
  readonly #engine: Engine;
  readonly #query: Query;
  readonly #callbacks = new Set<OnChange>();
  readonly #inProgress = new Set<Promise<unknown>>();
  #participants = NO_PARTICIPANTS;
  /** Ends when the transaction that others wait for has ended. */
  #turn: Promise<void> | undefined;
  /** Whether the present work has the turn. */
  readonly #hasTurn = new AsyncLocalStorage<boolean>();

  constructor(engine: Engine, query: Query) {
    this.#engine = engine;
    this.#query = query;
    engine.onForeignChange((changed) => this.#inform(changed));
  }

  /** See {@link Database.use}. */
  use(participants: Participants): void {
    this.#participants = participants;
  }

  /** See {@link Database.onChange}. */
  onChange(callback: OnChange): () => void {
    this.#callbacks.add(callback);
    return () => void this.#callbacks.delete(callback);
  }

  /** See {@link Database.transact}. */
  transact<T>(prepare: (draft: Draft) => Promise<T>): Promise<T> {
    return this.#noted(this.#prepareAndCommit(prepare));
  }

  /** Commits steps that nothing is read for: companions add nothing, and no one is informed of them. */
  async commitAlone(steps: Transaction['steps']): Promise<void> {
    await this.#noted(this.#engine.commit({ checks: [], steps })).catch((error) => {
      throw this.#engine.failure(error, 'Writing');
    });
  }

  /** Ends when all transactions that have begun are made, or have failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#inProgress);
  }

  #noted<T>(writing: Promise<T>): Promise<T> {
    const work = writing.finally(() => this.#inProgress.delete(work));
    this.#inProgress.add(work);
    return work;
  }

  async #prepareAndCommit<T>(prepare: (draft: Draft) => Promise<T>): Promise<T> {
    let endTurn: (() => void) | undefined;
    try {
      for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
        if (attempt === FAIR_ATTEMPTS && !this.#hasTurn.getStore()) endTurn = await this.#takeTurn();
        const draft = new TransactionDraft(
          this.#engine.dialect,
          this.#query,
          this.#participants,
          attempt === 1,
        );
        const result = await (endTurn ? this.#hasTurn.run(true, () => prepare(draft)) : prepare(draft));
        if (draft.steps.length === 0) return result;
        while (this.#turn && !endTurn && !this.#hasTurn.getStore()) await this.#turn;
        if (await this.#commit(draft)) return result;
      }
    } finally {
      endTurn?.();
    }
    throw new ServiceError(
      'busy',
      'Others changed the same records at the same time, again and again. Try again.',
    );
  }

  /** Has the others of this process wait with their commits. @returns a function that ends this */
  async #takeTurn(): Promise<() => void> {
    while (this.#turn) await this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    return () => {
      this.#turn = undefined;
      resolve();
    };
  }

  /** @returns whether the transaction was made; if not, it has to be prepared again */
  async #commit(draft: TransactionDraft): Promise<boolean> {
    const { checks, steps } = draft;
    const staged = await this.#stage(steps);
    let revisions: Revisions;
    try {
      revisions = await this.#engine.commit({ checks, steps: steps.map(sentStep) });
    } catch (error) {
      await Promise.all(staged.map(({ files }) => files.discard()));
      if (error instanceof TransactionConflict) return false;
      throw this.#engine.failure(error, 'Writing');
    }
    // From here on, nothing may fail: the transaction is made.
    draft.commit(revisions);
    await Promise.all(staged.map(({ files, step }) => files.publish(revisions[step] ?? [])));
    for (const step of steps)
      if ('staged' in step) await this.#participants.mirror(step.area.path)?.catchUp();
    // Derived rows follow a change that was announced with its own transaction.
    const changed = new Set(
      steps.flatMap((step) => ('area' in step && !('derived' in step) ? [step.area.path] : [])),
    );
    if (changed.size > 0) {
      this.#engine.announce(changed);
      this.#inform(changed);
    }
    return true;
  }

  /** Has mirrors write the files of the changes beside those that they replace. */
  async #stage(steps: readonly Step[]): Promise<Staged[]> {
    const staged: Staged[] = [];
    try {
      for (const [at, step] of steps.entries()) {
        const mirror = 'changes' in step ? this.#participants.mirror(step.area.path) : undefined;
        if (mirror && 'changes' in step) staged.push({ files: await mirror.stage(step.changes), step: at });
      }
    } catch (error) {
      for (const { files } of staged) await files.discard();
      throw this.#engine.failure(error, 'Writing');
    }
    return staged;
  }

  #inform(changed: ReadonlySet<string> | 'unknown'): void {
    for (const callback of this.#callbacks) callback(changed);
  }
}
