/**
 * The logs that are open in a service, by directory. A collection may open its log again while its former self still
 * answers requests. Two collections may not share one, since an entry does not say whose record it is about.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { ServiceError } from '../errors.ts';
import type { Jobs } from '../work/jobs.ts';
import type { AuditLog, EntrySource, OperatorLog } from './audit-log.ts';
import type { AuditBackendConfig } from './backends.ts';
import { GitExporter } from './git/exporter.ts';
import { requireUsable } from './git/repository.ts';

/** What opens logs, as far as collections use it. */
export interface LogOpener {
  /** Makes nothing. @throws ServiceError `store_incompatible` for a directory that holds something else */
  check(directory: string): Promise<void>;
  open(config: AuditBackendConfig, directory: string, owner: string, source: EntrySource): Promise<AuditLog>;
}

type SharedLog = {
  readonly owner: string;
  readonly exporter: Promise<GitExporter>;
  readonly sources: EntrySource[];
};

/** What the logs of a service share; there is one in a service. */
export class AuditLogs implements LogOpener {
  readonly #jobs: Jobs;
  readonly #log: OperatorLog;
  readonly #open = new Map<string, SharedLog>();
  /** Logs that are being closed: they have to be, before they are opened again. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(jobs: Jobs, log: OperatorLog) {
    this.#jobs = jobs;
    this.#log = log;
  }

  check(directory: string): Promise<void> {
    return requireUsable(directory);
  }

  /**
   * Opens a log, or shares the one that the same owner has open. The log follows the area that was given last and is
   * still in use.
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
    const options = { name: config.path, owner, flushTimeout: config.auto_flush_timeout };
    const shared = known ?? {
      owner,
      exporter: GitExporter.open(path, options, this.#jobs, this.#log),
      sources: [],
    };
    this.#open.set(path, shared);
    shared.sources.push(source);
    try {
      const exporter = await shared.exporter;
      await exporter.follow(source);
      return handle(exporter, () => this.#leave(path, shared, source));
    } catch (error) {
      await this.#leave(path, shared, source).catch(() => {});
      throw error;
    }
  }

  async #leave(path: string, shared: SharedLog, source: EntrySource): Promise<void> {
    shared.sources.splice(shared.sources.indexOf(source), 1);
    const rest = shared.sources.at(-1);
    const leaving = shared.exporter.then((exporter) => (rest ? exporter.follow(rest) : exporter.close()));
    if (rest) return leaving;
    if (this.#open.get(path) === shared) this.#open.delete(path);
    const end = leaving.catch(() => {}).finally(() => this.#closing.delete(path));
    this.#closing.set(path, end);
    await end;
  }
}

function handle(log: AuditLog, close: () => Promise<void>): AuditLog {
  let closed: Promise<void> | undefined;
  return {
    flush: () => log.flush(),
    position: () => log.position(),
    faults: () => log.faults(),
    close() {
      closed ??= close();
      return closed;
    },
  };
}
