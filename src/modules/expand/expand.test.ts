/** Reads that include what records refer to, against what single reads put together. */
import assert from 'node:assert/strict';
import { type Choices, choicesFrom } from '../../../test/parity/random.ts';
import { of, TAG } from '../../../test/policies/world.ts';
import { sharedApp, type TestService, testApp } from '../../../test/support/app.ts';
import { assembled, type Item, type Json, type Reads, type Step } from '../../../test/support/assembled.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { assertDescribed } from '../../../test/support/described-values.ts';
import { organization, person } from '../../../test/support/people.ts';
import { repeated, test } from '../../../test/support/tier.ts';

const TOKENS = { ann: { c: 'WRITE_COLLECTION' }, bob: { c: 'READ_CURATED' }, cur: { c: 'CURATOR' } };
const configuration = (type: string, more: object = {}) => ({
  collections: { c: { backend: { type }, ...more } },
  tokens: TOKENS,
});

async function put(
  { request }: TestService,
  className: string,
  json: object,
  path = '/c/curated',
  token = 'cur',
) {
  const { status, text } = await request('POST', `${path}/record/${className}`, { token, json });
  assert.equal(status, 200, text);
}

async function get<T = Item>({ request }: TestService, url: string, token = 'cur'): Promise<T> {
  const { status, text, json } = await request('GET', url, { token });
  assert.equal(status, 200, text);
  return json<T>();
}

const project = (name: string, people: readonly string[], funders: readonly string[] = []) => ({
  pid: `labid:${name}`,
  name,
  participations: people.map((one) => ({ person: one, project_role: 'lead' })),
  funders,
});

/** Organizations in a tree with a cycle, people in them, and projects of these. */
async function fill(service: TestService, random: Choices): Promise<string[]> {
  const organizations = Array.from({ length: 8 }, (_, n) => `labid:o${n}`);
  const people = Array.from({ length: 10 }, (_, n) => `labid:p${n}`);
  const some = (all: readonly string[], most: number) => all.filter(() => random.chance(0.4)).slice(0, most);
  for (const [n, pid] of organizations.entries()) {
    const part_of = random.pick([...organizations, 'labid:missing']);
    await put(service, 'Organization', organization(pid.slice(6), n % 4 === 0 ? {} : { part_of }));
  }
  for (const pid of people)
    await put(service, 'Person', person(pid.slice(6), { affiliations: some(organizations, 3) }));
  const projects = ['x', 'y', 'z'];
  for (const name of projects)
    await put(service, 'Project', project(name, some(people, 4), some(organizations, 2)));
  return [...organizations, ...people, ...projects.map((name) => `labid:${name}`)];
}

/** Single reads of a service. */
function readsOf(service: TestService): Reads {
  return {
    read: (pid) => get<Item | null>(service, `/c/curated/record?pid=${encodeURIComponent(pid)}`),
    ofClass: (className) => get<Item[]>(service, `/c/records/${className}`),
  };
}

/** A service without records, which the tests share. */
const emptyService = sharedApp(configuration('sqlite'));

const CASES: readonly (readonly [expand: string, paths: readonly (readonly Step[])[]])[] = [
  ['affiliations', [[{ slots: ['affiliations'] }]]],
  ['part_of+', [[{ slots: ['part_of'], repeats: true }]]],
  ['affiliations.part_of+', [[{ slots: ['affiliations'] }, { slots: ['part_of'], repeats: true }]]],
  [
    'participations.person.affiliations',
    [[{ slots: ['participations', 'person'] }, { slots: ['affiliations'] }]],
  ],
  ['funders,participations.person', [[{ slots: ['funders'] }], [{ slots: ['participations', 'person'] }]]],
  ['^affiliations(Person)', [[{ slots: ['affiliations'], back: 'Person' }]]],
  ['^person(Project).funders', [[{ slots: ['person'], back: 'Project' }, { slots: ['funders'] }]]],
  ['^part_of(Organization)+', [[{ slots: ['part_of'], back: 'Organization', repeats: true }]]],
];

