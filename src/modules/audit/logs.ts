/**
 * The logs that are open in a service, by directory. A collection may open its log again while its former self still
 * answers requests. Two collections may not share one, since an entry does not say whose record it is about.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { NO_NAMES, type UserNames } from '../../core/access/user-names.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Pool } from '../../core/work/pool.ts';
import type { Projector } from '../../core/work/projector.ts';
import type { AuditLog, EntrySource, OperatorLog } from './audit-log.ts';
import type { AuditBackendConfig } from './configuration.ts';
import { exportInto } from './git/export.ts';
import { GitLog } from './git/git-log.ts';
import { requireUsable } from './git/repository.ts';

type LogsOptions = {
  readonly projector: Pick<Projector, 'add'>;
  readonly pool: Pool;
  readonly log: OperatorLog;
  readonly names?: UserNames;
};

type SharedLog = { readonly owner: string; readonly git: GitLog; uses: number };

/** The state that the logs of a service share; there is one in a service. */
export class AuditLogs {
  readonly #projector: Pick<Projector, 'add'>;
  readonly #pool: Pool;
  readonly #log: OperatorLog;
  readonly #names: UserNames;
  readonly #open = new Map<string, SharedLog>();
  /** Logs that are being closed: they have to be, before they are opened again. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor({ projector, pool, log, names = NO_NAMES }: LogsOptions) {
    this.#names = names;
    this.#projector = projector;
    this.#pool = pool;
    this.#log = log;
  }

  /** Makes nothing. @throws ServiceError `store_incompatible` for a directory that holds something else */
  check(directory: string): Promise<void> {
    return requireUsable(directory);
  }

  /**
   * Opens a log, or shares the one that the same owner has open. Of several instances, the one that leads writes it.
   *
   * @param directory absolute
   * @param owner the collection; the log is closed when it has closed it as often as it has opened it
   * @throws ServiceError `store_incompatible` for a directory that holds something else or is in use by another
   *   collection or process, and for an empty area whose log has records
   */
  async open(
    config: AuditBackendConfig,
    directory: string,
    owner: string,
    source: EntrySource,
  ): Promise<AuditLog> {
    await mkdir(directory, { recursive: true });
    const path = await realpath(directory);
    await this.#closing.get(path);
    const known = this.#open.get(path);
    if (known && known.owner !== owner) {
      throw new ServiceError(
        'store_incompatible',
        `The audit log ${config.path} belongs to the collection '${known.owner}'. Give '${owner}' a separate path: an entry does not say which collection it is about.`,
      );
    }
    const { leadership } = source.database;
    const shared = known ?? { owner, git: new GitLog(path, leadership, this.#pool, this.#log), uses: 0 };
    this.#open.set(path, shared);
    shared.uses += 1;
    const leave = () => this.#leave(path, shared);
    try {
      if (leadership.held) await shared.git.open();
      const following = this.#projector.add(
        await exportInto(shared.git, config, owner, { ...source, names: this.#names }),
      );
      let closed: Promise<void> | undefined;
      return {
        flush: () => following.flush(),
        faults: () => [
          ...following
            .status()
            .areas.flatMap(({ since, error }) =>
              error === undefined ? [] : { path, message: `since ${since} ${TAKES_NONE}: ${error}` },
            ),
          ...shared.git.skipped,
        ],
        close() {
          closed ??= following
            .flush()
            .catch(() => {})
            .then(() => following.stop())
            .then(leave);
          return closed;
        },
      };
    } catch (error) {
      await leave();
      throw error;
    }
  }

  async #leave(path: string, shared: SharedLog): Promise<void> {
    shared.uses -= 1;
    if (shared.uses > 0) return;
    if (this.#open.get(path) === shared) this.#open.delete(path);
    const end = shared.git.close().finally(() => this.#closing.delete(path));
    this.#closing.set(path, end);
    await end;
  }
}

const TAKES_NONE = 'the repository takes no entries; they are safe in the area';
