/** References between records over HTTP: links, deletes of what others refer to, references that lead nowhere. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareCodePoints } from '#linkml/json.ts';
import { sharedApp, type TestService, testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { lacks } from '../../../test/support/lacks.ts';
import { person } from '../../../test/support/people.ts';
import { repeated, test } from '../../../test/support/tier.ts';
import { followLinks } from '../../core/collections/link-projection.ts';
import { MOST_COUNTED } from '../../core/storage/read/links.ts';

const CONFIGURATION = {
  collections: Object.fromEntries(BACKENDS.map((type) => [named(type), { backend: { type } }])),
  tokens: {
    ann: Object.fromEntries(BACKENDS.map((type) => [named(type), 'WRITE_COLLECTION'])),
    cora: Object.fromEntries(BACKENDS.map((type) => [named(type), 'CURATOR'])),
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

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

test('pages of the references to a popular record have each once, and those of zones behind the curated ones', async (t) => {
  const { request } = await testApp(t, {
    collections: { c: {} },
    tokens: { ann: { c: 'WRITE_COLLECTION' }, cora: { c: 'CURATOR' } },
  });
  const affiliations = (times: number) => ({ affiliations: Array(times).fill('labid:institute') });
  const curated = [person('ada', affiliations(MOST_COUNTED + 1)), person('bea', affiliations(2))];
  for (const json of curated) await request('POST', '/c/curated/record/Person', { token: 'cora', json });
  await request('POST', '/c/record/Person', { token: 'ann', json: person('ben', affiliations(2)) });
  const found: string[] = [];
  for (let offset = 0; ; ) {
    const url = `/-/c/links?pid=labid:institute&limit=100&offset=${offset}`;
    const { from } = (await request('GET', url, { token: 'cora' })).json<Links>();
    if (from.length === 0) break;
    found.push(...from.map((one) => `${one.in} ${one.pid} ${one.path}`));
    offset += from.length;
  }
  assert.equal(found.length, MOST_COUNTED + 5);
  assert.equal(new Set(found).size, MOST_COUNTED + 5);
  assert.equal(found.filter((one) => one.startsWith('incoming/ann labid:ben ')).length, 2);
});

for (const type of BACKENDS) {
  const c = named(type);

  repeated(`${type}: links of a record are listed in both directions`, async () => {
    const service = await emptyService();
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

  repeated(`${type}: references to nothing are listed, and warned of when validating`, async () => {
    const service = await emptyService();
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
    const checked = await service.request('POST', `/${c}/validate/record/Person?hints=true`, {
      token: 'ann',
      json,
    });
    assert.equal(checked.text, 'true');
    assert.equal(checked.headers['accession-dangling'], 'https://example.org/laboratory/id/later');
  });

  repeated(`${type}: a delete reports the referrers, or is refused because of them`, async (t) => {
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

test('which records of a zone refer to a deleted one is not shown to tokens that may not read the zone', async (t) => {
  const service = await testApp(t, { collections: { c: {} }, tokens: { sub: { c: 'SUBMIT_ONLY' } } });
  const post = (path: string, json: object) => service.request('POST', path, { token: 'sub', json });
  await post('/c/record/Organization', organization('institute'));
  await post('/c/record/Person', person('secret', { affiliations: ['labid:institute'] }));
  const remove = (query = '') =>
    service.request('DELETE', `/c/record?pid=labid:institute${query}`, { token: 'sub' });
  const removeAll = (query = '') =>
    service.request('DELETE', `/-/c/records/${query}`, { token: 'sub', json: ['labid:institute'] });
  const refused = [await remove('&if_unreferenced=true'), await removeAll('?if_unreferenced=true')];
  assert.deepEqual(
    refused.map(({ status }) => status),
    [409, 200],
  );
  for (const { text } of refused) {
    assert.match(text, /other records refer to it/);
    assert.doesNotMatch(text, /secret/);
  }
  assert.doesNotMatch((await removeAll()).text, /referrers/);
  await post('/c/record/Organization', organization('institute'));
  assert.equal((await remove()).headers['accession-referrers'], undefined);
});

repeated(
  'deletes of many records report the referrers of each, or are refused because of them, on each backend',
  async () => {
    const service = await emptyService();
    for (const c of BACKENDS.map(named)) {
      await filled(service, c);
      const remove = async (query: string, ...ids: string[]) => {
        const json = ids.map((id) => `labid:${id}`);
        const answer = await service.request('DELETE', `/-/${c}/curated/records/${query}`, {
          token: 'cora',
          json,
        });
        const body = answer.json<{ results: Deleted[] } | Deleted[]>();
        return {
          status: answer.status,
          results: Array.isArray(body) ? body : body.results,
          text: answer.text,
        };
      };
      const statuses = (results: Deleted[]) => results.map(({ status }) => status);
      const each = await remove('?if_unreferenced=true', 'institute', 'none');
      assert.deepEqual(statuses(each.results), [409, 404]);
      assert.match(each.text, /labid:department/);
      const atomic = await remove('?if_unreferenced=true&atomic=true', 'institute', 'department');
      assert.deepEqual([atomic.status, ...statuses(atomic.results)], [400, 409, 424], c);
      assert.match(atomic.text, /labid:ada/);
      assert.doesNotMatch(atomic.text, /labid:department' \(/, 'it would be deleted, too');
      const settings = { token: 'cora', json: { on_delete: 'refuse' } };
      await service.request('PUT', `/-/${c}/settings`, settings);
      assert.deepEqual(statuses((await remove('', 'institute')).results), [409]);
      await service.request('PUT', `/-/${c}/settings`, { token: 'cora', json: {} });
      const kept = await service.request('GET', `/${c}/curated/records/`, { token: 'cora' });
      assert.equal(kept.json<object[]>().length, 3);
      const deleted = await remove('', 'institute', 'department');
      assert.deepEqual(
        deleted.results.map(({ status, referrers }) => [status, referrers]),
        [
          [200, 1],
          [200, undefined],
        ],
      );
      const together = await remove('?if_unreferenced=true&atomic=true', 'ada');
      assert.deepEqual(statuses(together.results), [200]);
    }
  },
);

type Deleted = { status: number; referrers?: number };

repeated(
  'stores and rows of review name references to nothing and likely duplicates, on each backend',
  { skip: lacks('review') },
  async () => {
    const service = await emptyService();
    for (const c of BACKENDS.map(named)) {
      await filled(service, c);
      const settings = { token: 'cora', json: { identifying_slots: { Person: ['orcid'] } } };
      assert.equal((await service.request('PUT', `/-/${c}/settings`, settings)).status, 200);
      const orcid = 'orcid:0000-0002-1825-0097';
      await service.request('POST', `/${c}/curated/record/Person`, {
        token: 'cora',
        json: person('zoe', { orcid }),
      });
      const json = person('zzz', { orcid, affiliations: ['labid:ben', 'labid:later'] });
      await eventually('the identifier is known', async () => {
        const path = `/${c}/validate/record/Person?hints=true`;
        const { headers } = await service.request('POST', path, { token: 'ann', json });
        return headers['accession-duplicates'] === 'labid:zoe';
      });
      const stored = await service.request('POST', `/${c}/record/Person?hints=true`, { token: 'ann', json });
      assert.equal(stored.status, 200, stored.text);
      const later = 'https://example.org/laboratory/id/later';
      assert.equal(stored.headers['accession-dangling'], later);
      assert.equal(stored.headers['accession-duplicates'], 'labid:zoe');
      const batch = await service.request('POST', `/-/${c}/records/Person?hints=true`, {
        token: 'ann',
        json: [json, person('b')],
      });
      const [first, second] = batch.json<{ dangling?: string[]; duplicates?: string[] }[]>();
      assert.deepEqual([first?.dangling, first?.duplicates], [[later], ['labid:zoe']]);
      assert.deepEqual([second?.dangling, second?.duplicates], [undefined, undefined]);
      const read = async () => {
        const page = await service.request('GET', `/-/${c}/review/?sort=-pid&size=1`, { token: 'cora' });
        const url = `/-/${c}/review/item?label=ann&pid=${encodeURIComponent('labid:zzz')}`;
        const item = await service.request('GET', url, { token: 'cora' });
        type Hints = { pid: string; duplicates: string[]; dangling: string[] };
        const row = page.json<{ items: Hints[] }>().items[0]!;
        const { duplicates, dangling } = item.json<Hints>();
        assert.deepEqual({ duplicates, dangling }, { duplicates: row.duplicates, dangling: row.dangling });
        return { ...row, etag: page.headers.etag };
      };
      const row = await read();
      assert.deepEqual(
        [row.pid, row.duplicates, row.dangling],
        ['labid:zzz', ['labid:zoe'], ['labid:later']],
      );
      // A polling client is told when what a hint depends on has changed.
      await service.request('POST', `/${c}/curated/record/Person`, { token: 'cora', json: person('later') });
      const changed = await read();
      assert.deepEqual(changed.dangling, []);
      assert.notEqual(changed.etag, row.etag);
      const different = { pids: ['labid:zoe', 'labid:zzz'], different: true };
      const put = await service.request('PUT', `/-/${c}/duplicates`, { token: 'cora', json: different });
      assert.equal(put.status, 200, put.text);
      assert.deepEqual((await read()).duplicates, [], 'a curator called them different');
    }
  },
);

test('records that another program wrote are found as referrers, too', { skip: lacks('peer') }, async (t) => {
  const service = await testApp(t, {
    collections: { files: {} },
    tokens: { ann: { files: 'WRITE_COLLECTION' }, cora: { files: 'CURATOR' } },
  });
  await filled(service, 'files');
  const text = 'affiliations:\n- labid:institute\nfamily_name: Z\npid: labid:zoe\n';
  const digest = createHash('md5').update('labid:zoe').digest('hex');
  const folder = join(service.store, 'files/curated/Person');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${digest}.yaml`), text);
  const url = '/-/files/links?pid=labid:institute';
  const referrers = async () =>
    (await service.request('GET', url, { token: 'cora' })).json<Links>().referrers;
  assert.equal(await eventually('all referrers', referrers, (found) => found >= 4), 4);
});

test('settings are refused with every problem, and are for curators', async () => {
  const { request } = await emptyService();
  const put = (json: unknown, token = 'cora') => request('PUT', '/-/sqlite/settings', { token, json });
  const unknown = { identifying_slots: { Nobody: [], Person: ['shoe'] } };
  for (const [json, parts] of [
    [{ ...unknown, on_delete: 'maybe', x: 1 }, ['on_delete', '"x"']],
    [unknown, ['Nobody', 'Person', 'shoe']],
  ] as const) {
    const { status, text } = await put(json);
    assert.equal(status, 422);
    for (const part of parts) assert.ok(text.includes(part), part);
  }
  assert.equal((await put({}, 'ann')).status, 403);
  const valid = { on_delete: 'warn', identifying_slots: { Person: ['orcid'] } };
  assert.deepEqual((await put(valid)).json(), valid);
  assert.deepEqual((await request('GET', '/-/sqlite/settings', { token: 'cora' })).json(), valid);
});

test('a collection with another schema over the same area does not take away the references of the first', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-links-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const schema = join(folder, 'plants.yaml');
  writeFileSync(schema, PLANTS);
  const shared = { curated: 'shared/curated', backend: { type: 'sqlite' } };
  const service = await testApp(t, {
    collections: { lab: shared, plants: { ...shared, schema } },
    tokens: { cora: { lab: 'CURATOR', plants: 'CURATOR' }, ann: { lab: 'WRITE_COLLECTION' } },
  });
  await filled(service, 'lab');
  const links = async (c: string) => {
    const url = `/-/${c}/links?pid=https://example.org/laboratory/id/institute`;
    const { from, referrers } = (await service.request('GET', url, { token: 'cora' })).json<Links>();
    // They are in the order in which they were found, which may be again by now.
    return { from: from.toSorted((a, b) => compareCodePoints(a.pid, b.pid)), referrers };
  };
  const dangling = () => service.request('GET', '/-/lab/dangling', { token: 'cora' });
  const before = [await links('lab'), (await dangling()).text];
  assert.equal((await links('lab')).referrers, 3);
  await links('plants');
  for (const name of ['plants', 'lab']) {
    const collection = service.app.registry.collection(name);
    assert.ok(await followLinks(collection, collection.curated));
  }
  assert.deepEqual([await links('lab'), (await dangling()).text], before);
});

const PLANTS = `
id: https://example.org/plants
name: plants
imports: [linkml:types]
prefixes: { linkml: 'https://w3id.org/linkml/' }
classes:
  Plant: { attributes: { pid: { identifier: true, range: uriorcurie } } }
`;