for (const type of BACKENDS) {
  repeated(`${type}: what records include is what single reads put together`, async (t) => {
    const service = await testApp(t, configuration(type));
    const pids = await fill(service, choicesFrom(3));
    for (const [expand, paths] of CASES) {
      const query = `expand=${encodeURIComponent(expand)}`;
      const wanted = new Map<string, Item>();
      for (const pid of pids) {
        const record = await get(service, `/c/curated/record?pid=${pid}`);
        wanted.set(pid, await assembled(readsOf(service), record, paths));
      }
      const inOrder = [...wanted.keys()].sort().map((pid) => wanted.get(pid)!);
      for (const pid of pids.slice(0, 3))
        assert.deepEqual(
          await get(service, `/c/curated/record?pid=${pid}&${query}`),
          wanted.get(pid),
          expand,
        );
      assert.deepEqual(await get(service, `/c/curated/records/?${query}`), inOrder, expand);
      const { items, total } = await get<{ items: Item[]; total: number }>(
        service,
        `/c/records/p/?size=7&page=2&${query}`,
      );
      assert.deepEqual([items, total], [inOrder.slice(7, 14), pids.length], expand);
      const { text } = await service.request('GET', `/-/c/curated/export?${query}`, { token: 'cur' });
      assert.deepEqual(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
        inOrder,
        expand,
      );
      await checkGraph(service, query, inOrder);
    }
  });
}

/** The graph has each record of the inlined ones once. */
async function checkGraph(service: TestService, query: string, inlined: readonly Item[]): Promise<void> {
  const graph = await get<{ items: Item[]; included: Item[]; truncated: [] }>(
    service,
    `/c/records/p/?size=100&shape=graph&${query}`,
  );
  assert.deepEqual(graph.truncated, []);
  const pids = new Set(graph.items.map(({ pid }) => pid));
  const wanted = new Set<Json>();
  JSON.stringify(inlined, (_, value) => {
    if (value !== null && typeof value === 'object' && 'pid' in value && !pids.has(value.pid))
      wanted.add(value.pid);
    return value;
  });
  assert.deepEqual(new Set(graph.included.map(({ pid }) => pid)), wanted);
}

test('a graph has each record once, Turtle the same triples, and fields are the ones that are asked for', async () => {
  const service = await emptyService();
  await put(service, 'Organization', organization('o', { homepage: 'https://o.example.org' }));
  for (const name of ['a', 'b']) await put(service, 'Person', person(name, { affiliations: ['labid:o'] }));
  const graph = await get(service, '/c/records/Person?expand=affiliations&shape=graph&fields=name');
  const named = (name: string) => ({
    affiliations: ['labid:o'],
    name,
    pid: `labid:${name}`,
    schema_type: 'schema:Person',
  });
  assert.deepEqual(graph, {
    items: [named('a'), named('b')],
    included: [{ name: 'o', pid: 'labid:o', schema_type: 'schema:Organization' }],
    truncated: [],
  });
  const one = await get(
    service,
    '/c/record?pid=labid:o&shape=graph&expand=%5Eaffiliations(Person)&fields=name',
  );
  assert.deepEqual(one.record, {
    '^affiliations(Person)': ['labid:a', 'labid:b'],
    name: 'o',
    pid: 'labid:o',
    schema_type: 'schema:Organization',
  });
  const { text } = await service.request('GET', '/c/record?pid=labid:a&expand=affiliations&format=ttl', {
    token: 'bob',
  });
  assert.match(text, /labid:a a schema:Person[\s\S]*labid:o a schema:Organization/);
});

test('an unchanged read is a 304, and everything is of the moment that is asked for', async () => {
  const service = await emptyService();
  await put(service, 'Organization', organization('o'));
  await put(service, 'Person', person('a', { affiliations: ['labid:o'] }));
  for (const url of [
    '/c/record?pid=labid:a&expand=affiliations',
    '/c/records/p/?expand=affiliations',
    '/c/records/?expand=affiliations&shape=graph',
    '/-/c/curated/export?expand=affiliations',
    '/c/curated/records/p/?expand=affiliations&shape=graph',
  ]) {
    const first = await service.request('GET', url, { token: 'cur' });
    assert.equal(first.status, 200, first.text);
    const headers = { 'if-none-match': first.headers.etag! };
    assert.equal((await service.request('GET', url, { token: 'cur', headers })).status, 304);
    await put(service, 'Organization', organization('o', { description: url }));
    const second = await service.request('GET', url, { token: 'cur', headers });
    assert.equal(second.status, 200);
    assert.ok(second.text.includes(url));
    const former = await service.request('GET', `${url}&at=${first.headers['accession-revision']}`, {
      token: 'cur',
    });
    assert.equal(former.text, first.text);
  }
});

