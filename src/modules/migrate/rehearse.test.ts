/** Schema changes over HTTP: rehearsed, carried out in one step, undone. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ADMIN, type TestService, testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { lacks } from '../../../test/support/lacks.ts';
import { BEFORE, GONE, RENAMED } from '../../../test/support/schemas.ts';
import { longTest, repeated, test } from '../../../test/support/tier.ts';

type Report = {
  id: string;
  state: string;
  changes: { message: string }[];
  summary: {
    total: number;
    by_outcome: Record<string, number>;
    by_area: Record<string, Record<string, number>>;
    turtle_changes: number;
  };
  items: { pid: string; in: string; outcome: string; steps: { message: string }[] }[];
};

type Opened = TestService & { readonly schema: string; readonly newSchema: string };

async function opened(t: TestContext, type: string, next = RENAMED): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-schema-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [schema, newSchema] = [join(folder, 'one.yaml'), join(folder, 'two.yaml')];
  writeFileSync(schema, BEFORE);
  writeFileSync(newSchema, next);
  const service = await testApp(t, {
    collections: { c: { schema, backend: { type } } },
    tokens: { cora: { c: 'CURATOR' }, ann: { c: 'WRITE_COLLECTION' } },
  });
  const post = async (area: string, className: string, json: object) => {
    const answer = await service.request('POST', `/c/${area}/record/${className}`, { token: 'cora', json });
    assert.equal(answer.status, 200, answer.text);
  };
  await post('curated', 'Person', { pid: 'ex:ada', mail: 'a@x.org', age: '36', status: 'alive' });
  await post('curated', 'Person', { pid: 'ex:bob', mail: 'b@x.org', age: 'old', friend: 'ex:ada' });
  await post('curated', 'Gadget', { pid: 'ex:saw', weight: 3 });
  await post('incoming/ann', 'Person', { pid: 'ex:eve', mail: 'e@x.org' });
  return Object.assign(service, { schema, newSchema });
}

const everything = async ({ request }: TestService) => ({
  curated: (await request('GET', '/c/curated/records/', { token: 'cora' })).text,
  zone: (await request('GET', '/c/incoming/ann/records/', { token: 'cora' })).text,
});

async function rehearsed({ request, newSchema }: Opened): Promise<Report> {
  const options = { token: ADMIN, json: { address: newSchema } };
  const answer = await request('POST', '/-/c/rehearse', options);
  assert.equal(answer.status, 200, answer.text);
  return answer.json<Report>();
}

for (const type of BACKENDS) {
  repeated(`${type}: a rehearsal says what would become of each record, and changes nothing`, async (t) => {
    const service = await opened(t, type);
    const before = await everything(service);
    const report = await rehearsed(service);
    assert.equal(report.state, 'done');
    assert.deepEqual(report.summary.by_area, {
      curated: { valid: 1, mendable: 1, newly_invalid: 1, invalid_before: 0, unreachable: 0 },
      'incoming/ann': { valid: 0, mendable: 1, newly_invalid: 0, invalid_before: 0, unreachable: 0 },
    });
    assert.match(report.changes.map(({ message }) => message).join(), /Person is called Human now/);
    assert.equal(report.items.find(({ pid }) => pid === 'ex:bob')?.outcome, 'newly_invalid');
    const stream = await service.request('GET', `/-/c/rehearsals/${report.id}/records`, { token: 'cora' });
    const rows = stream.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      rows.map(({ pid, outcome }) => `${pid} ${outcome}`),
      ['ex:ada mendable', 'ex:bob newly_invalid', 'ex:saw valid', 'ex:eve mendable'],
    );
    assert.deepEqual(await everything(service), before);
  });

  repeated(
    `${type}: a rehearsal describes its classes, and lists what it refuses of an object`,
    async (t) => {
      const { request, ...service } = await opened(t, type);
      const { id } = await rehearsed({ request, ...service });
      const path = `/-/c/rehearsals/${id}`;
      const read = (name: string) => request('GET', `${path}/classes/${name}`, { token: 'cora' });
      const { slots } = (await read('Human')).json<{ slots: { name: string; range: { type: string } }[] }>();
      assert.equal(slots.find(({ name }) => name === 'age')?.range.type, 'integer');
      const gone = await read('Person');
      assert.equal(gone.status, 404);
      assert.match(gone.text, /The rehearsed schema has no class 'Person'/);
      const validate = async (json: object) => {
        const answer = await request('POST', `${path}/validate/Human`, { token: 'cora', json });
        assert.equal(answer.status, 200, answer.text);
        return answer.json<{ problems: { loc: string[] }[] }>().problems.map(({ loc }) => loc.join('.'));
      };
      assert.deepEqual(await validate({ pid: 'ex:bob', age: 'old', mail: 'b@x.org' }), [
        'age',
        'mail',
        'email',
      ]);
      assert.deepEqual(await validate({ pid: 'ex:bob', age: 40, email: 'b@x.org' }), []);
      const json = { pid: 'ex:bob' };
      assert.equal((await request('POST', `${path}/validate/Human`, { token: 'ann', json })).status, 403);
    },
  );

  repeated(`${type}: a switch changes schema and records in one step, and can be undone`, async (t) => {
    const service = await opened(t, type);
    const { request } = service;
    const before = await everything(service);
    const { id } = await rehearsed(service);
    const path = `/-/c/rehearsals/${id}/switch`;
    const strict = await request('POST', path, { token: ADMIN, json: { if_valid: true } });
    assert.equal(strict.status, 409);
    assert.match(strict.text, /ex:bob/);
    assert.deepEqual(await everything(service), before);

    const done = await request('POST', path, { token: ADMIN, json: { patches: true } });
    assert.equal(done.status, 200, done.text);
    const plan = done.json<{ id: string; records: number; state: string }>();
    assert.deepEqual([plan.records, plan.state], [2, 'done']);
    const check = async () => {
      const ada = (await request('GET', '/c/curated/record?pid=ex:ada', { token: 'cora' })).json();
      assert.deepEqual(ada, {
        age: 36,
        email: 'a@x.org',
        pid: 'ex:ada',
        schema_type: 'ex:Human',
        status: 'living',
      });
      const eve = (await request('GET', '/c/incoming/ann/record?pid=ex:eve', { token: 'cora' })).json();
      assert.deepEqual(eve, { email: 'e@x.org', pid: 'ex:eve', schema_type: 'ex:Human' });
      await t.test('records are checked with the schema', { skip: lacks('curate') }, async () => {
        type Faults = { total: number; pending: number };
        const faults = await eventually(
          'all changes are checked',
          async () => (await request('GET', '/-/c/faults', { token: 'cora' })).json<Faults>(),
          ({ pending }) => pending === 0,
        );
        assert.equal(faults.total, 1);
      });
    };
    await check();
    await service.restart();
    await check();
    const history = (await request('GET', '/-/c/history?pid=ex:ada', { token: 'cora' })).json<
      { author_id: string }[]
    >();
    assert.equal(history.at(-1)?.author_id, '__bootstrap__');

    const undo = () => request('POST', `/-/c/switches/${plan.id}/undo`, { token: ADMIN });
    await t.test('it is not undone while a record has another pid', { skip: lacks('curate') }, async () => {
      const rename = { from: 'ex:ada', to: 'ex:ada2' };
      const renamed = await request('POST', '/-/c/curated/rename', { token: 'cora', json: rename });
      assert.equal((await undo()).status, 412);
      const { id: move } = renamed.json<{ id: string }>();
      const back = await request('POST', `/-/c/moves/${move}/undo`, { token: 'cora' });
      assert.equal(back.status, 200, back.text);
    });
    const undone = await undo();
    assert.equal(undone.status, 200, undone.text);
    assert.deepEqual(await everything(service), before);
    const states = (await request('GET', '/-/c/switches', { token: 'cora' })).json<{ state: string }[]>();
    assert.deepEqual(
      states.map(({ state }) => state),
      ['done', 'undone'],
    );
    const again = await request('POST', `/-/c/switches/${plan.id}/undo`, { token: ADMIN });
    assert.equal(again.status, 412);
  });
}

test('a schema that is sent as a text is kept, also if the request is repeated, and is in force after a restart', async (t) => {
  const service = await opened(t, 'sqlite');
  const schema = readFileSync(service.newSchema, 'utf8');
  const report = await service.request('POST', '/-/c/rehearse', { token: 'cora', json: { schema } });
  const { id } = report.json<Report>();
  const done = await service.request('POST', `/-/c/rehearsals/${id}/switch`, { token: ADMIN, json: {} });
  assert.equal(done.status, 200, done.text);
  const again = await service.request('POST', `/-/c/rehearsals/${id}/switch`, { token: ADMIN, json: {} });
  assert.equal(again.status, 412);
  const change = done.json<{ id: string }>().id;
  assert.ok(again.text.includes(`is in force, by the schema change '${change}'`), again.text);
  await service.restart();
  const { collections } = (await service.request('GET', '/server')).json<{
    collections: { classes: string[] }[];
  }>();
  assert.ok(collections[0]?.classes.includes('Human'));
});

longTest('of the same switch, and of the same undo, twice at once, one is made', async (t) => {
  const service = await opened(t, 'sqlite');
  const { request } = service;
  const before = await everything(service);
  const schema = readFileSync(service.newSchema, 'utf8');
  const report = await request('POST', '/-/c/rehearse', { token: 'cora', json: { schema } });
  const twice = async (path: string) => {
    const post = () => request('POST', path, { token: ADMIN, json: {} });
    return (await Promise.all([post(), post(), post()])).map(({ status }) => status).sort();
  };
  assert.deepEqual(await twice(`/-/c/rehearsals/${report.json<Report>().id}/switch`), [200, 412, 412]);
  const [plan, ...others] = (await request('GET', '/-/c/switches', { token: 'cora' })).json<
    { id: string }[]
  >();
  assert.deepEqual(others, []);
  assert.deepEqual(await twice(`/-/c/switches/${plan!.id}/undo`), [200, 412, 412]);
  assert.deepEqual(await everything(service), before);
});

test('only the patches that are chosen are made', async (t) => {
  const service = await opened(t, 'sqlite');
  const { id } = await rehearsed(service);
  const json = { patches: ['ex:eve'] };
  const done = await service.request('POST', `/-/c/rehearsals/${id}/switch`, { token: ADMIN, json });
  assert.equal(done.json<{ records: number }>().records, 1);
  assert.match((await everything(service)).curated, /"mail":"a@x.org"/);
  assert.match((await everything(service)).zone, /"email":"e@x.org"/);
});

test('an undo is refused if a patched record has changed since', async (t) => {
  const service = await opened(t, 'sqlite');
  const { id } = await rehearsed(service);
  const done = await service.request('POST', `/-/c/rehearsals/${id}/switch`, { token: ADMIN, json: {} });
  const plan = done.json<{ id: string }>();
  const json = { pid: 'ex:ada', email: 'new@x.org' };
  await service.request('POST', '/c/curated/record/Human', { token: 'cora', json });
  const before = await everything(service);
  const undo = await service.request('POST', `/-/c/switches/${plan.id}/undo`, { token: ADMIN });
  assert.equal(undo.status, 412);
  assert.match(undo.text, /'ex:ada' was changed since\. Restore it from its history, then undo\./);
  assert.deepEqual(await everything(service), before);
  const history = await service.request('GET', '/-/c/history?pid=ex:ada', { token: 'cora' });
  const made = history.json<{ time_stamp: string }[]>().at(-2)?.time_stamp;
  const restore = `/-/c/history/restore?pid=ex:ada&at=${encodeURIComponent(made!)}`;
  assert.equal((await service.request('POST', restore, { token: 'cora' })).status, 200);
  const undone = await service.request('POST', `/-/c/switches/${plan.id}/undo`, { token: ADMIN });
  assert.equal(undone.status, 200, undone.text);
  const twice = await service.request('POST', `/-/c/switches/${undone.json<{ id: string }>().id}/undo`, {
    token: ADMIN,
  });
  assert.deepEqual(
    [twice.status, /An undo cannot: switch to the schema again/.test(twice.text)],
    [404, true],
  );
});

test('rehearsals are for curators and administrators, switches for administrators', async (t) => {
  const service = await opened(t, 'sqlite');
  const { request, newSchema } = service;
  const rehearse = (token: string, json: object) => request('POST', '/-/c/rehearse', { token, json });
  assert.equal((await rehearse('ann', { schema: BEFORE })).status, 403);
  assert.equal((await rehearse('cora', { address: newSchema })).status, 403);
  assert.equal((await rehearse('cora', { schema: '{' })).status, 422);
  assert.equal((await rehearse('cora', {})).status, 422);
  const { id } = (await rehearse('cora', { schema: BEFORE })).json<Report>();
  const path = `/-/c/rehearsals/${id}`;
  assert.equal((await request('GET', path, { token: 'cora' })).status, 200);
  assert.equal((await request('GET', path, { token: 'ann' })).status, 403);
  assert.equal((await request('POST', `${path}/switch`, { token: 'cora', json: {} })).status, 401);
  assert.equal((await request('GET', '/-/c/rehearsals/none', { token: 'cora' })).status, 404);
});

test('PUT of a collection can be a dry run, and can be refused because of records', async (t) => {
  const service = await opened(t, 'sqlite', GONE);
  const { request, newSchema } = service;
  const config = (await request('GET', '/collections/c', { token: ADMIN })).json<object>();
  const put = (query: string) =>
    request('PUT', `/collections/c${query}`, { token: ADMIN, json: { ...config, schema: newSchema } });
  const wrong = { token: ADMIN, json: { ...config, no_such_key: 1 } };
  assert.equal((await request('PUT', '/collections/c?dry_run=true', wrong)).status, 422);
  const dry = await put('?dry_run=true');
  assert.equal(dry.status, 200, dry.text);
  assert.equal(dry.json<Report>().summary.by_outcome.unreachable, 1);
  const json = { ...config, name: 'new', curated: 'new/curated', incoming: 'new/incoming' };
  const added = await request('PUT', '/collections/new?dry_run=true', { token: ADMIN, json });
  assert.deepEqual([added.status, added.text], [200, 'null']);
  const refused = await put('?if_valid=true');
  assert.equal(refused.status, 409);
  assert.match(refused.text, /ex:saw/);
  assert.deepEqual((await request('GET', '/collections/c', { token: ADMIN })).json(), config);
  const done = await put('');
  assert.deepEqual([done.status, done.text, done.headers['accession-newly-invalid']], [201, 'null', '1']);
});

test('a schema that cannot be opened is refused with its place: the body, or what is not a schema file', async (t) => {
  const service = await opened(t, 'sqlite');
  const refusal = async (json: object) => {
    const { status, text } = await service.request('POST', '/-/c/rehearse', { token: ADMIN, json });
    assert.equal(status, 422, text);
    return text;
  };
  assert.match(
    await refusal({ schema: 'classes: {' }),
    /"detail":"body\.schema: line 1, column 10: not valid YAML/,
  );
  assert.match(await refusal({ address: '/dev/zero' }), /not a regular file/);
  assert.match(await refusal({ address: service.store }), /not a regular file/);
});

test('the schema of a curator imports nothing that the present schema does not import; that of an administrator may', async (t) => {
  const service = await opened(t, 'sqlite');
  const folder = mkdtempSync(join(tmpdir(), 'accession-import-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'more.yaml'),
    'id: https://example.org/more\nname: more\nclasses: { Secret: {} }\n',
  );
  const schema = BEFORE.replace('[linkml:types]', `[linkml:types, "${join(folder, 'more')}"]`);
  assert.notEqual(schema, BEFORE);
  const rehearse = (token: string) => service.request('POST', '/-/c/rehearse', { token, json: { schema } });
  const refused = await rehearse('cora');
  assert.equal(refused.status, 422, refused.text);
  assert.ok(!refused.text.includes('Secret'));
  assert.equal((await rehearse(ADMIN)).status, 200);
});

longTest('a store that was moved has its schema, and undoes the change that led to it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-moved-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  mkdirSync(first);
  writeFileSync(join(first, 'one.yaml'), BEFORE);
  const configuration = {
    collections: { c: { schema: join(first, 'one.yaml'), backend: { type: 'sqlite' } } },
    tokens: { cora: { c: 'CURATOR' } },
  };
  const before = await testApp(t, configuration, { store: first });
  const stored = await before.request('POST', '/c/curated/record/Person', {
    token: 'cora',
    json: { pid: 'ex:ada', mail: 'a@x.org' },
  });
  assert.equal(stored.status, 200, stored.text);
  const report = await before.request('POST', '/-/c/rehearse', { token: 'cora', json: { schema: RENAMED } });
  const path = `/-/c/rehearsals/${report.json<Report>().id}/switch`;
  const { id } = (await before.request('POST', path, { token: ADMIN, json: {} })).json<{ id: string }>();
  await before.app.close();
  renameSync(first, second);

  const { request } = await testApp(t, {}, { store: second });
  const read = async () => (await request('GET', '/c/curated/record?pid=ex:ada', { token: 'cora' })).text;
  assert.match(await read(), /"email":"a@x.org"/);
  type Plan = { from: { address: string }; to: { address: string } };
  const [plan] = (await request('GET', '/-/c/switches', { token: 'cora' })).json<Plan[]>();
  assert.equal(plan?.from.address, join(second, 'one.yaml'));
  assert.ok(plan.to.address.startsWith(second), plan.to.address);
  const undone = await request('POST', `/-/c/switches/${id}/undo`, { token: ADMIN });
  assert.equal(undone.status, 200, undone.text);
  assert.match(await read(), /"mail":"a@x.org"/);
});
