/** `accession follow`: a store that is kept equal to the curated records of a service, whatever stops either of the two. */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '#linkml/json.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import { type App, openApp } from '../../app.ts';
import { type AreaClient, ClientError, connect, type ServiceClient } from '../../client/client.ts';
import { newSecret, sha256 } from '../../core/access/config-tokens.ts';
import { DATABASE_FILE } from '../../core/config/store-directory.ts';
import { growingPause, RETRY } from '../../core/durations.ts';
import { followedArea } from '../client/target.ts';
import { makeDirectory } from '../new-file.ts';
import { complain, UsageError } from '../outcome.ts';
import { countText, write } from '../print.ts';
import { version } from '../version.ts';
import { Copy } from './follow-copy.ts';
import { openLog } from './log.ts';

type FollowOptions = {
  readonly collection?: readonly string[];
  readonly once?: boolean;
  readonly logLevel: string;
};

/** The followed areas: collections by name, and of each the area whose changes the token sees. */
type Source = ReadonlyMap<string, AreaClient>;

const CONFIGURATION = '.follow.yaml';
const SCHEMA_SUFFIX = '.schema.yaml';

/** Follows until a signal, or with `--once` until nothing is left. */
export async function follow(url: string, place: string, options: FollowOptions): Promise<number> {
  const stopped = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopped.abort());
  const token = process.env.ACCESSION_TOKEN;
  const service = connect({ url, ...(token !== undefined && { token }), signal: stopped.signal });
  const root = resolve(place);
  const switched = new Set<string>();
  const begin = async () => {
    const found = await sourceOf(service, options.collection);
    for (const name of await prepareStore(root, service, [...found.keys()])) switched.add(name);
    return found;
  };
  // An empty store shows at once that a URL is wrong.
  const source = await (hasFollowed(root) ? retried(begin, complain, stopped.signal) : begin());
  if (!source) return 0;
  const app = await openStore(root, options, switched);
  try {
    const following = [...source].map(([name, area]) => {
      const copy = new Copy(app.registry.collection(name), area, url);
      return followArea(name, copy, options.once === true, stopped.signal);
    });
    await Promise.all(following).finally(() => stopped.abort());
  } finally {
    await app.close();
  }
  return 0;
}

async function followArea(name: string, copy: Copy, once: boolean, signal: AbortSignal): Promise<void> {
  const report = (message: string) => complain(`${name}: ${message}`);
  const followed = await retried(
    async (progress) => {
      for (;;) {
        try {
          return await copy.follow(once, progress);
        } catch (error) {
          if (signal.aborted || !(error instanceof ClientError && error.status === 410)) throw error;
          await copy.forget();
        }
      }
    },
    report,
    signal,
  );
  if (!followed) return;
  const { copied, changes } = followed;
  const records = copied === undefined ? '' : `${countText(copied, 'record')} copied, `;
  process.stderr.write(`${name}: ${records}${countText(changes, 'change')} followed, up to date.\n`);
}

/**
 * Works again, with growing pauses, while the service is away or busy.
 *
 * @param work calls its argument after each progress: the pauses are short again
 * @param report is called at the first failure
 * @returns undefined after a signal
 */
