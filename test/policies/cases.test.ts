/** Policies case by case: configurations, callers, records, and the address of policy information. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { isPolicyIndexed } from '../../src/core/storage/policy-column.ts';
import { policyTag } from '../../src/core/storage/visibility.ts';
import { ADMIN, sharedApp, type TestService, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { organization, person } from '../support/people.ts';
import { ownDatabase } from '../support/postgresql.ts';
import { longTest, test } from '../support/tier.ts';
import { of, open, type Policies, readers, TAG, TAG_IRI, TOKENS } from './world.ts';

const BACKENDS = ['record_dir+stl', 'sqlite'];
const tagged = (name: string, policy: unknown, tag = TAG) => person(name, { annotations: { [tag]: policy } });

async function curatedIn(c: string, { request }: TestService, ...records: object[]): Promise<void> {
  for (const json of records) {
    const { status } = await request('POST', `/${c}/curated/record/Person`, { token: 'cleo', json });
    assert.equal(status, 200);
  }
}
const curated = (service: TestService, ...records: object[]) => curatedIn('c', service, ...records);

async function namesIn(c: string, { request }: TestService, token?: string): Promise<string> {
  const { status, json } = await request('GET', `/${c}/records/`, token === undefined ? {} : { token });
  return status === 200
    ? json<{ name: string }[]>()
        .map(({ name }) => name)
        .join(' ')
    : String(status);
}
const names = (service: TestService, token?: string) => namesIn('c', service, token);

const CONFIGURATIONS = [
  ['tag and mapping', { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'x')] }, ['open x', 'open']],
  [
    'tag, default and mapping',
    { policy_annotation_tag: TAG, default_policy: 'd', policy_mapping: [of('ann', 'x'), of('guest', 'd')] },
    ['x', 'open'],
  ],
  ['tag and default', { policy_annotation_tag: TAG, default_policy: 'd' }, ['', '']],
  ['a tag alone', { policy_annotation_tag: TAG }, ['open', 'open']],
  ['default and mapping', { default_policy: 'd', policy_mapping: [of('ann', 'd')] }, ['open x y', '']],
  ['a mapping alone', { policy_mapping: [of('ann', 'x')] }, ['open x y', 'open x y']],
  ['nothing', {}, ['open x y', 'open x y']],
  [
    'several entries of one caller',
    { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'x'), of('ann', 'y')] },
    ['open x y', 'open'],
  ],
  [
    'all readers and the default',
    {
      policy_annotation_tag: TAG,
      default_policy: 'd',
      policy_mapping: [readers('d', 'x'), of('guest', 'x'), of('ann', 'y')],
    },
    ['open x y', 'x'],
  ],
  [
    'another source',
    {
      policy_annotation_tag: TAG,
      policy_mapping: [{ auth_source: 'forgejo_a', user_id: 'ann@example.org', authorized_by: ['x'] }],
    },
    ['open', 'open'],
  ],
] as [string, Policies, [string, string]][];

/** A collection for each configuration on each backend. */
const CASES = BACKENDS.flatMap((type) =>
  CONFIGURATIONS.map(([sentence, policies, seen]) => ({ sentence, policies, seen, type })),
).map((one, at) => ({ ...one, c: `c${at}` }));

const modes = (mode: string) => Object.fromEntries(CASES.map(({ c }) => [c, mode]));
const ofCases = sharedApp({
  collections: Object.fromEntries(
    CASES.map(({ c, policies, type }) => [c, { default_token: 'guest', backend: { type }, ...policies }]),
  ),
  tokens: { guest: modes('READ_CURATED'), ann: modes('WRITE_COLLECTION'), cleo: modes('CURATOR') },
});

for (const { sentence, seen, type, c } of CASES) {
  test(`with ${sentence}, callers see the records of their policies (${type})`, async () => {
    const service = await ofCases();
    await curatedIn(c, service, person('open'), tagged('x', 'x'), tagged('y', 'y'));
    assert.deepEqual([await namesIn(c, service, 'ann'), await namesIn(c, service)], seen);
    const visible = seen[1].split(' ').filter((name) => name !== '');
    const { json } = await service.request('GET', `/${c}/records/p/Person?size=2`);
    const { total, pages } = json<{ total: number; pages: number }>();
    assert.deepEqual([total, pages], [visible.length, Math.ceil(visible.length / 2)]);
    for (const name of ['open', 'x', 'y']) {
      const { status, text } = await service.request('GET', `/${c}/record?pid=labid:${name}`);
      assert.deepEqual([status, text !== 'null'], [200, visible.includes(name)]);
    }
    assert.equal(
      (await service.request('GET', `/${c}/curated/records/`, { token: 'cleo' })).json<[]>().length,
      3,
    );
  });
}

