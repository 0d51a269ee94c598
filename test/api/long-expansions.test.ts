/** Records with tens of thousands of references: what follows or lists these leaves the event loop to others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../support/app.ts';

const REFERENCES = 60_000;
/** The longest time between two turns of others, as a share of the whole: it was 0.4 when nothing was sliced, and is 0.15. */
const MOST_SHARE = 0.28;
/** A collection of garbage makes a turn longer: the best of some rounds is believed. */
const ROUNDS = 3;

test('the references of a long record are followed in slices, and not looked at if nothing is followed', async (t) => {
  const { app, request } = await testApp(t, {
    collections: { c: { backend: { type: 'sqlite+stl' } } },
    tokens: { cora: { c: 'CURATOR' } },
  });
  const affiliations = Array.from({ length: REFERENCES }, (_, n) => `labid:o${n}`);
  const get = (path: string) => request('GET', path, { token: 'cora' });
  const store = async (className: string, json: object) => {
    const answer = await request('POST', `/c/curated/record/${className}`, { token: 'cora', json });
    assert.equal(answer.status, 200, answer.text.slice(0, 200));
  };
  await store('Organization', { pid: 'labid:o7', name: 'seven' });
  await store('Person', { pid: 'labid:p', family_name: 'x', name: 'x', affiliations });

  /** How long the event loop did not turn at most, and in all, in processor time. */
  async function turnsOf<T>(work: () => Promise<T>): Promise<{ answer: T; longest: number; whole: number }> {
    const now = () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    };
    const began = now();
    let [last, longest] = [began, 0];
    let turning = setImmediate(function turn() {
      longest = Math.max(longest, now() - last);
      last = now();
      turning = setImmediate(turn);
    });
    const answer = await work();
    clearImmediate(turning);
    return { answer, longest, whole: now() - began };
  }

  const expand = () => turnsOf(() => get('/c/curated/record?pid=labid:p&expand=affiliations'));
  const expanded = await expand();
  const record = expanded.answer.json<{ affiliations: (string | { name: string })[] }>();
  assert.deepEqual(
    [record.affiliations[6], (record.affiliations[7] as { name: string }).name],
    ['labid:o6', 'seven'],
  );
  const shares: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { longest, whole } = await expand();
    shares.push(longest / whole);
  }
  assert.ok(Math.min(...shares) < MOST_SHARE, `the longest turn was ${shares} of the whole`);

  const started = app.pool.started;
  const fields = await get('/c/curated/record?pid=labid:p&fields=name');
  assert.deepEqual(fields.json(), { name: 'x', pid: 'labid:p', schema_type: 'schema:Person' });
  assert.equal(app.pool.started, started + 1);

  const links = (await get('/-/c/links?pid=labid:p')).json<{ to: { pid: string }[] }>();
  assert.ok(links.to.length > 0 && links.to.length < 1000, `${links.to.length} references`);
});

test('the titles of long records, alone and of references, are read in threads, and a few records at a time', async (t) => {
  const { app, request } = await testApp(t, {
    collections: { c: { backend: { type: 'sqlite+stl' } } },
    tokens: { cora: { c: 'CURATOR' } },
  });
  const description = 'x'.repeat(200_000);
  const pids = Array.from({ length: 20 }, (_, n) => `labid:o${n}`);
  for (const [n, pid] of pids.entries()) {
    const json = { pid, name: `o${n}`, ...(n < 2 && { description }), ...(n > 0 && { part_of: 'labid:o0' }) };
    const stored = await request('POST', '/c/curated/record/Organization', { token: 'cora', json });
    assert.equal(stored.status, 200, stored.text.slice(0, 200));
  }
  const before = app.pool.started;
  const json = { pids: [...pids, 'labid:none', 'none:x'] };
  const titles = await request('POST', '/-/c/titles', { token: 'cora', json });
  const entries = Object.entries(
    titles.json<Record<string, { title: string; class: string; in: string } | null>>(),
  );
  assert.deepEqual(entries.slice(-3), [
    ['labid:o19', { title: 'o19', class: 'Organization', in: 'curated' }],
    ['labid:none', null],
    ['none:x', null],
  ]);
  assert.deepEqual([entries.length, app.pool.started], [22, before + 2]);
  const links = await request('GET', '/-/c/links?pid=labid:o0', { token: 'cora' });
  assert.equal(
    links.json<{ from: { title: string }[] }>().from.filter(({ title }) => title === 'o1').length,
    1,
  );
  assert.ok(app.pool.started > before + 2);
});
