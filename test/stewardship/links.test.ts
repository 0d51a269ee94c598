/** References between records over HTTP: links, deletes of what others refer to, references that lead nowhere. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const BACKENDS = ['record_dir+stl', 'record_dir', 'sqlite', 'sqlite+stl', 'postgresql+stl'] as const;

const CONFIGURATION = {
  collections: Object.fromEntries(BACKENDS.map((type) => [named(type), { backend: { type } }])),
  tokens: {
    ann: Object.fromEntries(BACKENDS.map((type) => [named(type), 'WRITE_COLLECTION'])),
    cora: Object.fromEntries(BACKENDS.map((type) => [named(type), 'CURATOR'])),
  },
};

function named(type: string): string {
  return type.replace('+', '-');
}

const organization = (id: string, more = {}) => ({ pid: `labid:${id}`, name: id, ...more });

async function filled(service: TestService, c: string): Promise<void> {
  const curated = (cls: string, json: object) =>
    service.request('POST', `/${c}/curated/record/${cls}`, { token: 'cora', json });
  await curated('Organization', organization('institute'));
  await curated('Organization', organization('department', { part_of: 'labid:institute' }));
  await curated('Person', person('ada', { affiliations: ['labid:institute', 'labid:nowhere'] }));
  await service.request('POST', `/${c}/record/Person`, {
    token: 'ann',
    json: person('ben', { affiliations: ['labid:institute'] }),
  });
}

type Links = {
  to: { pid: string; in: string | null }[];
  from: { pid: string; in: string; slot: string; path: string; title: string; class: string }[];
  referrers: number;
};

for (const type of BACKENDS) {
  const c = named(type);

  test(`${type}: links of a record are listed in both directions`, async (t) => {
    const service = await testApp(t, CONFIGURATION);
    await filled(service, c);
    const read = async (pid: string, token: string) =>
      (await service.request('GET', `/-/${c}/links?pid=${pid}`, { token })).json<Links>();
    const institute = await read('labid:institute', 'cora');
    assert.equal(institute.referrers, 3);
    assert.deepEqual(institute.from.map((one) => `${one.in} ${one.pid} ${one.path}`).sort(), [
      'curated labid:ada /affiliations/0',
      'curated labid:department /part_of',
      'incoming/ann labid:ben /affiliations/0',
    ]);
    assert.equal(institute.from.find(({ pid }) => pid === 'labid:department')?.title, 'department');
    assert.equal((await read('labid:institute', 'ann')).referrers, 2, 'zones are for curators');
    assert.deepEqual(
      (await read('labid:ada', 'cora')).to.map((one) => [one.pid, one.in]),
      [
        ['labid:institute', 'curated'],
        ['labid:nowhere', null],
      ],
    );
  });

  test(`${type}: references to nothing are listed, and warned of when validating`, async (t) => {
    const service = await testApp(t, CONFIGURATION);
    await filled(service, c);
    const dangling = (await service.request('GET', `/-/${c}/dangling`, { token: 'cora' })).json();
    assert.deepEqual(dangling, {
      items: [
        {
          pid: 'labid:ada',
          class: 'Person',
          in: 'curated',
          slot: 'affiliations',
          path: '/affiliations/1',
          to: 'labid:nowhere',
        },
      ],
      more: false,
    });
    assert.equal((await service.request('GET', `/-/${c}/dangling`, { token: 'ann' })).status, 403);
    const json = person('eve', { affiliations: ['labid:institute', 'labid:later'] });
    const checked = await service.request('POST', `/${c}/validate/record/Person`, { token: 'ann', json });
    assert.equal(checked.text, 'true');
    assert.equal(checked.headers['accession-dangling'], 'https://example.org/laboratory/id/later');
  });

  test(`${type}: a delete reports the referrers, or is refused because of them`, async (t) => {
    const service = await testApp(t, CONFIGURATION);
    await filled(service, c);
    const remove = (query: string) =>
      service.request('DELETE', `/${c}/curated/record?pid=labid:${query}`, { token: 'cora' });
    const refused = await remove('institute&if_unreferenced=true');
    assert.equal(refused.status, 409);
    assert.match(refused.text, /labid:department/);
    assert.match(refused.text, /labid:ada/);

    const settings = { token: 'cora', json: { on_delete: 'refuse' } };
    assert.equal((await service.request('PUT', `/-/${c}/settings`, settings)).status, 200);
    assert.equal((await remove('institute')).status, 409);
    await service.restart();
    assert.equal((await remove('institute')).status, 409, 'also after a restart');
    assert.equal((await remove('department')).text, 'true');
    await service.request('PUT', `/-/${c}/settings`, { token: 'cora', json: {} });

    const deleted = await remove('institute');
    assert.deepEqual([deleted.text, deleted.headers['accession-referrers']], ['true', '1']);
    assert.equal((await remove('ada')).headers['accession-referrers'], undefined);
  });
}

test('records that another program wrote are found as referrers, too', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  await filled(service, 'sqlite');
  const database = new DatabaseSync(join(service.store, 'sqlite/curated/__sqlite-records.db'));
  const object = { pid: 'labid:zoe', family_name: 'Z', affiliations: ['labid:institute'] };
  database
    .prepare('INSERT INTO thing (iri, class_name, object, sort_key) VALUES (?, ?, ?, ?)')
    .run('https://example.org/laboratory/id/zoe', 'Person', JSON.stringify(object), 'labid:zoe');
  database.close();
  const url = '/-/sqlite/links?pid=labid:institute';
  const { referrers } = (await service.request('GET', url, { token: 'cora' })).json<Links>();
  assert.equal(referrers, 4);
});

test('settings are refused with every problem, and are for curators', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const put = (json: unknown, token = 'cora') => request('PUT', '/-/sqlite/settings', { token, json });
  const json = { on_delete: 'maybe', identifying_slots: { Nobody: [], Person: ['shoe'] }, x: 1 };
  const { status, text } = await put(json);
  assert.equal(status, 422);
  for (const part of ['on_delete', 'Nobody', 'Person', '"x"']) assert.ok(text.includes(part), part);
  assert.equal((await put({}, 'ann')).status, 403);
  const valid = { on_delete: 'warn', identifying_slots: { Person: ['orcid'] } };
  assert.deepEqual((await put(valid)).json(), valid);
  assert.deepEqual((await request('GET', '/-/sqlite/settings', { token: 'cora' })).json(), valid);
});
