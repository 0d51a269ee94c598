/**
 * The audit log of type `gitaudit`: a git repository with the peer's layout, behind a journal.
 *
 * A change is safe once it is announced in the journal. From there it goes to git, in rounds behind the requests, at the
 * latest `flushTimeout` after it was confirmed. While git can't take changes (a lock, damage), they stay in the journal,
 * safe and complete, the log tells of a fault, and it is tried again; past a bound, changes are refused. Changes are
 * refused at once when the journal can't take them.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import type {
  Announcement,
  AuditEntry,
  AuditedChange,
  AuditFault,
  AuditLog,
  OperatorLog,
} from './audit-log.ts';
import { BranchWriter } from './branch-writer.ts';
import { Journal } from './journal.ts';
import type { Announced, Leftover } from './journal-files.ts';
import { type Ownership, takeOwnership } from './owner.ts';
import type { Pending } from './plan.ts';
import { makeRepository, OWN_FILES, removeStaleLock, tidy } from './repository.ts';

export type GitAuditOptions = {
  /** Seconds after which a confirmed change is in git at the latest, if git can take it. */
  readonly flushTimeout: number;
  readonly log: OperatorLog;
};

/** So many changes go to git at once. */
const BATCH = 500;
/**
 * When changes of this weight wait, they go before their time: some 10,000 small ones. Until then a burst of writes has
 * the machine for itself.
 */
const EAGER = 16 << 20;
/** While changes of this weight wait for git, new ones wait too, or are refused. */
const MOST_WAITING = 4 * EAGER;
/** What a change weighs beside the text of its record, in bytes of memory. */
const CHANGE_WEIGHT = 1024;
/** After a failure it is tried again in so many milliseconds. */
const RETRY = 5_000;

export class GitAudit implements AuditLog {
  readonly #path: string;
  readonly #ownership: Ownership;
  readonly #journal: Journal;
  readonly #branch: BranchWriter;
  readonly #flushTimeout: number;
  readonly #log: OperatorLog;
  #unresolved: Announcement[] = [];
  /** In the order in which they go to git. */
  #pending: Pending[] = [];
  /** What they weigh, in bytes of memory. */
  #weight = 0;
  #confirmed = 0;
  #committed = 0;
  #round: Promise<void> | undefined;
  #draining: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why git takes no entries. */
  #fault: AuditFault | undefined;
  #clock = 0;

  private constructor(
    path: string,
    ownership: Ownership,
    journal: Journal,
    { flushTimeout, log }: GitAuditOptions,
  ) {
    this.#path = path;
    this.#ownership = ownership;
    this.#journal = journal;
    this.#branch = new BranchWriter(path, log);
    this.#flushTimeout = flushTimeout * 1000;
    this.#log = log;
  }

  /**
   * Opens the log in a directory, which is made a repository if it is empty or missing.
   *
   * @throws ServiceError `store_incompatible` for a directory that holds something else or that another process owns,
   *   `audit_failed` where it can't be read
   */
  static async open(path: string, options: GitAuditOptions): Promise<GitAudit> {
    await makeRepository(path);
    const own = join(path, OWN_FILES);
    await mkdir(own, { recursive: true });
    const ownership = takeOwnership(join(own, 'owner.db'), path);
    try {
      await tidy(path);
      const { journal, leftovers } = await Journal.open(own);
      const log = new GitAudit(path, ownership, journal, options);
      for (const leftover of leftovers) log.#takeUp(leftover);
      log.#resume();
      return log;
    } catch (error) {
      ownership.release();
      throw error;
    }
  }

