/**
 * Brings changes onto the branch, and knows the entries that are there: the index follows the branch, whoever moves it.
 * `plan.ts` says which commits a batch of changes becomes.
 */
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import type { AuditEntry, OperatorLog } from './audit-log.ts';
import { collectUpdates, walkCommits } from './commit-walk.ts';
import { EntryIndex } from './entry-index.ts';
import { git, gitFailed } from './git.ts';
import { readEntries } from './history.ts';
import { Importer } from './importer.ts';
import type { TimedChange } from './journal-files.ts';
import { BRANCH } from './layout.ts';
import { ObjectReader } from './object-reader.ts';
import { type Pending, planCommits } from './plan.ts';
import {
  appendPids,
  beginBranch,
  hasPidFile,
  needsRepack,
  OWN_FILES,
  repack,
  writePidFile,
} from './repository.ts';

/** So often a batch is begun anew when the branch moves under it. */
const TRIES = 5;

export class BranchWriter {
  readonly #path: string;
  readonly #log: OperatorLog;
  readonly #index: EntryIndex;
  readonly #reader: ObjectReader;
  readonly #importer: Importer;
  #repacking: Promise<void> | undefined;
  /** Small packs could not be packed together: it is not tried again in this run. */
  #repackFailed = false;

  constructor(path: string, log: OperatorLog) {
    this.#path = path;
    this.#log = log;
    this.#index = EntryIndex.open(join(path, OWN_FILES, 'index.db'));
    this.#reader = new ObjectReader(path);
    this.#importer = new Importer(path);
  }

  /** Whether the entries of the repository are known; they are after the first {@link commit}. */
  get isCaughtUp(): boolean {
    return this.#index.tip !== undefined;
  }

  /**
   * Takes notice of what others have committed, and puts changes on top of it; also called with none. One call at a time.
   *
   * @returns how many of the changes are in git now, from the first one on
   * @throws ServiceError `audit_failed`; some of the changes may be in git all the same, which the next call finds out
   */
  async commit(batch: readonly Pending[]): Promise<number> {
    const taken = await this.#put(batch);
    if (!this.#repacking && !this.#repackFailed && (await needsRepack(this.#path))) this.#repack();
    return taken;
  }

  /**
   * The entries under any of these spellings of one pid, oldest first.
   *
   * @param pending changes that are not committed yet, in order
   * @throws ServiceError `audit_failed`
   */
  history(pids: readonly string[], pending: readonly TimedChange[]): Promise<AuditEntry[]> {
    return readEntries(pids, this.#index, this.#reader, pending);
  }

  async close(): Promise<void> {
    await this.#repacking;
    await this.#importer.close();
    this.#reader.close();
    this.#index.close();
  }

  /**
   * Puts changes on top of the branch, again if somebody else has moved it meanwhile: a git process that has outlived the
   * run that started it, for example.
   *
   * @returns how many of the changes are in git now, from the first one on
   */
  async #put(batch: readonly Pending[]): Promise<number> {
    for (let tries = 1; ; tries++) {
      const tip = await this.#catchUp();
      try {
        return await this.#writeOnto(tip, batch);
      } catch (error) {
        for (const one of batch) one.doubtful = true;
        const isMoved = (await this.#reader.read(BRANCH))?.name !== tip;
        if (!isMoved || tries === TRIES) throw error;
      }
    }
  }

  async #writeOnto(tip: string, batch: readonly Pending[]): Promise<number> {
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
}
