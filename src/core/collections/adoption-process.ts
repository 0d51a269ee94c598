/**
 * Adopts a store in a process of its own, which also makes the rows that follow from its records (the text index, references, faults)
 * while the service answers. So the service does not keep the memory of that: with 120,000 records, it would be 200 MB.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { receivedError, type SentError, ServiceError } from '../errors.ts';
import type { SchemaMap } from '../schema/schema.ts';
import type { Database } from '../storage/database.ts';
import type { Adoption, AdoptionProgress, AdoptOptions, StoreAdoption } from './adoption.ts';

/** The program, of the sources or of the package. */
const ENTRY = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../../bin/adopt-store.js' : '../../bin/adopt-store.js',
    import.meta.url,
  ),
);

/** What the process makes its {@link AdoptOptions} of. */
type AdoptionSources = {
  /** The names of the modules of the service. */
  readonly modules: readonly string[];
  readonly configFile?: string | undefined;
  readonly ignoreDefaultConfigFile?: boolean | undefined;
  readonly schemaMap?: SchemaMap | undefined;
  readonly schemaHosts?: readonly string[] | undefined;
  /** Whether the service owns the store: the process writes into it, then, also copies of remote schemas. */
  readonly isOwner: boolean;
};

/** Sent to the process: the first one begins, and the other one comes when the service has opened the database. */
export type AdoptionRequest =
  | (AdoptionSources & { readonly root: string; readonly file: string })
  | { readonly follow: true };

/** Sent by the process: any number of the first two, then one of the others. */
export type AdoptionMessage =
  | { readonly progress: AdoptionProgress }
  | { readonly log: readonly ['info' | 'warn', details: object, message: string] }
  | { readonly adopted: Adoption | undefined }
  | { readonly failed: SentError };

/** Of fewer records, the service makes the rows itself: they leave nothing behind. */
const MANY = 5000;

export class AdoptionProcess {
  readonly #adoption: StoreAdoption;
  readonly #sources: AdoptionSources;
  /** It has adopted a store, and waits until it may follow. */
  #child: ChildProcess | undefined;

  constructor(adoption: StoreAdoption, sources: AdoptionSources) {
    this.#adoption = adoption;
    this.#sources = sources;
  }

  /** The adoption, which a child process makes if it is into SQLite. The instance that leads makes that into PostgreSQL itself. */
  get adoption(): StoreAdoption {
    return {
      ...this.#adoption,
      intoSqlite: async (file, options) => {
        if (existsSync(file) || !this.#adoption.isDue(options)) return undefined;
        return this.#adopt(file, options);
      },
    };
  }

  /**
   * Makes the rows that follow from the records of a store that was adopted. The database is open, and has the tables of modules.
   *
   * @returns when the process has ended, however it has; undefined if the service makes them
   */
  follow(): Promise<void> | undefined {
    const child = this.#child;
    if (child?.connected !== true) return undefined;
    const ended = new Promise<void>((done) => child.once('exit', () => done()));
    child.send({ follow: true } satisfies AdoptionRequest, (error) => error && child.kill('SIGKILL'));
    return ended;
  }

  /** Ends the process at once: the service makes what is missing after its next start. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async #adopt(file: string, options: AdoptOptions): Promise<Adoption | undefined> {
    for (;;) {
      const child = start({ ...this.#sources, file, root: options.root });
      const { adopted, ended, hasAdvanced } = await outcomeOf(child, options);
      if (ended === undefined) {
        this.#child = child;
        if (!this.#sources.isOwner || (adopted?.records ?? 0) < MANY) await this.close();
        return adopted;
      }
      if (!hasAdvanced) throw ended;
      options.log.warn({ err: ended }, 'the process that imports the store has ended, another one continues');
    }
  }
}

function start(request: AdoptionRequest): ChildProcess {
  // Copies have undefined members and maps, as in threads. Flags of this process, such as those of tests, are not for that one.
  const child = fork(ENTRY, {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.send(request, (error) => error && child.kill('SIGKILL'));
  return child;
}

type Outcome = {
  readonly adopted?: Adoption | undefined;
  /** The process has ended before it was done. */
  readonly ended?: ServiceError;
  readonly hasAdvanced: boolean;
};

/** @throws what the adoption throws */
async function outcomeOf(child: ChildProcess, { progress, log }: AdoptOptions): Promise<Outcome> {
  const outcome = Promise.withResolvers<Outcome>();
  let hasAdvanced = false;
  child.on('message', (message: AdoptionMessage) => {
    if ('progress' in message) {
      hasAdvanced = true;
      progress?.(message.progress);
    } else if ('log' in message) {
      const [level, details, text] = message.log;
      log[level](details, text);
    } else if ('failed' in message) outcome.reject(receivedError(message.failed));
    else outcome.resolve({ ...message, hasAdvanced });
  });
  child.once('error', (cause) => outcome.reject(notRunning('could not be started', cause)));
  // Behind its last message.
  child.once('close', (status, signal) =>
    outcome.resolve({ ended: notRunning(`has ended (${signal ?? `status ${status}`})`), hasAdvanced }),
  );
  return outcome.promise;
}

function notRunning(what: string, cause?: Error): ServiceError {
  const message =
    `The process that imports the store ${what} before it was done. Nothing is lost: start the service again, and the ` +
    'import continues where it stopped. If the system has ended the process for lack of memory, make more available.';
  return new ServiceError('storage_failed', message, [], { cause });
}

/** A database for the projector of a process that leaves projections to another one until that has ended. */
export function leftUntil(database: Database, ended: Promise<void>): Database {
  let isLeft = true;
  const { leadership } = database;
  return {
    ...database,
    get readOnly() {
      return isLeft || database.readOnly;
    },
    leadership: {
      ...leadership,
      get held() {
        return !isLeft && leadership.held;
      },
      watch(callback) {
        void ended.then(() => {
          isLeft = false;
          callback();
        });
        return leadership.watch(callback);
      },
    },
  };
}