test('policies of all readers are not those of tokens that read by the default token, nor of that itself', async (t) => {
  const policies = {
    policy_annotation_tag: TAG,
    default_policy: 'members',
    policy_mapping: [readers('members', 'sample'), of('guest', 'sample')],
  };
  const service = await testApp(t, {
    collections: { c: { default_token: 'guest', ...policies } },
    tokens: { ...TOKENS, idle: { c: 'NOTHING' }, sends: { c: 'SUBMIT_ONLY' } },
  });
  await curated(service, person('open'), tagged('shown', 'sample'));
  assert.equal(await names(service, 'ann'), 'open shown');
  assert.equal(await names(service, 'cleo'), 'open shown');
  assert.equal(await names(service), 'shown');
  assert.equal(await names(service, 'guest'), 'shown', 'its secret gives no more');
  assert.equal(await names(service, 'idle'), '');
  assert.equal(await names(service, 'sends'), '');
});

test('a policy is found in both forms and spellings, whatever it is', async (t) => {
  const policy_mapping = [of('ann', 'x', "it's")];
  const service = await open(t, { policy_annotation_tag: TAG_IRI, policy_mapping }, 'sqlite');
  await curated(
    service,
    tagged('curie', 'x'),
    tagged('iri', 'x', TAG_IRI),
    tagged('long', { annotation_tag: TAG, annotation_value: 'x' }),
    tagged('quote', "it's"),
    person('two', { annotations: { [TAG]: 'x', [TAG_IRI]: 'y' } }),
    tagged('case', 'X'),
    tagged('blank', 'x '),
    tagged('empty', ''),
    person('other', { annotations: { 'lab:other': 'y' } }),
  );
  assert.equal(await names(service, 'ann'), 'curie iri long other quote');
  assert.equal(await names(service), 'other');
  const turtle = `@prefix labid: <https://example.org/laboratory/id/> . @prefix schema: <http://schema.org/> .
    @prefix lab: <https://example.org/laboratory/schema/> .
    labid:turtle a schema:Person ; schema:name "turtle" ; schema:familyName "t" ;
      lab:annotation [ a lab:Annotation ; lab:annotation_tag lab:policy ; lab:annotation_value "y" ] .`;
  const stored = await service.request('POST', '/c/record/Person?format=ttl', { token: 'ann', turtle });
  assert.equal(stored.status, 200, stored.text);
  assert.equal(await names(service, 'ann'), 'curie iri long other quote');
});

test('the zone wins among visible records, and a hidden one covers nothing', async (t) => {
  const service = await open(t, { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'x')] }, 'sqlite');
  const { request } = service;
  await curated(service, person('a'), tagged('b', 'y'), person('c'));
  const own = { pid: 'labid:a', name: 'own', family_name: 'own' };
  const store = (json: object) => request('POST', '/c/record/Person', { token: 'ann', json });
  const hidden = await store({ ...own, annotations: { [TAG]: 'y' } });
  assert.deepEqual([hidden.status, hidden.json<{ name: string }[]>()[0]?.name], [200, 'own']);
  await store({ ...own, pid: 'labid:b' });
  assert.equal(await names(service, 'ann'), 'a own c');
  assert.equal((await request('DELETE', '/c/record?pid=labid:a', { token: 'ann' })).status, 404);
  assert.equal((await request('GET', '/c/incoming/ann/records/', { token: 'cleo' })).json<[]>().length, 2);
  const once = { token: 'ann', json: { ...own, name: 'new' }, headers: { 'if-none-match': '*' } };
  assert.equal((await request('POST', '/c/record/Person', once)).status, 412, 'the curated record is seen');
  assert.equal((await store({ ...own, name: 'new' })).status, 200);
  assert.equal(await names(service, 'ann'), 'new own c');
});

