/**
 * The whole service without a port, on a store directory of its own: what tests of the API start with.
 *
 * ```ts
 * const service = await testApp(t, { collections: { notes: {} }, tokens: { ann: { notes: 'WRITE_COLLECTION' } } });
 * const answer = await service.request('POST', '/notes/record/Person', { token: 'ann', json: { pid: 'ex:a' } });
 * ```
 *
 * Collections with a PostgreSQL backend get a database with empty tables, if none is given. With
 * `ACCESSION_TEST_BACKEND=postgresql`, all collections are there, so that any test of the API can be run on it.
 *
 * Tokens are their own secrets, their user id is `<name>@example.org`, and their zone has their name.
 *
 * The configuration is not logged in git, unless a test asks for `modules: MODULES`: see {@link UNLOGGED}.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, type TestContext } from 'node:test';
import { pino } from 'pino';
import { type App, type AppOptions, openApp } from '../../src/app.ts';
import type { Module } from '../../src/module.ts';
import { endpointsWith, MODULES } from '../../src/modules.ts';
import { Described } from './described.ts';
import { databaseWithTables } from './postgresql.ts';

/** The schema of the example store. */
export const LABORATORY = resolve(import.meta.dirname, '../../examples/laboratory/schema.yaml');

/** The secret of the admin token that test services start with. */
export const ADMIN = 'admin-secret';

export type TestConfiguration = {
  /** Attributes by collection name; schema, paths and default token are filled in. */
  readonly collections?: Readonly<Record<string, object>>;
  /** Modes by token name and collection name. */
  readonly tokens?: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export type TestRequest = {
  readonly token?: string;
  /** Sent as `application/json`. */
  readonly json?: unknown;
  /** Sent as `text/turtle`. */
  readonly turtle?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};

export type TestAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as JSON; throws where it is none. */
  json<T = unknown>(): T;
};

export type TestService = {
  /** The store directory. */
  readonly store: string;
  readonly app: App;
  request(method: string, url: string, options?: TestRequest): Promise<TestAnswer>;
  /** Stops the service and starts another one on the same store, with some other options. */
  restart(others?: Partial<AppOptions>): Promise<void>;
};

/**
 * All modules, without the git repository of the configuration: its three processes take a seventh of the time in which a service
 * is opened and closed. Logs that a collection is configured with are written.
 */
const UNLOGGED = MODULES.map((module) => (module.name === 'audit' ? { ...module, open: undefined } : module));

/** Starts a service for one test, and takes it down when the test ends. */
export async function testApp(
  t: Pick<TestContext, 'after'>,
  configuration: TestConfiguration,
  options: Partial<AppOptions> = {},
): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-'));
  const store = options.store ?? mkdtempSync(join(folder, 'store-'));
  const configFile = join(folder, 'config.yaml');
  const written = configurationFile(configuration);
  writeFileSync(configFile, JSON.stringify(written));
  const inDatabase = Object.values(written.collections).some(({ backend }) => isInDatabase(backend));
  const databaseUrl = options.databaseUrl ?? (inDatabase ? await databaseWithTables() : undefined);
  // A response that is sent twice, or a handler that ends without one, is a warning of fastify and nothing else.
  const complaints: string[] = [];
  const logger = pino(
    { level: 'warn' },
    {
      write(line: string) {
        if (line.includes('"code":"FST_ERR_')) complaints.push(line);
      },
    },
  );
  const open = async (others: Partial<AppOptions> = {}) => {
    const { modules = UNLOGGED } = { ...options, ...others };
    const opened = await openApp({
      configFile,
      bootstrap: createHash('sha256').update(ADMIN).digest('hex'),
      version: '0.0.0-test',
      healthInterval: 0,
      logger,
      ...options,
      ...others,
      ...(databaseUrl !== undefined && { databaseUrl }),
      store,
      modules,
    });
    parts.set(opened.server, partsOf(modules));
    return opened;
  };
  let app = await open();
  t.after(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual(complaints, [], 'the framework complains about the service');
  });
  return {
    store,
    get app() {
      return app;
    },
    request: (method, url, request) => send(app, method, url, request),
    async restart(others) {
      await app.close();
      app = await open(others);
    },
  };
}

/**
 * A service for the tests of a file that leave nothing but records: each begins without any. A service costs a fifth of a
 * second of a processor, a test of some requests a twentieth.
 */
