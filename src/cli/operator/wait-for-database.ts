/** Opens a service whose database may not be available yet: until it is, the port of the service answers 503. */
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type App, type AppOptions, openApp } from '../../app.ts';
import { RETRY } from '../../durations.ts';
import { ServiceError } from '../../errors.ts';
import { waitingServer } from '../../http/waiting.ts';
import { withCause } from '../outcome.ts';

/** The service, which does not listen yet, and the port to listen on. */
export type Opened = { readonly app: App; readonly port: number };

/**
 * @returns the service as soon as it can be opened, which is at once unless its database is away
 * @throws whatever keeps it from being opened for other reasons, and the error of the system if the port is in use
 */
export async function openWhenAvailable(options: AppOptions, host: string, port: number): Promise<Opened> {
  const { version, origins = [], limits = {}, logger } = options;
  let problem = '';
  let explained = '';
  const attempt = async (): Promise<App | undefined> => {
    try {
      return await openApp(options);
    } catch (error) {
      const isAway = error instanceof ServiceError && error.code === 'storage_unavailable';
      if (!isAway || options.databaseUrl === undefined) throw error;
      if (problem === '') logger.warn({ err: error }, 'the database is not available, will retry');
      problem = error.message;
      explained = withCause(error);
      return undefined;
    }
  };
  const first = await attempt();
  if (first) return { app: first, port };
  const server = waitingServer({ problem: () => problem, version, origins, limits, logger });
  await server.listen({ host, port });
  const { port: bound } = server.server.address() as AddressInfo;
  const end = () => void server.close().finally(() => process.exit(0));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
  process.stderr.write(
    `accession ${version}: ${explained} The service answers 503 on port ${bound} until it is.\n`,
  );
  try {
    for (;;) {
      await pause(RETRY.database);
      const app = await attempt();
      if (app) return { app, port: bound };
    }
  } finally {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, end);
    await server.close();
  }
}