test('records are judged as they are: stored again, changed mappings and tags count at once', async (t) => {
  const service = await open(t, { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'x')] }, 'sqlite');
  const { request } = service;
  await curated(service, tagged('a', 'y'), tagged('b', 'z', 'lab:other'));
  assert.equal(await names(service, 'ann'), 'b');
  await curated(service, tagged('a', 'x'));
  assert.equal(await names(service, 'ann'), 'a b');
  const put = async (policies: Policies) => {
    const { name, ...config } = (await request('GET', '/collections/c', { token: ADMIN })).json<{
      name: string;
    }>();
    for (const key of Object.keys(config))
      if (key.startsWith('policy') || key.startsWith('default_p')) Reflect.deleteProperty(config, key);
    const json = { name, ...config, ...policies };
    assert.equal((await request('PUT', '/collections/c', { token: ADMIN, json })).status, 201);
  };
  await put({ policy_annotation_tag: 'lab:other', policy_mapping: [of('ann', 'x')] });
  assert.equal(await names(service, 'ann'), 'a');
  await put({ policy_annotation_tag: 'lab:other', policy_mapping: [of('ann', 'z')] });
  assert.equal(await names(service, 'ann'), 'a b');
  await put({});
  const config = (await request('GET', '/collections/c', { token: ADMIN })).json<object>();
  assert.deepEqual(
    Object.keys(config).filter((key) => key.includes('polic')),
    [],
  );
  assert.equal(await names(service), 'a b');
});

test('a caller learns the own policies, and curation endpoints know none', async (t) => {
  const service = await open(
    t,
    { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'y', 'x')] },
    'sqlite',
  );
  await curated(service, tagged('a', 'x'));
  const me = (await service.request('GET', '/-/me', { token: 'ann' })).json<{ collections: { c: object } }>();
  assert.deepEqual(Reflect.get(me.collections.c, 'policies'), ['x', 'y']);
  assert.equal(await names(service, 'cleo'), '', 'also a curator on a user endpoint');
  assert.notEqual(
    (await service.request('GET', '/c/curated/record?pid=labid:a', { token: 'cleo' })).text,
    'null',
  );
});

/** A file with policy information. */
function informationFile(t: TestContext, value: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'accession-policies-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'policies.json');
  const write = (next: unknown) =>
    writeFileSync(file, typeof next === 'string' ? next : JSON.stringify(next));
  if (value !== undefined) write(value);
  return { file, write };
}

const located = (t: TestContext, policy_info_location: string) =>
  testApp(t, {
    collections: { c: { default_token: 'guest', backend: { type: 'sqlite' }, policy_info_location }, d: {} },
    tokens: { ...TOKENS, dora: { d: 'CURATOR' } },
  });
const RELOAD = '/management/reload/policy_info/';

test('information at a location is read when a curator asks for it, and what was good stays', async (t) => {
  const { file, write } = informationFile(t, {
    policy_annotation_tag: TAG,
    policy_mapping: [of('ann', 'x')],
  });
  const service = await located(t, file);
  const { request } = service;
  await curated(service, tagged('a', 'x'), tagged('b', 'y'));
  assert.equal(await names(service, 'ann'), 'a');
  write({ policy_annotation_tag: TAG, policy_mapping: [of('ann', 'y')] });
  assert.equal(await names(service, 'ann'), 'a');
  const statusOf = async (collection: string, token?: string) =>
    (await request('GET', RELOAD + collection, token === undefined ? {} : { token })).status;
  assert.equal(await statusOf('missing', 'nonsense'), 404);
  assert.equal(await statusOf('c', 'nonsense'), 401);
  assert.equal(await statusOf('c', ADMIN), 401);
  assert.equal(await statusOf('d'), 401);
  assert.equal(await statusOf('c'), 403);
  assert.equal(await statusOf('c', 'ann'), 403);
  assert.equal(await statusOf('d', 'dora'), 400);
  assert.equal((await request('POST', `${RELOAD}c`, { token: 'cleo' })).status, 405);
  await request('POST', '/maintenance', { token: 'cleo', json: { collection: 'c', active: true } });
  const reloaded = await request('GET', `${RELOAD}c`, { token: 'cleo' });
  assert.deepEqual([reloaded.status, reloaded.text], [200, 'null']);
  await request('POST', '/maintenance', { token: 'cleo', json: { collection: 'c', active: false } });
  assert.equal(await names(service, 'ann'), 'b');
  for (const bad of [
    'no json',
    [],
    { x: 1 },
    { policy_annotation_tag: ['secret'] },
    { policy_mapping: [{}] },
  ]) {
    write(bad);
    const { status, text } = await request('GET', `${RELOAD}c`, { token: 'cleo' });
    assert.equal(status, 400);
    assert.doesNotMatch(text, /secret|policies\.json/);
    assert.equal(await names(service, 'ann'), 'b');
  }
  await service.restart();
  assert.equal(await names(service, 'ann'), 'b', 'after a restart');
  const health = (await service.request('GET', '/-/health')).json<{ status: string; problems: string[] }>();
  assert.deepEqual([health.status, health.problems.length], ['degraded', 1]);
  write({});
  assert.equal(await statusOf('c', 'cleo'), 200);
  assert.equal(await names(service), 'a b');
  assert.equal((await service.request('GET', '/-/health')).json<{ status: string }>().status, 'ok');
});

