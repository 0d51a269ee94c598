/**
 * Every operation of the description with every mode of a token, no token, tokens that are refused and an admin token: on one
 * process with SQLite, and on two instances with PostgreSQL.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Need } from '../../src/http/endpoint.ts';
import { MODULES } from '../../src/modules.ts';
import { ADMIN, type TestConfiguration, type TestService, testApp } from '../support/app.ts';
import { ownDatabase } from '../support/postgresql.ts';

/** What a mode grants: read curated, read own zone, write own zone, curate. */
const MODES: Readonly<Record<string, string>> = {
  READ_CURATED: 'r...',
  READ_COLLECTION: 'rz..',
  WRITE_COLLECTION: 'rzw.',
  READ_SUBMISSIONS: '.z..',
  WRITE_SUBMISSIONS: '.zw.',
  WRITE_INCOMING: '.zw.',
  SUBMIT: 'r.w.',
  SUBMIT_ONLY: '..w.',
  NOTHING: '....',
  CURATOR: 'rzwc',
};

/**
 * Operations of the core by what they need. An operation of the description that is neither here nor in a module, with its need,
 * makes the test fail.
 */
const OPERATIONS: Readonly<Partial<Record<Need, string>>> = {
  read: `
    GET /c/record · GET /c/records/ · GET /c/records/{class} · GET /c/records/p/ · GET /c/records/p/{class}
    GET /-/c/export · GET /-/c/search · GET /-/{collection}/links · GET /-/{collection}/classes
    GET /-/{collection}/context.jsonld
    POST /-/{collection}/titles`,
  schema: 'GET /-/{collection}/schema',
  curated: 'GET /-/{collection}/changes',
  zone: `
    GET /-/{collection}/zone/history · GET /-/{collection}/zone/changes · GET /-/{collection}/submissions/ · GET /-/{collection}/submissions/item`,
  write: `
    DELETE /c/record · POST /c/record/Person · POST /c/validate/record/Person · POST /-/c/records/
    POST /-/c/records/{class} · POST /-/c/validate/records/ · POST /-/c/validate/records/{class}
    DELETE /-/c/records/`,
  answer: 'POST /-/{collection}/submissions/comments',
  curate: `
    GET /c/curated/record · GET /c/curated/records/ · GET /c/curated/records/{class} · GET /c/curated/records/p/
    GET /c/curated/records/p/{class} · DELETE /c/curated/record · POST /c/curated/record/Person
    GET /c/incoming/{label}/record · GET /c/incoming/{label}/records/ · GET /c/incoming/{label}/records/{class}
    GET /c/incoming/{label}/records/p/ · GET /c/incoming/{label}/records/p/{class} · GET /c/incoming/
    DELETE /c/incoming/{label}/record · POST /c/incoming/{label}/record/Person
    POST /-/c/curated/records/ · POST /-/c/curated/records/{class} · POST /-/c/curated/validate/records/
    POST /-/c/curated/validate/records/{class} · DELETE /-/c/curated/records/
    POST /-/c/incoming/{label}/records/ · POST /-/c/incoming/{label}/records/{class}
    POST /-/c/incoming/{label}/validate/records/ · POST /-/c/incoming/{label}/validate/records/{class}
    DELETE /-/c/incoming/{label}/records/
    GET /-/{collection}/curated/changes · GET /-/{collection}/incoming/{label}/changes
    GET /-/c/curated/export · GET /-/c/incoming/{label}/export · GET /-/c/curated/search
    GET /-/c/incoming/{label}/search · GET /-/{collection}/dangling · GET /-/{collection}/faults
    GET /-/{collection}/duplicates · PUT /-/{collection}/duplicates · GET /-/{collection}/moves · POST /-/{collection}/moves/{id}/undo
    POST /-/{collection}/curated/rename · POST /-/{collection}/curated/merge · GET /-/{collection}/history
    GET /-/{collection}/incoming/{label}/history · GET /-/{collection}/history/record
    POST /-/{collection}/history/restore · GET /-/{collection}/review/ · GET /-/{collection}/review/summary
    GET /-/{collection}/review/item · GET /-/{collection}/review/decisions · POST /-/{collection}/review/decisions
    POST /-/{collection}/review/comments
    POST /-/{collection}/review/decisions/by-filter · POST /-/{collection}/review/decisions/{id}/undo
    GET /-/{collection}/review/decisions/{id} · GET /-/{collection}/policies · GET /-/{collection}/curated/readers
    GET /-/{collection}/incoming/{label}/readers`,
  reload: 'GET /management/reload/policy_info/{collection}',
  steward: `
    POST /-/{collection}/rehearse · GET /-/{collection}/rehearsals/{id} · GET /-/{collection}/rehearsals/{id}/records · GET /-/{collection}/switches
    GET /-/{collection}/settings · PUT /-/{collection}/settings`,
  known: 'GET /-/{collection}/classes/{name}',
  admin: `
    POST /-/{collection}/policies/dry-run · POST /-/{collection}/rehearsals/{id}/switch · POST /-/{collection}/switches/{id}/undo · GET /-/status
    GET /-/metrics · GET /-/history · GET /collections · POST /collections · PUT /collections
    GET /collections/{name} · PUT /collections/{name} · DELETE /collections/{name} · GET /tokens · POST /tokens
    PUT /tokens · GET /tokens/{name} · PUT /tokens/{name} · DELETE /tokens/{name} · POST /tokens/{name}/rotate
    POST /-/schemas · GET /admin_tokens · POST /admin_tokens · PUT /admin_tokens · GET /admin_tokens/{name}
    PUT /admin_tokens/{name} · DELETE /admin_tokens/{name}`,
  public: `
    GET /server · GET /-/health · HEAD /-/health · GET /-/ready · POST /maintenance
    GET /-/{collection}/openapi.json · HEAD /-/{collection}/openapi.json`,
  me: 'GET /-/me',
};

