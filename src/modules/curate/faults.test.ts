/** What was valid under the former schema stays usable under a new one, and is listed with what is wrong. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ADMIN, type TestService, testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { BEFORE, GONE } from '../../../test/support/schemas.ts';
import { longTest, repeated, test } from '../../../test/support/tier.ts';

type Faults = {
  items: { in: string; pid: string; class: string; problems: { type: string; msg: string }[] }[];
  total: number;
  pending: number;
};

/** A service whose schema has lost the class Gadget and the slot nick since its records were stored. */
async function changed(t: TestContext, type: string): Promise<TestService & { schema: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-schema-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const schema = join(folder, 'schema.yaml');
  writeFileSync(schema, BEFORE);
  const service = await testApp(t, {
    collections: { c: { schema, backend: { type } } },
    tokens: { cora: { c: 'CURATOR' } },
  });
  const post = async (area: string, className: string, json: object) => {
    const { status, text } = await service.request('POST', `/c/${area}/record/${className}`, {
      token: 'cora',
      json,
    });
    assert.equal(status, 200, text);
  };
  await post('curated', 'Person', { pid: 'ex:ada', mail: 'a@x.org' });
  await post('curated', 'Person', { pid: 'ex:bob', mail: 'b@x.org', nick: 'Bobby' });
  await post('curated', 'Gadget', { pid: 'ex:saw', weight: 3 });
  await post('incoming/cora', 'Gadget', { pid: 'ex:axe', weight: 4 });
  writeFileSync(schema, GONE);
  const config = (await service.request('GET', '/collections/c', { token: ADMIN })).json();
  const put = await service.request('PUT', '/collections/c', { token: ADMIN, json: config });
  assert.equal(put.status, 201, put.text);
  return Object.assign(service, { schema });
}

/** The faults, when all changes are checked. */
const faultsOf = ({ request }: Pick<TestService, 'request'>): Promise<Faults> =>
  eventually(
    'all changes are checked',
    async () => (await request('GET', '/-/c/faults', { token: 'cora' })).json<Faults>(),
    ({ pending }) => pending === 0,
  );

const pids = (records: unknown) => (records as { pid: string }[]).map(({ pid }) => pid);

for (const type of BACKENDS) {
  repeated(`${type}: records that do not fit a new schema are listed with their problems`, async (t) => {
    const { request } = await changed(t, type);
    const { items, total, pending } = await faultsOf({ request });
    assert.deepEqual(
      items.map((one) => [one.in, one.pid, one.class, one.problems[0]?.type]),
      [
        ['curated', 'ex:bob', 'Person', 'extra_forbidden'],
        ['curated', 'ex:saw', 'Gadget', 'class_unknown'],
        ['incoming/cora', 'ex:axe', 'Gadget', 'class_unknown'],
      ],
    );
    assert.deepEqual([total, pending], [3, 0]);
    const health = (await request('GET', '/-/health')).json<{ problems: string[] }>();
    assert.match(health.problems.join(), /3 stored records do not fit the schema/);
  });

  repeated(`${type}: such records are still read, listed, exported and deleted`, async (t) => {
    const service = await changed(t, type);
    const get = (path: string) => service.request('GET', `/c${path}`, { token: 'cora' });
    const check = async () => {
      assert.deepEqual(pids((await get('/curated/records/')).json()), ['ex:ada', 'ex:bob', 'ex:saw']);
      assert.match((await get('/curated/record?pid=ex:saw')).text, /"weight":3/);
      const turtle = (await get('/curated/records/?format=ttl')).json<string[]>();
      assert.equal(turtle.length, 3);
      assert.match(turtle[0] ?? '', /ex:ada/);
      assert.match(turtle[2] ?? '', /^# The record ex:saw of class Gadget cannot be written as Turtle/);
      const stream = await service.request('GET', '/-/c/curated/export', { token: 'cora' });
      assert.equal(stream.text.trim().split('\n').length, 3);
      const documents = await service.request('GET', '/-/c/curated/export?format=ttl', { token: 'cora' });
      assert.match(documents.text, /# The record ex:saw/);
    };
    await check();
    await service.restart();
    await check();
    const remove = await service.request('DELETE', '/c/curated/record?pid=ex:saw', { token: 'cora' });
    assert.equal(remove.text, 'true');
    assert.equal((await faultsOf(service)).total, 2);
  });
}

repeated(
  'a record whose prefix is gone is still listed, read, exported and deleted, also after a restart',
  async (t) => {
    for (const type of BACKENDS) {
      const service = await changed(t, type);
      writeFileSync(
        service.schema,
        GONE.replace('\n  ex: https://example.org/', '\n  ey: https://example.org/'),
      );
      const config = (await service.request('GET', '/collections/c', { token: ADMIN })).json();
      await service.request('PUT', '/collections/c', { token: ADMIN, json: config });
      const send = (method: string, path: string) => service.request(method, `/c${path}`, { token: 'cora' });
      const check = async (when: string) => {
        const list = (await send('GET', '/curated/records/')).json();
        assert.deepEqual(pids(list), ['ex:ada', 'ex:bob', 'ex:saw'], `${type} ${when}`);
        assert.equal(
          (await send('GET', '/curated/record?pid=ex:ada')).json<{ mail: string }>().mail,
          'a@x.org',
        );
        const { text } = await service.request('GET', '/-/c/curated/export', { token: 'cora' });
        assert.equal(text.trim().split('\n').length, 3);
        const zone = await send('GET', '/incoming/cora/records/');
        assert.deepEqual(pids(zone.json()), ['ex:axe'], `${type} ${when}`);
      };
      await check('at once');
      await service.restart();
      await check('after a restart');
      assert.equal((await send('DELETE', '/curated/record?pid=ex:ada')).text, 'true', type);
      assert.equal((await send('DELETE', '/curated/record?pid=ex:ada')).status, 400);
      const many = { token: 'cora', json: ['ex:bob', 'ex:ada'] };
      const deleted = await service.request('DELETE', '/-/c/curated/records/', many);
      assert.deepEqual(
        deleted.json<{ status: number }[]>().map(({ status }) => status),
        [200, 400],
      );
    }
  },
);

test('records are valid again when the schema is', async (t) => {
  const service = await changed(t, 'sqlite');
  assert.equal((await faultsOf(service)).total, 3);
  writeFileSync(service.schema, BEFORE);
  const config = (await service.request('GET', '/collections/c', { token: ADMIN })).json();
  await service.request('PUT', '/collections/c', { token: ADMIN, json: config });
  assert.equal((await faultsOf(service)).total, 0);
});

longTest(
  'faults of areas that a collection had before do not count, and are known when it has them again',
  async (t) => {
    const service = await changed(t, 'sqlite');
    assert.equal((await faultsOf(service)).total, 3);
    const config = (await service.request('GET', '/collections/c', { token: ADMIN })).json<{
      curated: string;
    }>();
    const put = async (json: object) =>
      assert.equal((await service.request('PUT', '/collections/c', { token: ADMIN, json })).status, 201);
    const health = async () =>
      (await service.request('GET', '/-/health')).json<{ problems?: string[] }>().problems ?? [];
    await put({ ...config, curated: 'other/curated' });
    assert.equal((await faultsOf(service)).total, 1);
    assert.match((await health()).join(), /1 stored record does not fit/);
    await put(config);
    assert.equal((await faultsOf(service)).total, 3);
    assert.match((await health()).join(), /3 stored records do not fit/);
  },
);