const OTHER = { policy_annotation_tag: 'lab:other', policy_mapping: [of('ann', 'x')] };
const BEFORE = { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'x')] };
/** More than one transaction reads for another annotation. */
const MANY = 1_200;

/** Each other record is hidden by one annotation, all others by the other one. */
async function curatedHalves(service: TestService): Promise<void> {
  const json = Array.from({ length: MANY }, (_, at) =>
    tagged(`p${at}`, 'y', at % 2 === 0 ? TAG : 'lab:other'),
  );
  const { status } = await service.request('POST', '/-/c/curated/records/Person', { token: 'cleo', json });
  assert.equal(status, 200);
}

/** Reads as a user until a change is acknowledged: each answer has to be of the former policies or of the new ones. */
async function readDuring(service: TestService, change: Promise<{ status: number }>): Promise<number> {
  let isAcknowledged = false;
  const acknowledged = change.then(({ status }) => {
    isAcknowledged = true;
    return status;
  });
  const seen = async () => {
    const { status, json } = await service.request('GET', '/c/records/p/?size=1', { token: 'ann' });
    assert.equal(status, 200);
    return json<{ items: { pid: string }[] }>().items[0]?.pid;
  };
  while (!isAcknowledged) {
    assert.match(String(await seen()), /^labid:p[01]$/);
    await turn();
  }
  assert.equal(await seen(), 'labid:p0');
  return acknowledged;
}

async function isRead({ app }: TestService, tag: string): Promise<boolean> {
  const { database, curated } = app.registry.collection('c');
  const iri = `https://example.org/laboratory/schema/${tag.slice('lab:'.length)}`;
  return isPolicyIndexed(database, curated.area, policyTag([tag, iri]));
}

longTest(
  'records are read for another annotation before it is in force, and users are answered meanwhile',
  async (t) => {
    const service = await open(t, BEFORE, 'sqlite');
    await curatedHalves(service);
    const config = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
    const json = { ...config, ...OTHER };
    const put = service.request('PUT', '/collections/c', { token: ADMIN, json });
    assert.equal(await readDuring(service, put), 201);
    assert.ok(await isRead(service, OTHER.policy_annotation_tag));
  },
);

test('a reload of another annotation is in force when the records are read, and users are answered meanwhile', async (t) => {
  const { file, write } = informationFile(t, BEFORE);
  const service = await located(t, file);
  await curatedHalves(service);
  write(OTHER);
  const reload = service.request('GET', `${RELOAD}c`, { token: 'cleo' });
  assert.equal(await readDuring(service, reload), 200);
  assert.ok(await isRead(service, OTHER.policy_annotation_tag));
});

