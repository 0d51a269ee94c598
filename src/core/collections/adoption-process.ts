/**
 * Adopts a store in a process that ends with the adoption, so that the service does not keep what it took: reading 120,000 records
 * grows the memory of a process by 200 MB.
 */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { receivedError, type SentError, ServiceError } from '../errors.ts';
import type { SchemaMap } from '../schema/schema.ts';
import type { Adoption, AdoptionProgress, AdoptOptions, StoreAdoption } from './adoption.ts';

/** The program, of the sources or of the package. */
const ENTRY = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../../bin/adopt-store.js' : '../../bin/adopt-store.js',
    import.meta.url,
  ),
);

/** What the process makes its {@link AdoptOptions} of. */
export type AdoptionSources = {
  /** The names of the modules of the service. */
  readonly modules: readonly string[];
  readonly configFile?: string | undefined;
  readonly ignoreDefaultConfigFile?: boolean | undefined;
  readonly schemaMap?: SchemaMap | undefined;
  readonly schemaHosts?: readonly string[] | undefined;
  /** Whether copies of remote schemas are kept in the store. */
  readonly keepSchemas: boolean;
};

/** Sent to the process. */
export type AdoptionRequest = AdoptionSources & { readonly root: string; readonly file: string };

/** Sent by the process: any number of the first two, then one of the others. */
export type AdoptionMessage =
  | { readonly progress: AdoptionProgress }
  | { readonly log: readonly ['info' | 'warn', details: object, message: string] }
  | { readonly adopted: Adoption | undefined }
  | { readonly failed: SentError };

/** The same adoption into SQLite, in a process for each store. PostgreSQL's belongs to the instance that leads. */
export function inProcess(adoption: StoreAdoption, sources: AdoptionSources): StoreAdoption {
  return {
    ...adoption,
    async intoSqlite(file, options) {
      if (existsSync(file) || !adoption.isDue(options)) return undefined;
      const request = { ...sources, file, root: options.root };
      for (;;) {
        const outcome = await run(request, options);
        if (!('ended' in outcome)) return outcome.adopted;
        const { ended, hasAdvanced } = outcome;
        if (!hasAdvanced) throw ended;
        options.log.warn(
          { err: ended },
          'the process that imports the store has ended, another one continues',
        );
      }
    },
  };
}

type Outcome =
  | { readonly adopted: Adoption | undefined }
  | { readonly ended: ServiceError; readonly hasAdvanced: boolean };

/** @throws what the adoption throws */
async function run(request: AdoptionRequest, { progress, log }: AdoptOptions): Promise<Outcome> {
  const outcome = Promise.withResolvers<Outcome>();
  // Copies have undefined members and maps, as in threads. Flags of this process, such as those of tests, are not for that one.
  const child = fork(ENTRY, {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let hasAdvanced = false;
  child.on('message', (message: AdoptionMessage) => {
    if ('progress' in message) {
      hasAdvanced = true;
      progress?.(message.progress);
    } else if ('log' in message) {
      const [level, details, text] = message.log;
      log[level](details, text);
    } else if ('failed' in message) outcome.reject(receivedError(message.failed));
    else outcome.resolve(message);
  });
  child.once('error', (cause) => outcome.reject(notRunning('could not be started', cause)));
  // Behind its last message.
  child.once('close', (status, signal) =>
    outcome.resolve({ ended: notRunning(`has ended (${signal ?? `status ${status}`})`), hasAdvanced }),
  );
  child.send(request, (error) => error && child.kill('SIGKILL'));
  return outcome.promise;
}

function notRunning(what: string, cause?: Error): ServiceError {
  const message =
    `The process that imports the store ${what} before it was done. Nothing is lost: start the service again, and the ` +
    'import continues where it stopped. If the system has ended the process for lack of memory, make more available.';
  return new ServiceError('storage_failed', message, [], { cause });
}
