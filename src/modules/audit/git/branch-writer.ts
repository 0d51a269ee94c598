/** Commits changes to the branch, also if another process moves it. `plan.ts` says which commits a batch becomes. */
import type { Pool } from '../../../core/work/pool.ts';
import type { OperatorLog } from '../audit-log.ts';
import { writeCommits } from './commits.ts';
import { git } from './git.ts';
import { BRANCH, entryLocation, hasLine, README } from './layout.ts';
import { ObjectReader } from './object-reader.ts';
import { type LoggedChange, type Plan, planCommits, type Skipped } from './plan.ts';
import { appendPids, needsRepack, repack } from './repository.ts';

/** How often a batch is restarted because another process moved the branch. */
const TRIES = 20;
/** How often packs are packed together one after the other, in case they cannot become fewer. */
const REPACKS = 3;

export class BranchWriter {
  readonly #path: string;
  readonly #log: OperatorLog;
  readonly #pool: Pool;
  readonly #reader: ObjectReader;
  #repacking: Promise<void> | undefined;
  /** Small packs could not be packed together: it is not tried again in this run. */
  #repackFailed = false;

  constructor(path: string, pool: Pool, log: OperatorLog) {
    this.#path = path;
    this.#pool = pool;
    this.#log = log;
    this.#reader = new ObjectReader(path);
  }

  /**
   * Adds changes to the branch but those that it has. One call at a time.
   *
   * @throws ServiceError `audit_failed`; some of the changes may be in git all the same
   */
  async commit(changes: readonly LoggedChange[], skip: (skipped: Skipped) => void): Promise<void> {
    for (let done = 0; done < changes.length; ) {
      const { taken, skipped } = await this.#put(changes.slice(done));
      skipped.forEach(skip);
      done += taken;
      if (!this.#repacking && !this.#repackFailed && (await needsRepack(this.#path))) this.#repack();
    }
  }

  /** Whether the branch has the change of a record that was made at a time. */
  async has(pid: string, timeStamp: string): Promise<boolean> {
    const log = await this.#reader.read(`${BRANCH}:${entryLocation(pid).log}`);
    return log !== undefined && hasLine(log.content.toString(), timeStamp);
  }

  /** Whether the branch has a record that is not deleted. */
  async hasRecords(): Promise<boolean> {
    if ((await this.#reader.read(BRANCH)) === undefined) return false;
    const args = ['grep', '--files-without-match', '^deleted: true$', BRANCH, '--', '*.yaml'];
    return (await git(this.#path, args, { good: [0, 1] })) !== '';
  }

  async close(): Promise<void> {
    await this.#repacking;
    this.#reader.close();
  }

  /** Puts changes on top of the branch, again if another process has moved it meanwhile. */
  async #put(changes: readonly LoggedChange[]): Promise<Plan> {
    for (let tries = 1; ; tries++) {
      const tip = (await this.#reader.read(BRANCH))?.name;
      const plan = await planCommits(changes, tip, this.#reader, this.#pool);
      // The peer begins the branch with this commit.
      const first = tip === undefined ? [{ message: `add ${README.path}`, files: [README] }] : [];
      const commits = [...first, ...plan.commits];
      try {
        if (commits.length > 0) await writeCommits(this.#path, commits, tip);
        await appendPids(this.#path, plan.newPids);
        return plan;
      } catch (error) {
        const isMoved = (await this.#reader.read(BRANCH))?.name !== tip;
        if (!isMoved || tries === TRIES) throw error;
      }
    }
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
    for (let round = 0; round < REPACKS && (round === 0 || (await needsRepack(this.#path))); round++)
      await repack(this.#path);
  }
}
