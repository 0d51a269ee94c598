/** A submission with `If-Match` of the curated record was made from that version, also if another one is stored meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { ofTier } from '../../../test/support/tier.ts';

const ROUNDS = 30;

for (const kind of ofTier(['SQLite', 'PostgreSQL']))
  test(`${kind}: what a curator stores between the check of If-Match and the submission is not reverted`, async (t) => {
    const { request } = await testApp(
      t,
      {
        collections: { c: { backend: { type: 'sqlite' } } },
        tokens: { ann: { c: 'WRITE_COLLECTION' }, cora: { c: 'CURATOR' } },
      },
      kind === 'PostgreSQL' ? { databaseUrl: await ownDatabase() } : {},
    );
    const curate = async (json: object) => {
      const { status, text } = await request('POST', '/c/curated/record/Person', { token: 'cora', json });
      assert.equal(status, 200, text);
    };
    const pids = Array.from({ length: ROUNDS }, (_, n) => `p${n}`);
    await Promise.all(pids.map((name) => curate(person(name, { description: 'First.' }))));
    const submit = async (name: string, n: number) => {
      const { headers } = await request('GET', `/c/record?pid=labid:${name}`, { token: 'ann' });
      const [{ status }] = await Promise.all([
        request('POST', '/c/record/Person', {
          token: 'ann',
          headers: { 'if-match': String(headers.etag) },
          json: person(name, { description: 'First.', email: 'ann@example.org' }),
        }),
        // At each moment of the submission, in one of the rounds.
        delay(2 * n * n).then(() => curate(person(name, { description: 'Second.' }))),
      ]);
      return status === 200;
    };
    const outcomes = await Promise.all(pids.map(submit));
    const { items } = (await request('GET', '/-/c/review/?size=100', { token: 'cora' })).json<{
      items: { pid: string; slots: string[] }[];
    }>();
    assert.equal(items.length, outcomes.filter(Boolean).length);
    assert.ok(items.length > 0, 'some submissions are stored');
    for (const { pid } of items) {
      const url = `/-/c/review/item?label=ann&pid=${pid}`;
      const { text, json } = await request('GET', url, { token: 'cora' });
      const { digest } = json<{ digest: string }>();
      const decision = { label: 'ann', pid, digest, decision: 'accept' };
      const accepted = await request('POST', '/-/c/review/decisions', { token: 'cora', json: decision });
      assert.ok([200, 409].includes(accepted.status), `${accepted.text} ${text}`);
      const record = (await request('GET', `/c/curated/record?pid=${pid}`, { token: 'cora' })).text;
      assert.match(record, /Second\./, `${accepted.status} ${text}`);
    }
  });