test('a change of policies that the stop of the service interrupts changes nothing', async (t) => {
  const service = await open(t, BEFORE, 'sqlite');
  await curatedHalves(service);
  const config = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
  const { database, curated } = service.app.registry.collection('c');
  const { state } = service.app;
  const changed = state.change(
    (current) => ({
      ...current,
      collections: { c: { ...current.collections.c!, ...OTHER } },
    }),
    'admin',
  );
  const refused = assert.rejects(changed, { code: 'stopping' });
  await eventually(
    'the first records are read',
    async () => {
      const [row] = await database.tuples<[string]>(
        'SELECT policy_tags FROM accession_area WHERE area = $1',
        [curated.area.id],
      );
      return JSON.parse(row![0]) as unknown[];
    },
    (tags) => tags.length === 2,
  );
  await service.app.registry.close();
  await refused;
  await service.restart();
  assert.deepEqual((await service.request('GET', '/collections/c', { token: ADMIN })).json(), config);
});

test('a location that is no regular file is refused at once', async (t) => {
  const { request } = await located(t, '/dev/zero');
  const refused = await request('GET', `${RELOAD}c`, { token: 'cleo' });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /it is not a regular file/);
});

test('without information, users wait, curators work, and other collections are served', async (t) => {
  const { file, write } = informationFile(t, undefined);
  const service = await located(t, file);
  const { request } = service;
  await curated(service, tagged('a', 'x'));
  assert.equal(await names(service, 'ann'), '503');
  assert.equal((await request('GET', '/c/curated/records/', { token: 'cleo' })).status, 200);
  assert.equal((await request('GET', '/d/records/', { token: 'dora' })).status, 200);
  const config = (await request('GET', '/collections/c', { token: ADMIN })).json<object>();
  const json = { ...config, name: 'e', curated: 'e', incoming: 'e-zones' };
  assert.equal((await request('POST', '/collections', { token: ADMIN, json })).status, 400);
  assert.equal((await request('GET', '/e/records/')).status, 404);
  write({ policy_annotation_tag: TAG });
  assert.equal((await request('GET', `${RELOAD}c`, { token: 'cleo' })).status, 200);
  assert.equal(await names(service, 'ann'), '');
});

test('another instance follows a reload', async (t) => {
  const { file, write } = informationFile(t, {
    policy_annotation_tag: TAG,
    policy_mapping: [of('ann', 'x')],
  });
  const databaseUrl = await ownDatabase();
  const config = { default_token: 'guest', backend: { type: 'postgresql' }, policy_info_location: file };
  const begin = () => testApp(t, { collections: { c: config }, tokens: TOKENS }, { databaseUrl });
  const one = await begin();
  const other = await begin();
  await curated(one, tagged('a', 'x'), tagged('b', 'y'));
  assert.equal(await names(other, 'ann'), 'a');
  write({ policy_annotation_tag: TAG, policy_mapping: [of('ann', 'y')] });
  assert.equal((await one.request('GET', `${RELOAD}c`, { token: 'cleo' })).status, 200);
  await eventually(
    'the new mapping',
    () => names(other, 'ann'),
    (found) => found === 'b',
  );
});

longTest(
  'another instance follows a reload whose clock is behind, and one within the same millisecond',
  async (t) => {
    const { file, write } = informationFile(t, {
      policy_annotation_tag: TAG,
      policy_mapping: [of('ann', 'x')],
    });
    const databaseUrl = await ownDatabase();
    const config = { default_token: 'guest', backend: { type: 'postgresql' }, policy_info_location: file };
    const begin = () => testApp(t, { collections: { c: config }, tokens: TOKENS }, { databaseUrl });
    const one = await begin();
    const other = await begin();
    await curated(one, tagged('a', 'x'), tagged('b', 'y'));
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 60 * 60_000 });
    for (const [policy, expected] of [
      ['y', 'b'],
      ['x', 'a'],
    ] as const) {
      write({ policy_annotation_tag: TAG, policy_mapping: [of('ann', policy)] });
      assert.equal((await one.request('GET', `${RELOAD}c`, { token: 'cleo' })).status, 200);
      await eventually(
        'the new mapping',
        () => names(other, 'ann'),
        (found) => found === expected,
      );
    }
  },
);

test('things that are stored on their own inherit no policy', async (t) => {
  const service = await open(t, { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'x')] }, 'sqlite');
  const json = {
    ...tagged('parent', 'y'),
    relations: { 'labid:child': { ...organization('child'), schema_type: 'schema:Organization' } },
  };
  const stored = await service.request('POST', '/c/record/Person', { token: 'ann', json });
  assert.equal(stored.status, 200, stored.text);
  assert.equal(await names(service, 'ann'), 'child');
});
