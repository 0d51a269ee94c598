/** `accession config public`: who may read a collection without a token. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN } from '../support/app.ts';
import { person } from '../support/people.ts';
import { accession } from './accession.ts';
import { listening } from './service.ts';

test('a collection is made public and closed again by its default token, which keeps its other permissions', async (t) => {
  const service = await listening(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person('a') });
  const { default_token: name } = (await service.request('GET', '/collections/lab', { token: ADMIN })).json<{
    default_token: string;
  }>();
  const token = { name, user_id: name, collections: { lab: { mode: 'NOTHING' } } };
  assert.equal((await service.request('PUT', '/tokens', { token: ADMIN, json: token })).status, 201);
  const read = async () => (await service.request('GET', '/lab/record?pid=labid:a')).status;
  const set = (...options: string[]) =>
    accession(['config', 'public', 'lab', ...options], {
      env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: ADMIN },
    });
  assert.equal(await read(), 403);
  const made = await set();
  assert.deepEqual([made.status, made.stdout], [0, ''], made.stderr);
  assert.match(made.stderr, /mode READ_CURATED in 'lab', before NOTHING/);
  assert.equal(await read(), 200);
  assert.equal((await set('--off')).status, 0);
  assert.equal(await read(), 403);
  const writing = { lab: { mode: 'SUBMIT', incoming_label: 'public' } };
  const submits = { ...token, collections: writing };
  assert.equal((await service.request('PUT', '/tokens', { token: ADMIN, json: submits })).status, 201);
  for (const options of [[], ['--off']]) {
    const refused = await set(...options);
    assert.deepEqual(
      [refused.status, /mode SUBMIT in 'lab'/.test(refused.stderr)],
      [1, true],
      refused.stderr,
    );
  }
  const kept = await service.request('GET', `/tokens/${name}`, { token: ADMIN });
  assert.equal(kept.json<{ collections: typeof writing }>().collections.lab.mode, 'SUBMIT');
});
