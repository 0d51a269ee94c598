/** Areas as files: their form, their faults, and files that become records with another schema. */
import assert from 'node:assert/strict';
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, LABORATORY, testApp } from '../../../../test/support/app.ts';
import { person } from '../../../../test/support/people.ts';

test('with +stl no schema_type is on disk, without +stl it is', async (t) => {
  const { request, store } = await testApp(t, {
    collections: { c: {}, plain: { backend: 'record_dir' } },
    tokens: { ann: { c: 'WRITE_COLLECTION', plain: 'WRITE_COLLECTION' } },
  });
  for (const [collection, expected] of [
    ['c', false],
    ['plain', true],
  ] as const) {
    await request('POST', `/${collection}/record/Person`, { token: 'ann', json: person('ada') });
    const [file] = globSync(`${collection}/incoming/ann/Person/*.yaml`, { cwd: store });
    assert.equal(readFileSync(join(store, file ?? ''), 'utf8').includes('schema_type'), expected, collection);
  }
});

for (const taken of ['put again', 'opened at a restart']) {
  test(`files that had no class or prefix are records when their collection is ${taken} with a schema that has them`, async (t) => {
    const service = await testApp(t, {});
    const file = join(service.store, 'schema.yaml');
    copyFileSync(LABORATORY, file);
    const notes = { name: 'notes', schema: file, default_token: 'ann', curated: 'own/curated' };
    const put = () => service.request('PUT', '/collections/notes', { token: ADMIN, json: notes });
    await put();
    const token = { name: 'ann', user_id: 'ann', collections: { notes: { mode: 'READ_CURATED' } } };
    await service.request('POST', '/tokens', { token: ADMIN, json: token });
    for (const [folder, pid] of [
      ['Proposal', 'labid:a'],
      ['Person', 'later:b'],
    ] as const) {
      mkdirSync(join(service.store, 'own/curated', folder), { recursive: true });
      writeFileSync(join(service.store, 'own/curated', folder, 'by-hand.yaml'), `pid: ${pid}\n`);
    }
    const pids = async () => {
      const list = (await service.request('GET', '/notes/records/')).json<{ pid: string }[]>();
      return list.map(({ pid }) => pid);
    };
    await service.restart();
    assert.deepEqual(await pids(), []);
    const text = readFileSync(file, 'utf8')
      .replace('\n  Project:', '\n  Proposal:\n    is_a: Thing\n  Project:')
      .replace('\nprefixes:', '\nprefixes:\n  later: https://later.example/');
    writeFileSync(file, text);
    await (taken === 'put again' ? put() : service.restart());
    assert.deepEqual(await pids(), ['labid:a', 'later:b']);
  });
}

test('a collection that is made over directories with files has all of them at once, in its zones too', async (t) => {
  const service = await testApp(t, { tokens: { cur: { notes: 'CURATOR' } } });
  const zones = ['ann', 'bea', 'cem'];
  for (const area of ['own/curated', ...zones.map((label) => `own/incoming/${label}`)])
    for (let n = 0; n < 300; n++) {
      const folder = join(service.store, area, 'Person');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${n}.yaml`), `pid: labid:${area.replaceAll('/', '-')}-${n}\n`);
    }
  const notes = { name: 'notes', schema: LABORATORY, default_token: 'cur', curated: 'own/curated' };
  const json = { ...notes, incoming: 'own/incoming' };
  const made = await service.request('POST', '/collections', { token: ADMIN, json });
  assert.equal(made.status, 201, made.text);
  const totals = ['curated', ...zones.map((label) => `incoming/${label}`)].map(async (area) => {
    const page = await service.request('GET', `/notes/${area}/records/p/?size=1`, { token: 'cur' });
    return page.json<{ total: number }>().total;
  });
  assert.deepEqual(await Promise.all(totals), [300, 300, 300, 300]);
});

test('health counts a fault of an area with two names once, and answers while collections are replaced', async (t) => {
  const attributes = { curated: 'shared/ann', incoming: 'shared' };
  const service = await testApp(t, {
    collections: { shared: attributes },
    tokens: { ann: { shared: 'WRITE_COLLECTION' } },
  });
  mkdirSync(join(service.store, 'shared/ann/Person'), { recursive: true });
  writeFileSync(join(service.store, 'shared/ann/Person/broken.yaml'), 'pid: [');
  await service.restart();
  await service.request('GET', '/shared/records/', { token: 'ann' });
  const configuration = await service.request('GET', '/collections/shared', { token: ADMIN });
  const replace = async () => {
    for (let n = 0; n < 5; n++) {
      const json = { name: 'shared', ...configuration.json<object>() };
      assert.equal((await service.request('PUT', '/collections/shared', { token: ADMIN, json })).status, 201);
    }
  };
  const ask = async () => {
    for (let n = 0; n < 100; n++) {
      const health = await service.request('GET', '/-/health');
      assert.equal(health.status, 200, health.text);
      assert.match(health.text, /'shared': 1 fault in/);
    }
  };
  await Promise.all([replace(), ask(), ask()]);
});
