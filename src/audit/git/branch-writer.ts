/** Commits changes to the branch, also if another process moves it. `plan.ts` says which commits a batch becomes. */
import { ServiceError } from '../../errors.ts';
import type { Threads } from '../../work/threads.ts';
import type { OperatorLog } from '../audit-log.ts';
import { CommitWriter } from './commit-writer.ts';
import { git, gitFailed } from './git.ts';
import { BRANCH } from './layout.ts';
import { ObjectReader } from './object-reader.ts';
import { type LoggedChange, type Plan, POSITION, planCommits } from './plan.ts';
import { appendPids, beginBranch, needsRepack, repack } from './repository.ts';

/** How often a batch is restarted because another process moved the branch. */
const TRIES = 20;
/** How often packs are packed together one after the other, in case they cannot become fewer. */
const REPACKS = 3;

export class BranchWriter {
  readonly #path: string;
  readonly #log: OperatorLog;
  readonly #threads: Threads;
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
    this.#reader = new ObjectReader(path);
    this.#commits = new CommitWriter(path);
  }

  /**
   * Puts changes on top of the branch. One call at a time.
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
  }

  /** Puts changes on top of the branch, again if another process has moved it meanwhile. */
  async #put(
    area: string,
    following: (position: string | undefined) => Promise<readonly LoggedChange[]>,
  ): Promise<Plan> {
    for (let tries = 1; ; tries++) {
      const tip = await this.#tip();
      const changes = await following(await this.#positionAt(tip, area));
      const plan = await planCommits(changes, tip, this.#reader, this.#threads);
      try {
        const reached = await this.#writeOnto(tip, plan);
        const last = changes[plan.taken - 1];
        if (reached !== undefined && last) this.#position = { area, tip: reached, position: last.position };
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

  /** @returns where the branch is then, if there was something to write */
  async #writeOnto(tip: string, { commits, newPids }: Plan): Promise<string | undefined> {
    if (commits.length === 0) return undefined;
    const names = await this.#commits.write(commits, tip);
    const reached = (await this.#reader.read(BRANCH))?.name;
    if (reached !== names.at(-1)) {
      const words = await this.#commits.close();
      throw gitFailed('fast-import', words ?? `the branch ${BRANCH} was moved by another process`);
    }
    await appendPids(this.#path, newPids);
    return reached;
  }

  /** The head of the branch, which is begun if it is missing. */
  async #tip(): Promise<string> {
    const tip = (await this.#reader.read(BRANCH))?.name;
    if (tip !== undefined) return tip;
    await beginBranch(this.#path, this.#commits);
    const begun = (await this.#reader.read(BRANCH))?.name;
    if (begun === undefined) throw new ServiceError('audit_failed', `The branch ${BRANCH} does not exist.`);
    return begun;
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
