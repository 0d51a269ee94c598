/** Requests of commands: every one has an endpoint, any can be sent, and the state of a service is shown. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ADMIN } from '../support/app.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { person } from '../support/people.ts';
import { accession } from './accession.ts';
import { listening } from './service.ts';

test('every request of a command has an endpoint', () => {
  const known = new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`));
  const sent = globSync('src/{cli,modules}/**/*commands.ts').flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('sends({')
      .slice(1)
      .flatMap((text) => {
        const [, method = 'GET'] = /^\s+method: '(\w+)'/.exec(text) ?? [];
        const paths = text.matchAll(/(?:method: '(\w+)',\s+)?path: '([^']*)'/g);
        return [...paths].map(([, own = method, path = '']) => `${own} ${path.replace(/\{\w+\}/g, '{}')}`);
      }),
  );
  assert.ok(sent.length > 0);
  assert.deepEqual(
    sent.filter((one) => !known.has(one)),
    [],
  );
});

test('any request can be sent, with a body from a file or standard input', async (t) => {
  const service = await listening(t);
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'ann' };
  const me = await accession(['api', 'get', '/-/me'], { env });
  assert.equal(JSON.parse(me.stdout).user_id, 'ann@example.org', me.stderr);
  const input = JSON.stringify(person('x'));
  const stored = await accession(['api', 'POST', 'lab/record/Person', '-d', '-'], { env, input });
  assert.equal(JSON.parse(stored.stdout)[0].pid, 'labid:x', stored.stderr);
  const refused = await accession(['api', 'GET', '/tokens'], { env });
  assert.deepEqual(
    [refused.status, /requires an admin token, and 'ann' is not one/.test(refused.stderr)],
    [1, true],
  );
  const status = await accession(['status'], { env: { ...env, ACCESSION_TOKEN: ADMIN } });
  assert.match(status.stdout, /^writable +yes$/m, status.stderr);
  assert.match(status.stdout, /^collection +lab: 0 records, \d+ zones?$/m);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person('a') });
  const one = await accession(['status'], { env: { ...env, ACCESSION_TOKEN: ADMIN } });
  assert.match(one.stdout, /^collection +lab: 1 record, /m);
});

test('a curator turns the maintenance mode on and off', async (t) => {
  const service = await listening(t);
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  for (const mode of ['on', 'off'])
    assert.equal(
      (await accession(['maintenance', 'lab', mode], { env })).stderr,
      `The maintenance mode of lab is ${mode}.\n`,
    );
});