test('a caller meets no record that the caller does not see, and the own one in place of a curated one', async (t) => {
  const policies = { policy_annotation_tag: TAG, policy_mapping: [of('bob', 'x'), of('ann', 'x', 'y')] };
  const service = await testApp(t, configuration('sqlite', policies));
  await put(service, 'Organization', organization('o', { annotations: { [TAG]: 'y' } }));
  await put(service, 'Organization', organization('q', { part_of: 'labid:o' }));
  await put(service, 'Person', person('a', { affiliations: ['labid:o', 'labid:q'] }));
  const url = '/c/record?pid=labid:a&expand=affiliations';
  const { affiliations } = await get<{ affiliations: Json[] }>(service, url, 'bob');
  assert.deepEqual(
    affiliations.map((one) => typeof one),
    ['string', 'object'],
  );
  const back = await get(service, '/c/record?pid=labid:o&expand=%5Epart_of', 'ann');
  assert.equal((back['^part_of'] as Item[]).length, 1);
  await put(service, 'Organization', organization('q', { name: 'mine', part_of: 'labid:a' }), '/c', 'ann');
  const own = await get<{ affiliations: Item[] }>(service, url, 'ann');
  assert.deepEqual(
    own.affiliations.map(({ name }) => name),
    ['o', 'mine'],
  );
  assert.deepEqual((await get(service, '/c/record?pid=labid:o&expand=%5Epart_of', 'ann'))['^part_of'], []);
});

test('paths that the schema does not know are refused', async () => {
  const service = await emptyService();
  for (const expand of [
    'nothing',
    'part_of(Person)',
    '^part_of(Nothing)',
    'part_of..name',
    '',
    ','.repeat(30),
  ]) {
    const url = `/c/records/p/?expand=${encodeURIComponent(expand)}`;
    assert.equal((await service.request('GET', url, { token: 'bob' })).status, 422, expand);
  }
  const misspelled = await service.request('GET', '/c/records/p/?fields=pid,schema_type,nam', {
    token: 'bob',
  });
  assert.equal(misspelled.status, 422);
  assert.match(misspelled.text, /'fields' is 'nam', expected slots of the schema, such as 'name'/);
});

test('a read without `expand` and `fields` is as it was, and a wrong `shape` is refused', async () => {
  const service = await emptyService();
  await put(service, 'Organization', organization('o'));
  for (const url of [
    '/c/record?pid=labid:o',
    '/c/records/?size=1',
    '/c/records/p/?size=1',
    '/-/c/export?format=json',
  ]) {
    const plain = await service.request('GET', url, { token: 'cur' });
    assert.equal(
      (await service.request('GET', `${url}&shape=graph`, { token: 'cur' })).text,
      plain.text,
      url,
    );
    assert.equal((await service.request('GET', `${url}&shape=flat`, { token: 'cur' })).status, 422, url);
  }
});

test('without the module, reads of the specification ignore its parameters', async (t) => {
  const service = await testApp(t, configuration('sqlite'), { modules: [] });
  await put(service, 'Organization', organization('o'));
  await put(service, 'Person', person('a', { affiliations: ['labid:o'] }));
  const read = (more: string) => get(service, `/c/record?pid=labid:a${more}`);
  assert.deepEqual(await read('&expand=affiliations&fields=name'), await read(''));
  const { status } = await service.request('GET', '/-/c/export?expand=affiliations', { token: 'cur' });
  assert.equal(status, 422);
});

test('an export includes a part for each record, and for all of them no more than is in proportion', async () => {
  const service = await emptyService();
  const long = Array.from({ length: 38 }, (_, n) => `labid:z${n}`);
  const description = 'x'.repeat(100_000);
  for (const pid of long)
    await put(service, 'Organization', organization(pid.slice(6), { description }), '/c/curated');
  const [people, complete] = [25, 16];
  for (let n = 0; n < people; n++)
    await put(service, 'Person', person(`a${String(n).padStart(2, '0')}`, { affiliations: long }));
  const { text } = await service.request('GET', '/-/c/curated/export?expand=affiliations', { token: 'cur' });
  const records = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const included = records
    .slice(0, people)
    .map(({ affiliations }) => affiliations.filter((one: Json) => typeof one === 'object').length);
  assert.deepEqual(included.slice(0, complete), Array(complete).fill(long.length));
  // The first ones include 64 MB, and each one a hundred times its own length.
  assert.ok(
    included.slice(complete + 1).every((one) => one < 5),
    `${included}`,
  );
  assert.deepEqual(records[people - 1]['@truncated'], [
    { pid: records[people - 1].pid, expand: 'affiliations' },
  ]);
  assert.equal(records[people - 1].affiliations.length, long.length);
  assert.equal(records[0]['@truncated'], undefined);
});

test('values of parameters are described as they are accepted', async (t) => {
  const service = await testApp(t, {
    collections: { lab: {} },
    tokens: { writer: { lab: 'WRITE_COLLECTION' } },
  });
  await assertDescribed(service, 'writer', [
    ['/lab/records/', 'get', 'fields', ['name', ',name,,pid,', '', ',']],
    ['/lab/records/', 'get', 'expand', ['affiliations', '']],
  ]);
});
