/**
 * Every endpoint with every mode of a token, no token, tokens that are refused and an admin token, by the need of its row: on one
 * process with SQLite, and on two instances with PostgreSQL.
 */
import assert from 'node:assert/strict';
import { ADMIN, type TestConfiguration, testApp } from '../support/app.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { type Caller, judge, MODES } from '../support/permission-matrix.ts';
import { ownDatabase } from '../support/postgresql.ts';
import { isLong, repeated, test } from '../support/tier.ts';

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

test('whatever is in the curated area or an incoming zone by its path is for curators', () => {
  const rows = ENDPOINTS.filter(({ path }) => /\/(curated|incoming)\//.test(path));
  assert.ok(rows.length > 30);
  assert.deepEqual(
    rows.filter(({ need }) => need !== 'curate').map(({ method, path }) => `${method} ${path}`),
    [],
  );
});

test('SQLite: each token is accepted by exactly the operations that its mode grants', async (t) => {
  await judge([await testApp(t, inBackend('sqlite+stl'))], CALLERS);
});

if (isLong)
  repeated(
    'PostgreSQL, two instances: each token is accepted by exactly the operations that its mode grants',
    async (t) => {
      const options = { databaseUrl: await ownDatabase() };
      const one = await testApp(t, inBackend('postgresql+stl'), options);
      await judge([one, await testApp(t, {}, options)], CALLERS);
    },
  );

function inBackend(type: string): TestConfiguration {
  return { ...CONFIGURATION, collections: { c: { backend: { type } }, d: { backend: { type } } } };
}
