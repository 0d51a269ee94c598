/**
 * The audit log of type `gitaudit`: a git repository with the peer's layout, which follows the entries of an area.
 *
 * The position of the log, an area and a revision, is in the subject of each commit, so a crash leaves both or
 * neither. While git cannot take entries (a lock, damage), they stay in the area, the log reports a fault, and the
 * export is retried.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { type Lock, takeLock } from '../../storage/sqlite/lock.ts';
import type { Entry } from '../../storage/store.ts';
import type { JobHandle, Jobs } from '../../work/jobs.ts';
import type { AuditFault, AuditLog, EntrySource, OperatorLog } from '../audit-log.ts';
import { BranchWriter } from './branch-writer.ts';
import { type LoggedChange, MOST_TEXT, type Plan } from './plan.ts';
import { makeRepository, OWN_FILES, removeStaleLock, tidy } from './repository.ts';

export type ExporterOptions = {
  /** The path of the log in the configuration. */
  readonly name: string;
  /** The collection. */
  readonly owner: string;
  /** Seconds after which an entry is in git at the latest, if git can take it. */
  readonly flushTimeout: number;
};

/** So many entries go to git at once. */
const BATCH = 500;
/** How many are read first, since each may be as long as a record. */
const FIRST_STEP = 5;
/** After a failure the export is retried in so many milliseconds. */
const EXPORT_RETRY = 5_000;
/** What the log says of entries of other programs. */
const UNKNOWN = 'unknown';

/**
 * The cursor of a log in the area that it follows: the identity of the area, and the revision at which the log began to
 * follow it.
 */
export const auditCursor = (name: string) => `audit ${name}`;

/** An area as the log follows it. */
type Followed = EntrySource & {
  readonly source: EntrySource;
  /** Distinguishes it from other areas and from earlier areas in the same place. */
  readonly area: string;
  /** Entries up to this revision are not for this log, or already passed. */
  passed: number;
};

export class GitExporter implements AuditLog {
  readonly #path: string;
  readonly #options: ExporterOptions;
  readonly #lock: Lock;
  readonly #branch: BranchWriter;
  readonly #log: OperatorLog;
  readonly #job: JobHandle;
  #followed: Followed | undefined;
  #round: Promise<boolean> | undefined;
  /** Why git takes no entries. */
  #fault: AuditFault | undefined;
  readonly #skipped: AuditFault[] = [];