async function retried<T>(
  work: (progress: () => void) => Promise<T>,
  report: (message: string) => void,
  signal: AbortSignal,
): Promise<T | undefined> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      return await work(() => {
        failures = 0;
      });
    } catch (error) {
      if (signal.aborted) break;
      if (!isPassing(error)) throw error;
      if (failures === 0) report(`${(error as Error).message} It is tried again until the service responds.`);
      const pause = growingPause(RETRY.collection, failures++);
      await delay(pause * Math.random(), undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

/** Whether a request may succeed later: the service is away or busy, or a response broke off. */
function isPassing(error: unknown): boolean {
  return error instanceof ClientError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** @throws UsageError if the token does not read curated records alone */
async function sourceOf(service: ServiceClient, only: readonly string[] | undefined): Promise<Source> {
  const { collections } = await service.me();
  const source = new Map<string, AreaClient>();
  for (const name of only ?? Object.keys(collections)) {
    const area = followedArea(service.collection(name), collections[name]?.permissions ?? []);
    if (area) source.set(name, area);
    else if (only && !collections[name])
      throw new UsageError(
        `The token has no access to a collection '${name}'. It has to ${Object.keys(collections).join(', ') || 'none'}.`,
      );
    else if (only)
      throw new UsageError(
        `${name}: expected a token that curates, or one that reads curated records and no zone (READ_CURATED), in ACCESSION_TOKEN.`,
      );
  }
  if (source.size > 0) return source;
  throw new UsageError(
    'The token reads the curated records of no collection: expected one with READ_CURATED or CURATOR in ACCESSION_TOKEN.',
  );
}

function schemaIn(root: string, name: string): string {
  return join(root, `${encodeURIComponent(name)}${SCHEMA_SUFFIX}`);
}

/** Whether a former start has made the store. */
function hasFollowed(root: string): boolean {
  const files = existsSync(root) ? readdirSync(root) : [];
  const hasSchema = files.some((file) => file.endsWith(SCHEMA_SUFFIX));
  return hasSchema && files.includes(DATABASE_FILE) && !files.includes(CONFIGURATION);
}

/**
 * Makes the store at the first start. The schemas are those of the service at each start.
 *
 * @returns the collections that have another schema than at the start before
 */
async function prepareStore(
  root: string,
  service: ServiceClient,
  names: readonly string[],
): Promise<readonly string[]> {
  makeDirectory(root);
  const files = readdirSync(root);
  // The file of the configuration is the first one, and goes when the store has it.
  const isUnfinished = files.includes(CONFIGURATION);
  const isNew = files.length === 0 || (isUnfinished && !files.includes(DATABASE_FILE));
  const schemaOf = (name: string) => schemaIn(root, name);
  const fileOf = (name: string) => basename(schemaOf(name));
  if (!isNew && !names.every((name) => files.includes(fileOf(name))))
    throw new UsageError(`${root} is not a store that follows ${names.join(', ')}: use a new directory.`);
  if (isNew) writeFileSync(join(root, CONFIGURATION), '', { mode: 0o600 });
  const switched: string[] = [];
  for (const name of names) {
    const text = await service.collection(name).schema({ merged: true });
    requireMerged(name, text);
    const isSame = files.includes(fileOf(name)) && readFileSync(schemaOf(name), 'utf8') === text;
    if (isSame) continue;
    writeFileSync(schemaOf(name), text);
    switched.push(name);
  }
  if (!isNew) return switched;
  const secret = newSecret();
  const configuration = {
    type: 'collections',
    version: 2,
    collections: Object.fromEntries(
      names.map((name) => [
        name,
        {
          schema: schemaOf(name),
          default_token: 'visitor',
          curated: `${name}/curated`,
          backend: { type: 'sqlite' },
        },
      ]),
    ),
    tokens: {
      visitor: { user_id: 'visitor', collections: everywhere(names, 'NOTHING') },
      reader: {
        user_id: 'reader',
        hashed: true,
        collections: everywhere(names, 'READ_CURATED'),
        representation: sha256(secret),
      },
    },
  };
  writeFileSync(join(root, CONFIGURATION), JSON.stringify(configuration), { mode: 0o600 });
  await write(`The token that reads the store, which is shown only now:\n  ${secret}\n`);
  return [];
}

/**
 * A merged schema has no imports. Those of another one would be files and hosts that this machine reaches, and that the service chooses.
 *
 * @throws UsageError
 */
function requireMerged(name: string, text: string): void {
  const schema = readYaml(text);
  if (isJsonObject(schema) && schema.imports === undefined) return;
  throw new UsageError(
    `${name}: expected a merged schema of the service, found one with imports, which are not opened here.`,
  );
}

function everywhere(names: readonly string[], mode: string): object {
  return Object.fromEntries(names.map((name) => [name, { mode, incoming_label: '' }]));
}

/**
 * Opens the store. The file of the configuration goes when the store has it.
 *
 * @param switched collections with another schema: they are set again, so that processes that read the store notice
 */
async function openStore(
  root: string,
  { logLevel }: FollowOptions,
  switched: ReadonlySet<string>,
): Promise<App> {
  const configFile = join(root, CONFIGURATION);
  const isFirst = existsSync(configFile);
  const secret = newSecret();
  const options = {
    store: root,
    version: version(),
    logger: openLog(logLevel),
    follows: true,
    schemaHosts: [],
    bootstrap: sha256(secret),
  };
  const app = await openApp({ ...options, ...(isFirst && { configFile }) });
  if (isFirst) rmSync(configFile);
  try {
    for (const name of switched) {
      await announce(app, name, secret).catch((error: unknown) => {
        // The file differs from the schema of the service then, so the next start announces it.
        appendFileSync(schemaIn(root, name), '\n');
        throw error;
      });
      complain(`${name}: the schema of the service has changed, and is in force here, too.`);
    }
  } catch (error) {
    await app.close();
    throw error;
  }
  return app;
}

/** Sets a collection again, so that processes that read the store open its schema. @throws UsageError if it is refused */
export async function announce({ registry, server }: App, name: string, secret: string): Promise<void> {
  const payload = { name, ...registry.collection(name).config };
  const headers = { 'x-service-token': secret };
  const { statusCode, body } = await server.inject({ method: 'PUT', url: '/collections', headers, payload });
  if (statusCode >= 300)
    throw new UsageError(`${name}: the schema of the service has changed, and is not in force here: ${body}`);
}
