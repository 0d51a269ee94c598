/** A store that has used curation, in a service without it, and put back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, type TestService, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { MODULES } from '../../modules.ts';
import { curate } from './module.ts';

const WITHOUT = MODULES.filter(({ name, uses = [] }) => name !== curate.name && !uses.includes(curate.name));
const CONFIGURATION = {
  collections: { c: {} },
  tokens: { ann: { c: 'WRITE_COLLECTION' }, cora: { c: 'CURATOR' } },
};
const ORCID = 'orcid:0000-0002-1000-0000';

const as =
  ({ request }: TestService, token = 'cora') =>
  (method: string, path: string, json?: object) =>
    request(method, path, { token, ...(json && { json }) });
const store = async (service: TestService, name: string, others: object = {}) => {
  const { status, text } = await as(service)('POST', '/c/curated/record/Person', person(name, others));
  assert.equal(status, 200, text);
};
const pairs = async (service: TestService) =>
  (await as(service)('GET', '/-/c/duplicates'))
    .json<{ items: { records: { pid: string }[]; by: string }[] }>()
    .items.map(({ records, by }) => `${records.map(({ pid }) => pid).join(' ')} ${by}`);

for (const kind of ['SQLite', 'PostgreSQL'])
  test(`${kind}: a service without curation starts on a store that has used it, and nothing is lost when it is put back`, async (t) => {
    const database = kind === 'SQLite' ? {} : { databaseUrl: await ownDatabase() };
    const service = await testApp(t, CONFIGURATION, database);
    const settings = { on_delete: 'warn', identifying_slots: { Person: ['orcid'] } };
    assert.equal((await as(service)('PUT', '/-/c/settings', settings)).status, 200);
    for (const name of ['a', 'b', 'c']) await store(service, name, { orcid: ORCID });
    const different = { pids: ['labid:a', 'labid:b'], different: true };
    assert.equal((await as(service)('PUT', '/-/c/duplicates', different)).status, 200);
    const rename = { from: 'labid:c', to: 'labid:cc' };
    const renamed = await as(service)('POST', '/-/c/curated/rename', rename);
    assert.equal(renamed.status, 200, renamed.text);
    const found = await pairs(service);
    assert.deepEqual(found, ['labid:a labid:cc orcid', 'labid:b labid:cc orcid']);
    await service.app.close();

    const opened = { ...database, store: service.store };
    const without = await testApp(t, CONFIGURATION, { ...opened, modules: WITHOUT });
    for (const path of ['/-/c/duplicates', '/-/c/moves', '/-/c/faults', '/-/c/dangling'])
      assert.equal((await as(without)('GET', path)).status, 404, path);
    assert.deepEqual((await as(without)('GET', '/-/c/settings')).json(), { on_delete: 'warn' });
    assert.equal((await as(without)('PUT', '/-/c/settings', { on_delete: 'warn' })).status, 200);
    assert.equal((await as(without)('GET', '/c/record?pid=labid:c')).text, 'null');
    const { items } = (await as(without)('GET', '/-/c/changes?record=labid:c')).json<{
      items: { kind: string }[];
    }>();
    assert.equal(items.at(-1)?.kind, 'deleted');
    const hinted = '/c/validate/record/Person?hints=true';
    const json = person('x', { orcid: ORCID, affiliations: ['labid:gone'] });
    const checked = await as(without, 'ann')('POST', hinted, json);
    assert.equal(checked.text, 'true');
    assert.equal(checked.headers['accession-dangling'] ?? checked.headers['accession-duplicates'], undefined);
    await store(without, 'd', { orcid: ORCID });
    assert.equal((await as(without)('DELETE', '/c/curated/record?pid=labid:b')).status, 200);
    const health = await without.request('GET', '/-/health', { token: ADMIN });
    assert.equal(health.json<{ status: string }>().status, 'ok');
    await without.app.close();

    const again = await testApp(t, CONFIGURATION, { ...opened, modules: MODULES });
    assert.deepEqual((await as(again)('GET', '/-/c/settings')).json(), settings);
    assert.equal((await as(again)('GET', '/c/record?pid=labid:c')).json<{ pid: string }>().pid, 'labid:cc');
    assert.deepEqual((await pairs(again)).sort(), [
      'labid:a labid:cc orcid',
      'labid:a labid:d orcid',
      'labid:cc labid:d orcid',
    ]);
    const known = await eventually(
      'the changes of the time without it are followed',
      async () => String((await as(again, 'ann')('POST', hinted, json)).headers['accession-duplicates']),
      (names) => names.includes('labid:d'),
    );
    assert.equal(known, 'labid:a, labid:cc, labid:d');
    const { id } = renamed.json<{ id: string }>();
    assert.equal((await as(again)('POST', `/-/c/moves/${id}/undo`)).status, 200);
    assert.equal((await as(again)('GET', '/c/record?pid=labid:c')).json<{ pid: string }>().pid, 'labid:c');
  });