export function sharedApp(...parts: [TestConfiguration, Partial<AppOptions>?]): () => Promise<TestService> {
  const ends: (() => void | Promise<void>)[] = [];
  after(async () => {
    for (const end of ends) await end();
  });
  let opened: Promise<TestService> | undefined;
  return async () => {
    opened ??= testApp({ after: (end) => void ends.push(end as () => Promise<void>) }, ...parts);
    const service = await opened;
    await removeRecords(service.app);
    return service;
  };
}

async function removeRecords({ registry }: App): Promise<void> {
  for (const { database, curated, zones } of registry.current().collections.values()) {
    for (const { path, records } of [...(await zones.areas()), { ...curated.area, records: undefined }]) {
      if (records === 0) continue;
      const area = await database.area(path);
      const changes = [];
      for await (const { iri } of area.scan({})) changes.push({ delete: iri });
      if (changes.length > 0) await area.write(changes, null);
    }
  }
}

/** The kind of backend that all collections get, whatever their configuration has. */
const BACKEND = process.env.ACCESSION_TEST_BACKEND;

type Written = { readonly backend?: { readonly type?: string } };

function isInDatabase(backend: Written['backend']): boolean {
  return backend?.type?.startsWith('postgresql') === true;
}

function withBackend(attributes: Written): Written {
  if (BACKEND === undefined || isInDatabase(attributes.backend)) return attributes;
  const type = (attributes.backend?.type ?? 'record_dir+stl').replace(/^[a-z_]+/, BACKEND);
  return { ...attributes, backend: { type } };
}

/** A configuration of version 2; JSON is YAML. */
function configurationFile({ collections = {}, tokens = {} }: TestConfiguration) {
  return {
    type: 'collections',
    version: 2,
    collections: mapValues(collections, (attributes, name) => ({
      schema: LABORATORY,
      default_token: 'nobody',
      curated: `${name}/curated`,
      incoming: `${name}/incoming`,
      ...withBackend(attributes),
    })),
    tokens: mapValues(tokens, (modes, name) => ({
      user_id: `${name}@example.org`,
      representation: name,
      collections: mapValues(modes, (mode) => ({ mode, incoming_label: name })),
    })),
  };
}

async function send(app: App, method: string, url: string, request: TestRequest = {}): Promise<TestAnswer> {
  const { token, json, turtle, body, headers } = request;
  // A request ends on the state that it started with: so it is held against the description of that.
  const description = await descriptionOf(app);
  const answer = await app.server.inject({
    method: method as 'GET',
    url,
    headers: {
      ...(token === undefined ? {} : { 'x-service-token': token }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(turtle === undefined ? {} : { 'content-type': 'text/turtle' }),
      ...headers,
    },
    payload: json === undefined ? (turtle ?? body) : JSON.stringify(json),
  });
  if (answer.headers['content-encoding'] === undefined) {
    description.check({
      method,
      url,
      status: answer.statusCode,
      contentType: answer.headers['content-type'] as string | undefined,
      text: answer.body,
    });
  }
  return {
    status: answer.statusCode,
    headers: answer.headers as Record<string, string | undefined>,
    text: answer.body,
    json: () => JSON.parse(answer.body),
  };
}

/** By what a description depends on: services of a process are often described alike. Every answer is held against one. */
const descriptions = new Map<string, Promise<Described>>();

/** The modules of a service and its routes: what it lacks is not described. */
const parts = new WeakMap<App['server'], string>();
/** The same by lists of modules, of which most services have one. */
const listed = new WeakMap<readonly Module[], string>();

function partsOf(modules: readonly Module[]): string {
  const known = listed.get(modules);
  if (known !== undefined) return known;
  const names = modules.map(({ name }) => name);
  const routes = endpointsWith(modules).map(({ method, path }) => `${method} ${path}`);
  const found = JSON.stringify([names, routes]);
  listed.set(modules, found);
  return found;
}

function descriptionOf({ registry, server }: App): Promise<Described> {
  const collections = [...registry.current().collections.values()];
  const key = JSON.stringify([
    parts.get(server),
    ...collections.map(({ name, schema, classes }) => [name, schema.digest, classes]),
  ]);
  const known = descriptions.get(key);
  if (known) return known;
  const description = server
    .inject({ url: '/openapi.json' })
    .then(({ body }) => new Described(JSON.parse(body)));
  descriptions.set(key, description);
  description.catch(() => descriptions.delete(key));
  return description;
}

function mapValues<A, B>(entries: Readonly<Record<string, A>>, map: (value: A, key: string) => B) {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, map(value, key)]));
}
