/** Records with tens of thousands of references: what follows or lists these leaves the event loop to others. */
import assert from 'node:assert/strict';
import { testApp } from '../../../test/support/app.ts';
import { longTest, test } from '../../../test/support/tier.ts';

const REFERENCES = 60_000;

longTest(
  'a long record is read and written in threads with what it refers to, and with what refers to it',
  async (t) => {
    const { app, request } = await testApp(t, {
      collections: { c: { backend: { type: 'sqlite+stl' } } },
      tokens: { cora: { c: 'CURATOR' } },
    });
    const affiliations = Array.from({ length: REFERENCES }, (_, n) => `labid:o${n}`);
    const get = async (path: string) => {
      const before = app.pool.started;
      const answer = await request('GET', path, { token: 'cora' });
      assert.equal(answer.status, 200, answer.text.slice(0, 200));
      return { answer, tasks: app.pool.started - before };
    };
    const store = async (className: string, json: object) => {
      const answer = await request('POST', `/c/curated/record/${className}`, { token: 'cora', json });
      assert.equal(answer.status, 200, answer.text.slice(0, 200));
    };
    await store('Organization', { pid: 'labid:o7', name: 'seven' });
    await store('Person', { pid: 'labid:p', family_name: 'x', name: 'x', affiliations });
    const seven = { name: 'seven', pid: 'labid:o7', schema_type: 'schema:Organization' };
    const long = { family_name: 'x', name: 'x', pid: 'labid:p', schema_type: 'schema:Person' };
    // So many records are not looked for.
    const truncated = [{ pid: 'labid:p', expand: 'affiliations' }];
    const expanded = {
      ...long,
      affiliations: affiliations.map((pid) => (pid === 'labid:o7' ? seven : pid)),
      '@truncated': truncated,
    };

    // There may be more tasks, of what is done in the background. References are read to find records, and again to put them in place; then the record is written.
    const record = await get('/c/curated/record?pid=labid:p&expand=affiliations');
    assert.deepEqual(record.answer.json(), expanded);
    assert.ok(record.tasks >= 3, `${record.tasks} tasks`);
    const page = await get('/c/curated/records/p/Person?expand=affiliations');
    assert.deepEqual(page.answer.json<{ items: object[] }>().items, [expanded]);
    assert.ok(page.tasks >= 3, `${page.tasks} tasks`);
    const graph = await get('/c/curated/record?pid=labid:p&expand=affiliations&shape=graph');
    assert.deepEqual(graph.answer.json(), {
      record: { ...long, affiliations },
      included: [seven],
      truncated,
    });
    assert.ok(graph.tasks >= 1, `${graph.tasks} tasks`);
    const back = await get('/c/curated/record?pid=labid:o7&expand=%5Eaffiliations&fields=name');
    assert.deepEqual(back.answer.json(), {
      ...seven,
      '^affiliations': [{ name: 'x', pid: 'labid:p', schema_type: 'schema:Person' }],
    });
    assert.ok(back.tasks >= 2, `${back.tasks} tasks`);

    const fields = await get('/c/curated/record?pid=labid:p&fields=name');
    assert.deepEqual(fields.answer.json(), { name: 'x', pid: 'labid:p', schema_type: 'schema:Person' });
    assert.ok(fields.tasks >= 1, `${fields.tasks} tasks`);

    const links = (await get('/-/c/links?pid=labid:p')).answer.json<{ to: { pid: string }[] }>();
    assert.ok(links.to.length > 0 && links.to.length < 1000, `${links.to.length} references`);
  },
);

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
  assert.equal(entries.length, 22);
  // What follows the changes in the background reads the long records, too.
  assert.ok(app.pool.started >= before + 2);
  // A record that is named again and again is read once: 500 times 10 MB would fill the memory.
  const started = app.pool.started;
  const again = { pids: Array.from({ length: 500 }, () => 'labid:o0') };
  const repeated = await request('POST', '/-/c/titles', { token: 'cora', json: again });
  assert.equal(repeated.json<Record<string, { title: string }>>()['labid:o0']?.title, 'o0');
  assert.ok(app.pool.started <= started + 10, `${app.pool.started - started} tasks`);
  const linked = app.pool.started;
  const links = await request('GET', '/-/c/links?pid=labid:o0', { token: 'cora' });
  assert.equal(
    links.json<{ from: { title: string }[] }>().from.filter(({ title }) => title === 'o1').length,
    1,
  );
  assert.ok(app.pool.started > linked);
});