/** The token of the matrix, or what is sent instead of one. */
type Caller = {
  readonly token?: string;
  readonly mode: string;
  readonly as: 'known' | 'unknown' | 'nobody' | 'admin';
};

const CALLERS: readonly Caller[] = [
  ...Object.entries(MODES).map(([token, mode]) => ({ token, mode, as: 'known' }) as const),
  { mode: '....', as: 'nobody' },
  { token: 'other', mode: '....', as: 'unknown' },
  { token: 'stranger', mode: '....', as: 'unknown' },
  { token: ADMIN, mode: '....', as: 'admin' },
];

const CONFIGURATION: TestConfiguration = {
  collections: { c: {}, d: {} },
  tokens: {
    ...Object.fromEntries(Object.keys(MODES).map((mode) => [mode, { c: mode }])),
    nobody: { c: 'NOTHING' },
    other: { d: 'CURATOR' },
  },
};

/** 401 or 403 if the caller is refused; undefined if the request is looked at. */
function refusalOf(need: Need, path: string, { token, mode, as }: Caller): 401 | 403 | undefined {
  const [readCurated, readZone, writeZone, curate] = [...mode].map((letter) => letter !== '.');
  if (need === 'public') return undefined;
  if (need === 'me') return token === 'stranger' ? 401 : undefined;
  if (need === 'secret') return 401;
  if (need === 'admin') return as === 'admin' ? undefined : 401;
  if (need === 'steward') {
    if (as === 'known') return curate ? undefined : 403;
    return as === 'admin' ? undefined : 401;
  }
  if ((need === 'schema' || need === 'curatedOrAdmin') && as === 'admin') return undefined;
  // As in the peer: without a token, the default token is asked for.
  if (need === 'reload' && as === 'nobody') return 403;
  const isForUsers = !/\/(curated|incoming)\//.test(path) && need !== 'curate';
  if (as === 'nobody') return isForUsers ? (need === 'known' ? undefined : 403) : 401;
  if (as !== 'known') return 401;
  const isAllowed = {
    ...{
      read: readCurated || readZone,
      schema: readCurated || readZone,
      choose: readCurated || readZone || writeZone,
      curated: readCurated,
      curatedOrAdmin: readCurated,
      zone: readZone,
      write: writeZone,
      answer: readZone && writeZone,
    },
    ...{ curate, reload: curate, known: true },
  }[need];
  return isAllowed ? undefined : 403;
}