  private constructor(path: string, options: ExporterOptions, lock: Lock, jobs: Jobs, log: OperatorLog) {
    this.#path = path;
    this.#options = options;
    this.#lock = lock;
    this.#branch = new BranchWriter(path, jobs.threads, log);
    this.#log = log;
    this.#job = jobs.add({
      name: 'audit export',
      collection: options.owner,
      every: options.flushTimeout * 1000,
      retry: EXPORT_RETRY,
      run: () => this.flush(),
    });
  }

  /**
   * Opens the log in a directory, which is made a repository if it is empty or missing.
   *
   * @throws ServiceError `store_incompatible` for a directory that holds something else or that another process owns,
   *   `audit_failed` if it cannot be read
   */
  static async open(
    path: string,
    options: ExporterOptions,
    jobs: Jobs,
    log: OperatorLog,
  ): Promise<GitExporter> {
    await makeRepository(path);
    const own = join(path, OWN_FILES);
    await mkdir(own, { recursive: true });
    const lock = takeLock(join(own, 'owner.db'), `The audit log ${path}`);
    try {
      await tidy(path);
      return new GitExporter(path, options, lock, jobs, log);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Follows the entries of an area from now on, or from where the log stopped to follow it.
   *
   * @throws ServiceError `store_incompatible` for an empty area whose log has records: it was lost
   */
  async follow(source: EntrySource): Promise<void> {
    if (this.#followed?.source === source) return;
    if (this.#followed) await this.flush().catch(() => {});
    await this.#round?.catch(() => {});
    this.#followed = { ...source, source, ...(await this.#attach(source)) };
    this.#job.wake();
  }

  async flush(): Promise<void> {
    const target = (await this.#followed?.store.revision()) ?? 0;
    while (await this.#work()) if ((this.#followed?.passed ?? 0) >= target) return;
  }

  position(): number {
    return this.#followed?.passed ?? 0;
  }

  faults(): readonly AuditFault[] {
    return this.#fault ? [this.#fault, ...this.#skipped] : this.#skipped;
  }

  async close(): Promise<void> {
    await this.#job.stop();
    await this.flush().catch(() => {});
    await this.#round?.catch(() => {});
    await this.#branch.close();
    this.#lock.release();
  }

  /** The identity of an area, and up to where this log does not follow it; both are kept in the database. */
  async #attach({ database, store }: EntrySource): Promise<{ area: string; passed: number }> {
    const revision = await store.revision();
    const cursor = [auditCursor(this.#options.name), store.area.id] as const;
    const [known] = await database.tuples<[area: string, begun: number]>(
      'SELECT version, revision FROM accession_cursor WHERE name = $1 AND area = $2',
      cursor,
    );
    if (known) {
      const [area, begun] = known;
      // A repository that cannot be read now is reported by the first export.
      const position = positionIn(await this.#branch.positionOf(area).catch(() => undefined));
      if (position <= revision) return { area, passed: Math.max(begun, position) };
      this.#log.warn(
        { path: this.#path, revision, position },
        'the area is older than its audit log, as after the restore of a backup; the log continues with new entries',
      );
    } else if (revision === 0 && (await this.#branch.hasRecords().catch(() => false))) throw this.#lostArea();
    const area = randomUUID();
    await database.transact(async (draft) => {
      draft.run(
        `INSERT INTO accession_cursor (name, area, version, revision) VALUES ($1, $2, $3, $4)
         ON CONFLICT (name, area) DO UPDATE SET version = excluded.version, revision = excluded.revision`,
        [...cursor, area, revision],
      );
    });
    return { area, passed: revision };
  }

  #lostArea(): ServiceError {
    const { owner, name } = this.#options;
    return new ServiceError(
      'store_incompatible',
      `The area of '${owner}' is empty, but its audit log ${name} has records. Restore the area from a backup, or move the audit log away to start empty.`,
    );
  }

  /** One round; there is never more than one at a time. @returns whether there were entries */
  #work(): Promise<boolean> {
    this.#round ??= this.#export().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #export(): Promise<boolean> {
    const followed = this.#followed;
    if (!followed) return false;
    try {
      let entries: Entry[] = [];
      let changes: readonly LoggedChange[] = [];
      const plan = await this.#branch.commit(followed.area, async (position) => {
        const after = Math.max(followed.passed, positionIn(position));
        entries = await nextEntries(followed, after);
        changes = entries.flatMap((entry) => toChange(entry, followed));
        return changes;
      });
      this.#noteSkipped(plan);
      const last = plan.taken < changes.length ? positionIn(changes[plan.taken - 1]?.position) : undefined;
      followed.passed = last ?? entries.at(-1)?.revision ?? followed.passed;
      if (this.#fault) this.#log.info({ path: this.#path }, 'the audit log takes entries again');
      this.#fault = undefined;
      return entries.length > 0;
    } catch (error) {
      return await this.#failed(error);
    }
  }

  #noteSkipped({ skipped }: Plan): void {
    for (const { change, error } of skipped) {
      const reason = error instanceof Error ? error.message : String(error);
      const { pid, timeStamp } = change;
      this.#skipped.push({
        path: this.#path,
        message: `the entry of '${pid}' at ${timeStamp} cannot be written as YAML and is not in the log: ${reason}`,
      });
      this.#log.warn(
        { path: this.#path, pid, timeStamp, err: error },
        'an entry cannot be exported and is skipped',
      );
    }
  }

  async #failed(cause: unknown): Promise<never> {
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (!this.#fault) {
      const since = new Date().toISOString();
      this.#fault = {
        path: this.#path,
        message: `since ${since} the repository takes no entries; they are safe in the area: ${reason}`,
      };
      this.#log.warn(
        { path: this.#path, err: cause },
        'the audit log takes no entries; they are safe in the area',
      );
    }
    await removeStaleLock(this.#path).catch(() => false);
    throw new ServiceError('audit_failed', `The audit log ${this.#path} cannot be written: ${reason}`, [], {
      cause,
    });
  }
}

/** Entries as far as one batch takes them, read in steps: the records of a few may fill it. */
async function nextEntries({ store }: Followed, from: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  let characters = 0;
  for (let limit = FIRST_STEP, after = from; ; ) {
    const some = await store.entries({ after, limit });
    for (const entry of some) {
      entries.push(entry);
      characters += entry.json?.length ?? 0;
    }
    if (some.length < limit || entries.length >= BATCH || characters >= MOST_TEXT) return entries;
    after = entries.at(-1)?.revision ?? after;
    const average = characters / entries.length + 1;
    limit = Math.ceil(Math.min(BATCH - entries.length, (MOST_TEXT - characters) / average));
    await nextTurn();
  }
}

/** The revision in a position, which is an area and a revision. */
function positionIn(position: string | undefined): number {
  return Number(position?.split(' ')[1] ?? 0);
}

function toChange(entry: Entry, { area, select }: Followed): LoggedChange[] {
  const selected = select ? select(entry) : entry;
  if (!selected) return [];
  const { pid, time, committer, author, json, revision, decision } = selected;
  return [
    {
      pid,
      timeStamp: time,
      committerId: committer ?? UNKNOWN,
      authorId: author ?? UNKNOWN,
      json: json ?? undefined,
      position: `${area} ${revision}`,
      decision,
    },
  ];
}
