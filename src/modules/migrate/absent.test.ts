/** A store that has used schema changes, in a service without them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#linkml/json.ts';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { BEFORE, GONE, RENAMED } from '../../../test/support/schemas.ts';
import { newPlan } from '../../core/work/kept-plans.ts';
import { Staging } from '../../core/work/patches.ts';
import { MODULES } from '../../modules.ts';
import { migrate } from './module.ts';

const WITHOUT = MODULES.filter(
  ({ name, uses = [] }) => name !== migrate.name && !uses.includes(migrate.name),
);

type Change = { id: string; kind: string; state: string };

async function opened(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'accession-migrate-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const schema = join(folder, 'schema.yaml');
  writeFileSync(schema, BEFORE);
  const service = await testApp(t, {
    collections: { c: { schema } },
    tokens: { cora: { c: 'CURATOR' } },
  });
  const json = { pid: 'ex:ada', mail: 'a@x.org', age: '36', status: 'alive' };
  await service.request('POST', '/c/curated/record/Person', { token: 'cora', json });
  return {
    service,
    schema,
    records: async () => (await service.request('GET', '/c/curated/records/', { token: 'cora' })).text,
    changes: async () => (await service.request('GET', '/-/c/switches', { token: 'cora' })).json<Change[]>(),
    configured: async () =>
      (await service.request('GET', '/collections/c', { token: ADMIN })).json<JsonObject>(),
    rehearse: async (text: string) =>
      (await service.request('POST', '/-/c/rehearse', { token: ADMIN, json: { schema: text } })).json<{
        id: string;
      }>(),
    send: (method: 'GET' | 'POST', path: string) =>
      service.request(method, `/-/c/${path}`, { token: ADMIN, ...(method === 'POST' && { json: {} }) }),
  };
}

test('without schema changes, the schema of a switch is in force, and with them again the switch is undone', async (t) => {
  const { service, records, changes, rehearse, send } = await opened(t);
  const before = await records();
  const { id } = await rehearse(RENAMED);
  assert.equal((await send('POST', `rehearsals/${id}/switch`)).status, 200);
  const after = await records();
  assert.match(after, /Human/);
  const kept = await rehearse(`${RENAMED}\n# another one\n`);

  await service.restart({ modules: WITHOUT });
  assert.equal(await records(), after);
  assert.equal((await send('GET', 'switches')).status, 404);
  assert.equal((await send('GET', `rehearsals/${kept.id}`)).status, 404);
  const status = await service.request('GET', '/-/status', { token: ADMIN });
  assert.match(status.text, /"schema_changed":\{"id":"[^"]+","time":"[^"]+","kind":"switch"\}/);

  await service.restart({ modules: MODULES });
  assert.equal((await send('GET', `rehearsals/${kept.id}`)).status, 200);
  const [{ id: switched, state } = { id: '', state: '' }] = await changes();
  assert.equal(state, 'done');
  const undone = await send('POST', `switches/${switched}/undo`);
  assert.equal(undone.status, 200, undone.text);
  assert.equal(await records(), before);
});

test('without schema changes, a collection opens with an edited file, and with them again the edit is listed', async (t) => {
  const { service, schema, records, changes } = await opened(t);
  await eventually('the schema is noted', async () => {
    const { text } = await service.request('GET', '/-/status', { token: ADMIN });
    const { jobs } = JSON.parse(text) as { jobs: { name: string; state: string }[] };
    return jobs.some(
      ({ name, state }) => name === 'compare schemas' && (state === 'idle' || state === 'done'),
    );
  });
  const before = await records();
  await service.restart({ modules: WITHOUT });
  writeFileSync(schema, GONE);
  await service.restart({ modules: WITHOUT });
  assert.equal(await records(), before);
  const gadget = { token: 'cora', json: { pid: 'ex:saw', weight: 3 } };
  assert.equal((await service.request('POST', '/c/curated/record/Gadget', gadget)).status, 404);
  await service.restart({ modules: MODULES });
  const listed = await eventually('the edit is listed', changes, (all) => all.length > 0);
  assert.deepEqual(
    listed.map(({ kind, state }) => [kind, state]),
    [['edit', 'done']],
  );
});

test('without schema changes, PUT replaces a schema, and refuses a dry run instead of carrying it out', async (t) => {
  const { service, schema, configured } = await opened(t);
  await service.restart({ modules: WITHOUT });
  const next = `${schema}.next.yaml`;
  writeFileSync(next, GONE);
  const before = await configured();
  const put = (query: string) =>
    service.request('PUT', `/collections/c?${query}`, { token: ADMIN, json: { ...before, schema: next } });
  for (const [query, name] of [
    ['dry_run=true', 'dry_run'],
    ['if_valid=true', 'if_valid'],
    ['dry_run=true&if_valid=true', 'dry_run'],
  ] as const) {
    const refused = await put(query);
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, new RegExp(`'${name}' is 'true', expected false: this service has no module`));
  }
  assert.deepEqual(await configured(), before);
  const replaced = await put('dry_run=false&if_valid=false');
  assert.equal(replaced.status, 201, replaced.text);
  assert.equal((await configured()).schema, next);
});

test('a switch that was being staged when the service ended has not happened, also without schema changes', async (t) => {
  const { service, records, rehearse, send } = await opened(t);
  const before = await records();
  const collection = service.app.registry.collection('c');
  const { curated, database } = collection;
  const [record] = await Array.fromAsync(curated.scan({}));
  const staging = new Staging(database, await newPlan('switch', collection));
  await staging.add(curated.area, {
    before: record!,
    after: { ...record!, json: '{"pid":"ex:ada"}', links: '[]' },
  });
  await staging.end();
  await service.restart({ modules: WITHOUT });
  assert.equal(await records(), before);
  await service.restart({ modules: MODULES });
  assert.equal(await records(), before);
  const { id } = await rehearse(RENAMED);
  assert.equal((await send('POST', `rehearsals/${id}/switch`)).status, 200);
  assert.match(await records(), /Human/);
});