  async announce(changes: readonly AuditedChange[]): Promise<Announcement> {
    while (this.#weight >= MOST_WAITING) await this.#work();
    const timed = changes.map((change) => ({ ...change, timeStamp: this.#now() }));
    return this.#announcement(await this.#journal.announce(timed), false);
  }

  unresolved(): readonly Announcement[] {
    return this.#unresolved;
  }

  async history(pids: readonly string[]): Promise<AuditEntry[]> {
    if (!this.#branch.isCaughtUp) await this.#work();
    return this.#branch.history(
      pids,
      this.#pending.map(({ change }) => change),
    );
  }

  async flush(): Promise<void> {
    const target = this.#confirmed;
    while (this.#committed < target) await this.#work();
  }

  faults(): readonly AuditFault[] {
    return this.#fault ? [this.#fault] : [];
  }

  async close(): Promise<void> {
    await this.flush().catch(() => {});
    await this.#round?.catch(() => {});
    clearTimeout(this.#timer);
    await this.#branch.close();
    this.#journal.close();
    this.#ownership.release();
  }

  #announcement(announced: Announced, doubtful: boolean): Announcement {
    const settled = () => {
      this.#unresolved = this.#unresolved.filter((one) => one !== announcement);
    };
    const announcement: Announcement = {
      changes: announced.changes,
      confirm: async () => {
        settled();
        this.#journal.made(announced);
        this.#add(announced, doubtful);
        await announced.durable;
      },
      cancel: async () => {
        settled();
        this.#journal.dropped(announced);
      },
    };
    return announcement;
  }

  /** What a former run has announced: confirmed, or to be settled by who knows the store. */
  #takeUp(leftover: Leftover): void {
    if (leftover.state === 'made') this.#add(leftover, true);
    else this.#unresolved.push(this.#announcement(leftover, true));
  }

  #add(announced: Announced, doubtful: boolean): void {
    const last = announced.changes.length - 1;
    announced.changes.forEach((change, i) => {
      this.#pending.push({ change, completes: i === last ? announced : undefined, doubtful });
      this.#weight += weigh(change);
    });
    this.#confirmed += announced.changes.length;
    if (this.#weight >= EAGER) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), this.#flushTimeout).unref();
  }

  /** Brings what is waiting to git, in the background. */
  #start(): void {
    if (this.#fault) return;
    this.#draining ??= this.flush()
      .catch(() => {})
      .finally(() => {
        this.#draining = undefined;
      });
  }

  /** The first round, or one after a failure: git is looked at even if nothing is waiting. */
  #resume(): void {
    void this.#work()
      .then(() => this.flush())
      .catch(() => {});
  }

  /** One round; there is never more than one at a time. */
  #work(): Promise<void> {
    this.#round ??= this.#commit().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #commit(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#pending.slice(0, BATCH);
    try {
      const taken = await this.#branch.commit(batch);
      this.#done(batch.slice(0, taken));
      this.#journal.rotate();
      if (this.#fault) this.#log.info({ path: this.#path }, 'the audit log takes entries again');
      this.#fault = undefined;
    } catch (error) {
      await this.#failed(error);
    }
    if (this.#pending.length > 0) this.#timer = setTimeout(() => this.#start(), this.#flushTimeout).unref();
  }

  #done(batch: readonly Pending[]): void {
    this.#pending = this.#pending.slice(batch.length);
    this.#committed += batch.length;
    for (const { change, completes } of batch) {
      this.#weight -= weigh(change);
      if (completes) this.#journal.release(completes);
    }
  }

  async #failed(cause: unknown): Promise<never> {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const since = new Date().toISOString();
    const safe = `${this.#pending.length} changes wait in its journal, where they are safe`;
    if (!this.#fault) {
      this.#fault = {
        path: this.#path,
        message: `since ${since} the repository takes no entries; ${safe}: ${reason}`,
      };
      this.#log.warn({ path: this.#path, err: cause }, `the audit log takes no entries; ${safe}`);
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#resume(), RETRY).unref();
    await removeStaleLock(this.#path).catch(() => false);
    throw new ServiceError('audit_failed', `The audit log ${this.#path} can't be written: ${reason}`, [], {
      cause,
    });
  }

  /** The time in microseconds; no two changes have the same, so that it names an entry. */
  #now(): string {
    this.#clock = Math.max(Date.now() * 1000, this.#clock + 1);
    const micros = String(this.#clock % 1000).padStart(3, '0');
    return `${new Date(Math.floor(this.#clock / 1000)).toISOString().slice(0, -1)}${micros}+00:00`;
  }
}

function weigh({ json = '' }: AuditedChange): number {
  return CHANGE_WEIGHT + json.length;
}
