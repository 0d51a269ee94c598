/**
 * The audit log of type `gitaudit`: a git repository with the peer's layout, behind a journal.
 *
 * A change is safe once it is announced in the journal. From there a committer brings confirmed changes to git in groups, at the latest `flushTimeout` after they were
 * confirmed. While git can't take them (a lock, damage), they stay in the journal, safe and complete, the log tells of
 * a fault, and the committer tries again; past a bound, changes are refused. Changes are refused at once when the
 * journal can't take them. `plan.ts` says which commits a group becomes.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import type { Announcement, AuditEntry, AuditedChange, AuditFault, AuditLog } from './audit-log.ts';
import { collectUpdates, walkCommits } from './commit-walk.ts';
import { EntryIndex } from './entry-index.ts';
import { git, gitFailed } from './git.ts';
import { readEntries } from './history.ts';
import { Importer } from './importer.ts';
import { Journal } from './journal.ts';
import type { Announced, Leftover } from './journal-files.ts';
import { BRANCH } from './layout.ts';
import { ObjectReader } from './object-reader.ts';
import { type Ownership, takeOwnership } from './owner.ts';
import { type Pending, planCommits } from './plan.ts';
import {
  appendPids,
  beginBranch,
  hasPidFile,
  makeRepository,
  needsRepack,
  OWN_FILES,
  removeStaleLock,
  repack,
  tidy,
  writePidFile,
} from './repository.ts';

/** Where operators are told of what goes wrong; a pino logger fits. */
export type OperatorLog = {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
};

export type GitAuditOptions = {
  /** Seconds after which a confirmed change is in git at the latest, if git can take it. */
  readonly flushTimeout: number;
  readonly log: OperatorLog;
};

/** So many changes go to git at once. */
const BATCH = 500;
/**
 * When changes of this weight wait, the committer starts before its time: some 10,000 small ones. Until then a burst of
 * writes has the machine for itself.
 */
const EAGER = 16 << 20;
/** While changes of this weight wait for git, new ones wait too, or are refused. */
const MOST_WAITING = 4 * EAGER;
/** What a change weighs beside the text of its record, in bytes of memory. */
const CHANGE_WEIGHT = 1024;
/** After a failure the committer tries again in so many milliseconds. */
const RETRY = 5_000;

export class GitAudit implements AuditLog {
  readonly #path: string;
  readonly #ownership: Ownership;
  readonly #journal: Journal;
  readonly #index: EntryIndex;
  readonly #reader: ObjectReader;
  readonly #importer: Importer;
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
  #repacking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why git takes no entries. */
  #fault: AuditFault | undefined;
  /** Small packs could not be packed together: it is not tried again in this run. */
  #repackFailed = false;
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
    this.#index = EntryIndex.open(join(path, OWN_FILES, 'index.db'));
    this.#reader = new ObjectReader(path);
    this.#importer = new Importer(path);
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
    if (this.#index.tip === undefined) await this.#work();
    const pending = this.#pending.map(({ change }) => change);
    return readEntries(pids, this.#index, this.#reader, pending);
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
    await this.#repacking;
    await this.#importer.close();
    this.#reader.close();
    this.#journal.close();
    this.#index.close();
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
    if (!this.#fault) void this.flush().catch(() => {});
  }

  /** The first round, or one after a failure: git is looked at even if nothing is waiting. */
  #resume(): void {
    void this.#work()
      .then(() => this.flush())
      .catch(() => {});
  }

  /** One round of the committer; there is never more than one at a time. */
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
      const tip = await this.#catchUp();
      const taken = await this.#write(batch, tip);
      this.#done(batch.slice(0, taken));
      this.#journal.rotate();
      if (this.#fault) this.#log.info({ path: this.#path }, 'the audit log takes entries again');
      this.#fault = undefined;
    } catch (error) {
      for (const one of batch) one.doubtful = true;
      await this.#failed(error);
    }
    if (this.#pending.length > 0) this.#timer = setTimeout(() => this.#start(), this.#flushTimeout).unref();
    if (!this.#repacking && !this.#repackFailed && (await needsRepack(this.#path))) this.#repack();
  }

  /** Where the branch is, with the index complete up to there, whoever has moved it. */
  async #catchUp(): Promise<string> {
    const known = this.#index.tip;
    let tip = (await this.#reader.read(BRANCH))?.name;
    if (tip === undefined && known === undefined) {
      await beginBranch(this.#importer);
      tip = (await this.#reader.read(BRANCH))?.name;
    }
    if (tip === undefined) throw new ServiceError('audit_failed', `the branch ${BRANCH} is missing`);
    if (tip === known) return tip;
    const continues = known !== undefined && (await this.#isAncestor(known, tip));
    if (known !== undefined && !continues) this.#index.clear();
    const commits = walkCommits(this.#path, continues ? `${known}..${tip}` : tip);
    this.#index.add(await collectUpdates(commits, this.#index, this.#reader), tip);
    if (!hasPidFile(this.#path)) await writePidFile(this.#path, this.#index.pids());
    return tip;
  }

  async #isAncestor(commit: string, tip: string): Promise<boolean> {
    return git(this.#path, ['merge-base', '--is-ancestor', commit, tip]).then(
      () => true,
      () => false,
    );
  }

  /** @returns how many of the changes are in git now, from the first one on */
  async #write(batch: readonly Pending[], tip: string): Promise<number> {
    const plan = await planCommits(batch, this.#index, this.#reader);
    if (plan.commits.length === 0) return plan.taken;
    const names = await this.#importer.write(plan.commits, tip);
    const reached = (await this.#reader.read(BRANCH))?.name;
    if (reached !== names.at(-1)) {
      const words = await this.#importer.close();
      throw gitFailed('fast-import', words ?? `the branch ${BRANCH} was moved by another process`);
    }
    const updates = plan.updates(names);
    this.#index.add(updates, reached as string);
    await appendPids(
      this.#path,
      updates.flatMap(({ newPid }) => newPid ?? []),
    );
    return plan.taken;
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

  #repack(): void {
    this.#repacking = this.#importer
      .close()
      .then(() => repack(this.#path))
      .catch((error) => {
        this.#repackFailed = true;
        this.#log.warn(
          { path: this.#path, err: error },
          'the packs of the audit log are not packed together',
        );
      })
      .finally(() => {
        this.#repacking = undefined;
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
