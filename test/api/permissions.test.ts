/**
 * Every endpoint with every mode of a token, no token, tokens that are refused and an admin token, by the need of its row: on one
 * process with SQLite, and on two instances with PostgreSQL.
 */
import assert from 'node:assert/strict';
import type { Need } from '../../src/core/http/endpoint.ts';
import { ADMIN, type TestConfiguration, type TestService, testApp } from '../support/app.ts';
import { ENDPOINTS, urlOf } from '../support/endpoints.ts';
import { ownDatabase } from '../support/postgresql.ts';
import { isLong, repeated, test } from '../support/tier.ts';

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

/** The status if the caller is refused; undefined if the request is looked at. */
function refusalOf(need: Need, { token, mode, as }: Caller): 400 | 401 | 403 | undefined {
  const [readCurated, readZone, writeZone, curate] = [...mode].map((letter) => letter !== '.');
  if (need === 'public') return undefined;
  if (need === 'me') return token === 'stranger' ? 401 : undefined;
  if (need === 'secret' || need === 'person') return 401;
  // Which token it needs is known with the body (`modes.test.ts`).
  if (need === 'maintenance') return as === 'nobody' ? 400 : undefined;
  if (need === 'admin') return as === 'admin' ? undefined : 401;
  if (need === 'steward') {
    if (as === 'known') return curate ? undefined : 403;
    return as === 'admin' ? undefined : 401;
  }
  if ((need === 'schema' || need === 'curatedOrAdmin') && as === 'admin') return undefined;
  // As in the peer: without a token, the default token is asked for.
  if (need === 'reload' && as === 'nobody') return 403;
  if (as === 'nobody') return ['curate', 'user'].includes(need) ? 401 : need === 'known' ? undefined : 403;
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
    ...{ curate, reload: curate, known: true, user: true },
  }[need];
  return isAllowed ? undefined : 403;
}

/** Also with HEAD. */
const REQUESTS = ENDPOINTS.flatMap((endpoint) => {
  const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method];
  return methods.map((method) => ({ ...endpoint, method, url: urlOf(endpoint) }));
});

/** Every caller makes every request, on one service after the other. */
async function judge(services: readonly TestService[]): Promise<void> {
  let turn = 0;
  for (const { need, method, path, url } of REQUESTS) {
    // An empty object is no body that changes anything, whether it is allowed or not.
    const json = ['GET', 'HEAD'].includes(method) ? undefined : {};
    for (const caller of CALLERS) {
      const { token } = caller;
      const service = services[turn++ % services.length]!;
      const { status, text } = await service.request(method, url, {
        ...(token && { token }),
        ...(json && { json }),
      });
      const expected = refusalOf(need, caller);
      const told = `${method} ${path} as ${token ?? 'nobody'}: ${status} ${text}`;
      if (expected !== undefined) assert.equal(status, expected, told);
      else assert.ok(status < 500 && status !== 401 && status !== 403, told);
    }
  }
}

test('whatever is in the curated area or an incoming zone by its path is for curators', () => {
  const rows = ENDPOINTS.filter(({ path }) => /\/(curated|incoming)\//.test(path));
  assert.ok(rows.length > 30);
  assert.deepEqual(
    rows.filter(({ need }) => need !== 'curate').map(({ method, path }) => `${method} ${path}`),
    [],
  );
});

test('SQLite: each token is accepted by exactly the operations that its mode grants', async (t) => {
  await judge([await testApp(t, inBackend('sqlite+stl'))]);
});

if (isLong)
  repeated(
    'PostgreSQL, two instances: each token is accepted by exactly the operations that its mode grants',
    async (t) => {
      const options = { databaseUrl: await ownDatabase() };
      const one = await testApp(t, inBackend('postgresql+stl'), options);
      await judge([one, await testApp(t, {}, options)]);
    },
  );

function inBackend(type: string): TestConfiguration {
  return { ...CONFIGURATION, collections: { c: { backend: { type } }, d: { backend: { type } } } };
}