/** A request of the operation that changes nothing, whether it is allowed or not. */
function requestOf(operation: string): { method: string; url: string; json?: object } {
  const [method = '', path = ''] = operation.split(' ');
  const name = path.includes('/classes/') ? 'Person' : 'nothing';
  const names: Record<string, string> = {
    collection: 'c',
    label: 'CURATOR',
    class: 'Person',
    name,
    job: '99',
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => names[key] ?? 'nothing');
  const isRead = method === 'GET' || method === 'HEAD' || path.endsWith('/record');
  const query = /(record|links|item|resource)$/.test(path)
    ? '?pid=labid:none'
    : path.endsWith('search')
      ? '?q=x'
      : '';
  return { method, url: filled + query, ...(!isRead && { json: {} }) };
}

const OF_CORE = Object.entries(OPERATIONS).flatMap(([need, operations]) =>
  operations
    .split(/·|\n/)
    .map((operation) => operation.trim())
    .filter((operation) => operation !== '')
    .map((operation) => ({ need: need as Need, operation })),
);
/** A path as the description has it: paths with a class are described for each collection. */
const pathInDescription = (path: string) =>
  (path.includes('{class}') ? path.replace('{collection}', 'c') : path).replace('{+', '{');
const OF_MODULES = MODULES.flatMap(({ endpoints = [] }) => endpoints).flatMap(
  ({ method, path, need, head }) =>
    (head ? [method, 'HEAD'] : [method]).map((one) => ({
      need: need!,
      operation: `${one} ${pathInDescription(path)}`,
    })),
);
const ROWS = [...OF_CORE, ...OF_MODULES];

/** Every caller makes every request, on one service after the other. */
async function judge(services: readonly TestService[]): Promise<void> {
  let turn = 0;
  for (const { need, operation } of ROWS) {
    const { method, url, json } = requestOf(operation);
    for (const caller of CALLERS) {
      const { token } = caller;
      const service = services[turn++ % services.length]!;
      const { status, text } = await service.request(method, url, {
        ...(token && { token }),
        ...(json && { json }),
      });
      const expected = refusalOf(need, url, caller);
      const told = `${operation} as ${token ?? 'nobody'}: ${status} ${text}`;
      if (expected !== undefined) assert.equal(status, expected, told);
      else assert.ok(status < 500 && status !== 401 && status !== 403, told);
    }
  }
}

async function described({ request }: TestService): Promise<string[]> {
  const { paths } = (await request('GET', '/openapi.json')).json<{ paths: Record<string, object> }>();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

test('every operation of the description is in the matrix', async (t) => {
  // Classes have the same permissions; a second collection would have the same paths.
  const known = new Set(ROWS.map(({ operation }) => operation));
  const service = await testApp(t, { ...CONFIGURATION, collections: { c: { use_classes: ['Person'] } } });
  assert.deepEqual(
    (await described(service)).filter((operation) => !known.has(operation)),
    [],
  );
});

test('SQLite: each token is accepted by exactly the operations that its mode grants', async (t: TestContext) => {
  await judge([await testApp(t, inBackend('sqlite+stl'))]);
});

test('PostgreSQL, two instances: each token is accepted by exactly the operations that its mode grants', async (t) => {
  const options = { databaseUrl: await ownDatabase() };
  const one = await testApp(t, inBackend('postgresql+stl'), options);
  await judge([one, await testApp(t, {}, options)]);
});

function inBackend(type: string): TestConfiguration {
  return { ...CONFIGURATION, collections: { c: { backend: { type } }, d: { backend: { type } } } };
}
