/**
 * Commits changes to the branch and keeps the index of its entries up to date, also if another process moves the branch.
 * `plan.ts` says which commits a batch of changes becomes.
 */
import { join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import type { Threads } from '../../jobs/threads.ts';
import type { AuditEntry, OperatorLog } from '../audit-log.ts';
import { collectUpdates, walkCommits } from './commit-walk.ts';
import { CommitWriter } from './commit-writer.ts';
import { readEntries } from './entries.ts';
import { EntryIndex } from './entry-index.ts';
import { git, gitFailed } from './git.ts';
import { BRANCH } from './layout.ts';
import { ObjectReader } from './object-reader.ts';
import { type LoggedChange, type Plan, POSITION, planCommits } from './plan.ts';
import {
  appendPids,
  beginBranch,
  hasPidFile,
  needsRepack,
  OWN_FILES,
  repack,
  writePidFile,
} from './repository.ts';

/** How often a batch is restarted because another process moved the branch. */
const TRIES = 20;
/** How often packs are packed together one after the other, in case they cannot become fewer. */
const REPACKS = 3;

export class BranchWriter {
  readonly #path: string;
  readonly #log: OperatorLog;
  readonly #threads: Threads;
  readonly #index: EntryIndex;
  readonly #reader: ObjectReader;
  readonly #commits: CommitWriter;
  /** The position in the last commit that this process has made. */
  #position: { readonly area: string; readonly tip: string; readonly position: string } | undefined;
  #repacking: Promise<void> | undefined;
  /** Small packs could not be packed together: it is not tried again in this run. */
  #repackFailed = false;

  constructor(path: string, threads: Threads, log: OperatorLog) {
    this.#path = path;
    this.#threads = threads;
    this.#log = log;
    this.#index = EntryIndex.open(join(path, OWN_FILES, 'index.db'));
    this.#reader = new ObjectReader(path);
    this.#commits = new CommitWriter(path);
  }

  /** Whether the entries of the repository are known; they are after the first {@link commit}. */
  get isCaughtUp(): boolean {
    return this.#index.tip !== undefined;
  }

  /**
   * Follows what others have committed, and puts changes on top of it. One call at a time.
   *
   * @param following the changes that follow a position, which is undefined in a repository without one
   * @returns the plan that was carried out
   * @throws ServiceError `audit_failed`; some of the changes may be in git all the same, which the next call finds out
   */
  async commit(
    area: string,
    following: (position: string | undefined) => Promise<readonly LoggedChange[]>,
  ): Promise<Plan> {
    const plan = await this.#put(area, following);
    if (!this.#repacking && !this.#repackFailed && (await needsRepack(this.#path))) this.#repack();
    return plan;
  }

  /**
   * The entries under any of these spellings of one pid, oldest first; each is read when it is asked for.
   *
   * @throws ServiceError `audit_failed`
   */
  history(pids: readonly string[], before?: string): AsyncGenerator<AuditEntry> {
    return readEntries(pids, this.#index, this.#reader, this.#threads, before);
  }

  /** Whether the branch has a record that is not deleted. */
  async hasRecords(): Promise<boolean> {
    if ((await this.#reader.read(BRANCH)) === undefined) return false;
    const args = ['grep', '--files-without-match', '^deleted: true$', BRANCH, '--', '*.yaml'];
    return (await git(this.#path, args, '', [0, 1])) !== '';
  }

  /** The last position that the branch has for an area. */
  async positionOf(area: string): Promise<string | undefined> {
    const tip = (await this.#reader.read(BRANCH))?.name;
    return tip === undefined ? undefined : this.#positionAt(tip, area);
  }

  async close(): Promise<void> {
    await this.#repacking;
    await this.#commits.close();
    this.#reader.close();
    this.#index.close();
  }

  /** Puts changes on top of the branch, again if another process has moved it meanwhile. */
  async #put(
    area: string,
    following: (position: string | undefined) => Promise<readonly LoggedChange[]>,
  ): Promise<Plan> {
    for (let tries = 1; ; tries++) {
      const tip = await this.#catchUp();
      const changes = await following(await this.#positionAt(tip, area));
      const plan = await planCommits(changes, this.#index, this.#reader, this.#threads);
      try {
        await this.#writeOnto(tip, plan);
        const position = changes.slice(0, plan.taken).findLast((change) => change.position)?.position;
        const isWritten = plan.commits.length > 0 && position !== undefined;
        if (isWritten) this.#position = { area, tip: this.#index.tip as string, position };
        return plan;
      } catch (error) {
        const isMoved = (await this.#reader.read(BRANCH))?.name !== tip;
        if (!isMoved || tries === TRIES) throw error;
      }
    }
  }

  async #positionAt(tip: string, area: string): Promise<string | undefined> {
    const known = this.#position;
    if (known?.tip === tip && known.area === area) return known.position;
    const line = `${POSITION} ${area} `;
    const args = ['log', '-1', '--first-parent', '--fixed-strings', `--grep=${line}`, '--format=%s', tip];
    const subject = (await git(this.#path, args)).trim();
    return subject === '' ? undefined : subject.slice(POSITION.length + 1);
  }

  async #writeOnto(tip: string, plan: Plan): Promise<void> {
    if (plan.commits.length === 0) return;
    const names = await this.#commits.write(plan.commits, tip);
    const reached = (await this.#reader.read(BRANCH))?.name;
    if (reached !== names.at(-1)) {
      const words = await this.#commits.close();
      throw gitFailed('fast-import', words ?? `the branch ${BRANCH} was moved by another process`);
    }
    const updates = plan.updates(names);
    this.#index.add(updates, reached as string);
    await appendPids(
      this.#path,
      updates.flatMap(({ newPid }) => newPid ?? []),
    );
  }

  /** The head of the branch, with the index complete up to it, also if another process has moved it. */
  async #catchUp(): Promise<string> {
    const known = this.#index.tip;
    let tip = (await this.#reader.read(BRANCH))?.name;
    if (tip === undefined && known === undefined) {
      await beginBranch(this.#commits);
      tip = (await this.#reader.read(BRANCH))?.name;
    }
    if (tip === undefined) throw new ServiceError('audit_failed', `The branch ${BRANCH} does not exist.`);
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
    this.#repacking = this.#packTogether()
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

  /** Packs small packs together, again if there are many new ones after it: no commit may follow that would notice. */
  async #packTogether(): Promise<void> {
    for (let round = 0; round < REPACKS && (round === 0 || (await needsRepack(this.#path))); round++) {
      await this.#commits.close();
      await repack(this.#path);
    }
  }
}
