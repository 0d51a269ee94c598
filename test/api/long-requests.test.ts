/** Long requests leave the event loop to others: what would take it for long is done in threads, or in slices. */
import assert from 'node:assert/strict';
import { sharedApp, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { lacks } from '../support/lacks.ts';
import { observed } from '../support/observed.ts';
import { isLong, ofTier, repeated, test } from '../support/tier.ts';

const CONFIGURATION = {
  collections: {
    tables: { backend: { type: 'sqlite+stl' } },
    files: { backend: { type: 'record_dir+stl' } },
  },
  tokens: {
    ann: { tables: 'WRITE_COLLECTION', files: 'WRITE_COLLECTION' },
    cleo: { tables: 'CURATOR', files: 'CURATOR' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

function inlined(count: number): object {
  const relations = Object.fromEntries(
    Array.from({ length: count }, (_, n) => {
      const pid = `labid:in-${n}`;
      return [pid, { pid, schema_type: 'schema:Person', family_name: 'x', name: `person ${n}` }];
    }),
  );
  return { pid: 'labid:outer', family_name: 'x', name: 'outer', relations };
}

for (const collection of ofTier(['tables', 'files'])) {
  repeated(
    `${collection}: an object with 3,000 inlined records is checked in a thread, and written as one write`,
    async () => {
      const service = await emptyService();
      const { answer, tasks, turns } = await observed(service, () =>
        service.request('POST', `/${collection}/record/Person`, { token: 'ann', json: inlined(3000) }),
      );
      assert.equal(answer.status, 200, answer.text.slice(0, 200));
      assert.equal(answer.json<unknown[]>().length, 3001);
      assert.ok(tasks >= 1, `${tasks} tasks`);
      assert.ok(turns > 20, `${turns} turns`);
      const page = await service.request('GET', `/${collection}/records/p/Person?size=1`, { token: 'ann' });
      assert.equal(page.json<{ total: number }>().total, 3001);
    },
  );

  repeated(
    `${collection}: a long record is the same when it is read, as JSON, as Turtle, and after a restart`,
    async (t) => {
      const service = await testApp(t, CONFIGURATION);
      const record = {
        family_name: 'x',
        description: 'é "quoted"\n'.repeat(40_000),
        name: 'long',
        pid: 'labid:long',
        schema_type: 'schema:Person',
      };
      const stored = await service.request('POST', `/${collection}/curated/record/Person`, {
        token: 'cleo',
        json: record,
      });
      assert.equal(stored.status, 200, stored.text.slice(0, 300));
      const read = (format: string) =>
        service.request('GET', `/${collection}/curated/record?pid=labid:long&format=${format}`, {
          token: 'cleo',
        });
      assert.deepEqual((await read('json')).json(), record);
      const { answer, tasks } = await observed(service, () => read('ttl'));
      // The index of strings may have one of its own at the same time.
      assert.ok(tasks >= 1, `${tasks} tasks`);
      const again = await service.request('POST', `/${collection}/record/Person?format=ttl`, {
        token: 'ann',
        turtle: answer.text,
      });
      assert.equal(again.status, 200, again.text.slice(0, 300));
      await service.restart();
      assert.deepEqual((await read('json')).json(), record);
    },
  );
}

test('an object or a batch that would store more than 10,000 records is refused, and nothing of it is stored', async () => {
  const service = await emptyService();
  const refused = async (path: string, json: unknown) => {
    const answer = await service.request('POST', path, { token: 'ann', json });
    assert.equal(answer.status, 413, answer.text.slice(0, 200));
    assert.match(answer.text, /more than 10000 records, inlined ones included/);
  };
  await refused('/tables/record/Person', inlined(10_000));
  await refused('/tables/validate/record/Person', inlined(10_000));
  const halves = ['a', 'b'].map((name) => ({ ...inlined(5_000), pid: `labid:${name}` }));
  await refused('/-/tables/records/Person?atomic=true', halves);
  const page = await service.request('GET', '/tables/records/p/?size=1', { token: 'ann' });
  assert.equal(page.json<{ total: number }>().total, 0);
});

test('a record with more than 100,000 references is refused', async () => {
  const service = await emptyService();
  const affiliations = Array.from({ length: 100_001 }, (_, n) => `labid:${n}`);
  const json = { pid: 'labid:x', family_name: 'x', name: 'x', affiliations };
  const answer = await service.request('POST', '/tables/record/Person', { token: 'ann', json });
  assert.equal(answer.status, 400);
  const [problem] = answer.json<{ detail: { type: string; msg: string }[] }>().detail;
  assert.equal(problem?.type, 'too_large');
  assert.match(problem!.msg, /refers to others more than 100000 times/);
});

test('a long body that is refused has the same problems as a short one', async () => {
  const service = await emptyService();
  for (const length of [10, 400_000]) {
    const json = { pid: 'labid:x', family_name: 'x', name: 'x', no_such_slot: 'x'.repeat(length) };
    const { answer, tasks } = await observed(service, () =>
      service.request('POST', '/tables/record/Person', { token: 'ann', json }),
    );
    assert.equal(answer.status, 400);
    assert.equal(tasks, length > 10 ? 1 : 0);
    const [problem] = answer.json<{ detail: { type: string; loc: string[] }[] }>().detail;
    assert.deepEqual([problem?.type, problem?.loc], ['extra_forbidden', ['body', 'no_such_slot']]);
  }
  const broken = await service.request('POST', '/tables/record/Person', {
    token: 'ann',
    body: `{"pid":"labid:x",\n"name":"${'x'.repeat(300_000)}`,
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(broken.status, 400);
  assert.match(broken.text, /line 2/);
});

test('a long record is found', async () => {
  const service = await emptyService();
  const json = { pid: 'labid:long', family_name: 'x', name: `${'a '.repeat(200_000)}needle` };
  await service.request('POST', '/tables/curated/record/Person', { token: 'cleo', json });
  // A thread looks for faults of it behind the commit, which is no task of the tests behind this one.
  await eventually('all projections have followed', () =>
    service.app.projector.list().every(({ state, behind }) => state === 'idle' && behind === 0),
  );
  const search = (pattern: string) =>
    service.request('GET', `/tables/curated/records/p/?matching=${encodeURIComponent(pattern)}`, {
      token: 'cleo',
    });
  assert.equal((await search('%a need_e')).json<{ total: number }>().total, 1);
  assert.equal((await search('%a nedle')).json<{ total: number }>().total, 0);
});

test('an atomic batch is one transaction, and leaves nothing if it fails', async () => {
  const service = await emptyService();
  const items = Array.from({ length: 1200 }, (_, n) => ({
    pid: `labid:b-${n}`,
    family_name: 'x',
    name: `person ${n}`,
  }));
  const { answer, turns } = await observed(service, () =>
    service.request('POST', '/-/tables/records/Person?atomic=true', { token: 'ann', json: items }),
  );
  assert.equal(answer.status, 200);
  assert.ok(turns > 5, `${turns} turns`);
  const bad = await service.request('POST', '/-/tables/records/Person?atomic=true', {
    token: 'ann',
    json: [...items.map((item) => ({ ...item, pid: `${item.pid}-again` })), { pid: 'labid:bad', wrong: 1 }],
  });
  assert.equal(bad.status, 400);
  const page = await service.request('GET', '/tables/records/p/Person?size=1', { token: 'ann' });
  assert.equal(page.json<{ total: number }>().total, 1200);
});

test('an export whose client reads at once leaves turns to others', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const items = Array.from({ length: 2000 }, (_, n) => ({
    pid: `labid:e-${n}`,
    family_name: 'x',
    name: `person ${n}`,
  }));
  const path = '/-/tables/curated';
  const stored = await service.request('POST', `${path}/records/Person`, { token: 'cleo', json: items });
  assert.equal(stored.status, 200);
  const { answer, turns } = await observed(service, () =>
    service.request('GET', `${path}/export?format=nq`, { token: 'cleo' }),
  );
  assert.match(answer.text, /e-1999/);
  t.diagnostic(`${turns} turns`);
  assert.ok(turns > 2, `${turns} turns`);
});

test('forty first submissions at the same time get a zone each', async (t) => {
  const names = Array.from({ length: 40 }, (_, n) => `user${n}`);
  const service = await testApp(t, {
    collections: { tables: { backend: { type: 'sqlite+stl' } } },
    tokens: Object.fromEntries(names.map((name) => [name, { tables: 'WRITE_COLLECTION' }])),
  });
  const answers = await Promise.all(
    names.map((token) =>
      service.request('POST', '/tables/record/Person', {
        token,
        json: { pid: `labid:${token}`, family_name: 'x', name: token },
      }),
    ),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  for (const token of names) {
    const own = await service.request('GET', '/tables/records/p/', { token });
    assert.equal(own.json<{ total: number }>().total, 1);
  }
});

test('the long items of a batch are checked in threads, in both forms, with the same results', async () => {
  const service = await emptyService();
  const long = { family_name: 'x', name: 'y'.repeat(150_000) };
  const items = [
    { pid: 'labid:long', ...long },
    { pid: 'labid:short', family_name: 'x', name: 'y' },
    { pid: 'labid:wrong', unknown: 1, ...long },
  ];
  for (const body of [JSON.stringify(items), items.map((item) => JSON.stringify(item)).join('\n')]) {
    const { answer, tasks } = await observed(service, () =>
      service.request('POST', '/-/tables/validate/records/Person', {
        token: 'ann',
        body,
        headers: { 'content-type': 'application/x-ndjson' },
      }),
    );
    const results = answer.json<{ status: number; detail?: { type: string; loc: string[] }[] }[]>();
    assert.deepEqual(
      results.map(({ status }) => status),
      [200, 200, 400],
      answer.text.slice(0, 500),
    );
    assert.equal(results[2]?.detail?.[0]?.type, 'extra_forbidden');
    assert.ok(tasks >= 2, `${tasks} tasks`);
  }
});

test('a problem of a long body has its number in all digits, as that of a short one', async () => {
  const service = await emptyService();
  const inputs: string[] = [];
  for (const length of [10, 200_000]) {
    const body = `{"pid": "labid:p", "title": "${'x'.repeat(length)}", "page_count": 4.50}`;
    const { answer, tasks } = await observed(service, () =>
      service.request('POST', '/tables/record/Publication', {
        token: 'ann',
        body,
        headers: { 'content-type': 'application/json' },
      }),
    );
    assert.equal(answer.status, 400, answer.text.slice(0, 300));
    assert.equal(tasks, length > 100 ? 1 : 0);
    inputs.push(...(answer.text.match(/"input":[^,}]*/g) ?? []));
  }
  assert.deepEqual(inputs, ['"input":4.50', '"input":4.50']);
});

repeated(
  'a long body is held against the schema of its endpoint in a thread, and refused as a short one is',
  { skip: lacks('migrate') || lacks('review') },
  async () => {
    const service = await emptyService();
    for (const [path, limit] of [
      ['/-/tables/rehearse', 900_000],
      ['/-/tables/review/decisions', 5_000_000],
    ] as const)
      for (const item of isLong ? ['1.5', '{}', '""'] : ['{}']) {
        const body = `[${`${item},`.repeat(limit / 5)}${item}]`;
        const { answer, tasks } = await observed(service, () =>
          service.request('POST', path, {
            token: 'cleo',
            body,
            headers: { 'content-type': 'application/json' },
          }),
        );
        assert.equal(answer.status, 422, `${path} ${item}: ${answer.text.slice(0, 200)}`);
        assert.ok(answer.text.length < 10_000);
        assert.equal(tasks, 1);
      }
  },
);
