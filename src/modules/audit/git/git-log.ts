/**
 * The repository of a log while this process may write to it. It is written, and read only to continue it: the head of the
 * branch, and the `.log` of a record that gets a line.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fault } from '../../../core/collections/part.ts';
import { ServiceError } from '../../../core/errors.ts';
import { inTurn } from '../../../core/in-turn.ts';
import type { Leadership } from '../../../core/storage/database.ts';
import { type Lock, takeLock } from '../../../core/storage/sqlite/lock.ts';
import type { Entry } from '../../../core/storage/store.ts';
import type { Pool } from '../../../core/work/pool.ts';
import type { OperatorLog } from '../audit-log.ts';
import type {} from '../codes.ts';
import { BranchWriter } from './branch-writer.ts';
import type { LoggedChange, Skipped } from './plan.ts';
import { makeRepository, OWN_FILES, removeStaleLock, tidy } from './repository.ts';

type Opened = { readonly lock: Lock; readonly branch: BranchWriter };

export class GitLog {
  /** Entries that cannot be written. */
  readonly skipped: Fault[] = [];
  readonly #path: string;
  readonly #pool: Pool;
  readonly #log: OperatorLog;
  readonly #unwatch: () => void;
  #opened: Promise<Opened> | undefined;
  /** One after the other: a collection that is opened again has two that write. */
  readonly #inTurn = inTurn();

  constructor(path: string, leadership: Leadership, pool: Pool, log: OperatorLog) {
    this.#path = path;
    this.#pool = pool;
    this.#log = log;
    // Another instance writes now.
    this.#unwatch = leadership.watch(() => void (leadership.held || this.#end()));
  }

  /**
   * Makes the directory a repository if it is empty or missing, and locks it.
   *
   * @throws ServiceError `store_incompatible` for a directory that holds something else or that another process owns,
   *   `audit_failed` if it cannot be read
   */
  open(): Promise<Opened> {
    this.#opened ??= this.#take().catch((error) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /** Adds changes to the branch but those that it has. @throws ServiceError `audit_failed`; some may be there then */
  write(changes: readonly LoggedChange[]): Promise<void> {
    return this.#inTurn(async () => {
      try {
        const { branch } = await this.open();
        await branch.commit(changes, (skipped) => this.#skip(skipped));
      } catch (cause) {
        await removeStaleLock(this.#path).catch(() => false);
        const reason = cause instanceof Error ? cause.message : String(cause);
        const message = `The audit log ${this.#path} cannot be written: ${reason}`;
        throw new ServiceError('audit_failed', message, [], { cause });
      }
    });
  }

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  /** Whether the branch has a record that is not deleted. */
  async hasRecords(): Promise<boolean> {
    return this.isOpen && (await this.open()).branch.hasRecords();
  }

  /** Whether the branch has an entry. */
  async has({ pid, time }: Entry): Promise<boolean> {
    return (await this.open()).branch.has(pid, time);
  }

  async close(): Promise<void> {
    this.#unwatch();
    await this.#end();
  }

  async #take(): Promise<Opened> {
    await makeRepository(this.#path);
    const own = join(this.#path, OWN_FILES);
    await mkdir(own, { recursive: true });
    const lock = takeLock(join(own, 'owner.db'), `The audit log ${this.#path}`);
    try {
      await tidy(this.#path);
      return { lock, branch: new BranchWriter(this.#path, this.#pool, this.#log) };
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  #end(): Promise<void> {
    const ending = this.#inTurn(async () => {
      const opened = await this.#opened?.catch(() => undefined);
      this.#opened = undefined;
      await opened?.branch.close();
      opened?.lock.release();
    });
    ending.catch((err) => {
      this.#log.warn({ err, path: this.#path }, 'could not close the audit log');
    });
    return ending;
  }

  #skip({ change: { pid, timeStamp }, error }: Skipped): void {
    const { message: reason } = error as Error;
    const message = `the entry of '${pid}' at ${timeStamp} cannot be written as YAML and is not in the log: ${reason}`;
    this.skipped.push({ path: this.#path, message });
    const facts = { path: this.#path, pid, timeStamp, err: error };
    this.#log.warn(facts, 'an entry cannot be exported and is skipped');
  }
}
