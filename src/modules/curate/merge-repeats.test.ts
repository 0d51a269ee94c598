/** Renames and merges leave no reference twice in a list, and no record that refers to itself, unless it was so before. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sharedApp } from '../../../test/support/app.ts';

const SCHEMA = `
id: https://example.org/schema
name: example
prefixes: { ex: https://example.org/, linkml: https://w3id.org/linkml/ }
imports: [linkml:types]
default_prefix: ex
default_range: string
classes:
  Thing:
    class_uri: ex:Thing
    attributes:
      pid: { identifier: true, range: uriorcurie, required: true }
      schema_type: { designates_type: true, range: uriorcurie }
      name: {}
      friend: { range: Thing }
      friends: { range: Thing, multivalued: true }
      ordered: { range: Thing, multivalued: true, list_elements_ordered: true }
      relations: { range: Thing, multivalued: true, inlined: true }
      inlined: { range: Thing, multivalued: true, inlined: true, inlined_as_list: true }
      roles: { range: Role, multivalued: true, inlined: true, inlined_as_list: true }
      role: { range: Role, inlined: true }
      keyed: { range: Keyed, multivalued: true, inlined: true }
      short: { range: Short, multivalued: true, inlined: true }
      keyed_list: { range: Keyed, multivalued: true, inlined: true, inlined_as_list: true }
  Pair:
    is_a: Thing
    attributes:
      both: { range: Thing, multivalued: true, minimum_cardinality: 2 }
      partner: { range: Thing, required: true }
  Role:
    attributes:
      agent: { range: Thing, required: true }
      agents: { range: Thing, multivalued: true }
      about: { range: Thing }
      word: {}
  Keyed: { attributes: { agent: { key: true, range: Thing, required: true }, word: {}, also: {} } }
  Short: { attributes: { agent: { key: true, range: Thing, required: true }, word: {} } }
`;

type Json = Record<string, unknown>;
type Report = { left_out: { pid: string; path: string; reason: string }[]; detail?: unknown; id: string };

const folder = mkdtempSync(join(tmpdir(), 'accession-merge-'));
after(() => rmSync(folder, { recursive: true }));
const schema = join(folder, 'schema.yaml');
writeFileSync(schema, SCHEMA);
const emptyService = sharedApp({
  collections: { c: { schema, backend: { type: 'sqlite' } } },
  tokens: { cora: { c: 'CURATOR' } },
});

async function laboratory() {
  const { request } = await emptyService();
  const put = async (pid: string, rest: Json = {}, of = 'Thing') => {
    const json = { pid, ...rest };
    const answer = await request('POST', `/c/curated/record/${of}`, { token: 'cora', json });
    assert.equal(answer.status, 200, answer.text);
  };
  const get = async (pid: string) =>
    withoutType(
      (await request('GET', `/c/curated/record?pid=${encodeURIComponent(pid)}`, { token: 'cora' })).json(),
    ) as Json;
  const move = (path: string, json: Json, query = '') =>
    request('POST', `/-/c/curated/${path}${query}`, { token: 'cora', json });
  /** Merges `ex:drop` into `ex:keep`, and expects what the dry run says. */
  const merge = async (json: Json = {}) => {
    const sent = { keep: 'ex:keep', drop: 'ex:drop', ...json };
    const dry = await move('merge', sent, '?dry_run=true');
    assert.equal(dry.status, 200, dry.text);
    const done = await move('merge', sent);
    assert.equal(done.status, 200, done.text);
    const report = done.json<Report>();
    assert.deepEqual(report.left_out, dry.json<Report>().left_out);
    return report;
  };
  await put('ex:keep');
  await put('ex:drop');
  await put('ex:x');
  return { request, put, get, move, merge };
}

/** A record without its classes, and those of the objects in it. */
function withoutType(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutType);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'schema_type');
  return Object.fromEntries(members.map(([name, one]) => [name, withoutType(one)]));
}

const KEEP = 'https://example.org/keep';
const DROP = 'https://example.org/drop';

/** What a record has before a merge, what it has afterwards, and the paths of what is left out. */
const REPEATED: Record<string, [before: Json, after: Json, paths: string[]]> = {
  'a list, the dropped one first': [
    { friends: ['ex:drop', 'ex:x', 'ex:keep'] },
    { friends: ['ex:keep', 'ex:x'] },
    ['/friends/0'],
  ],
  'a list, the kept one first': [
    { ordered: ['ex:keep', 'ex:x', 'ex:drop'] },
    { ordered: ['ex:keep', 'ex:x'] },
    ['/ordered/2'],
  ],
  'other spellings': [{ friends: [KEEP, DROP] }, { friends: [KEEP] }, ['/friends/1']],
  'a list that had others twice': [
    { friends: ['ex:x', 'ex:x', 'ex:drop', 'ex:keep'] },
    { friends: ['ex:x', 'ex:x', 'ex:keep'] },
    ['/friends/2'],
  ],
  'a list that had the kept one twice': [
    { friends: ['ex:keep', 'ex:drop', 'ex:keep'] },
    { friends: ['ex:keep', 'ex:keep'] },
    ['/friends/1'],
  ],
  'a list that had the dropped one twice, and not the kept one': [
    { friends: ['ex:drop', 'ex:drop'] },
    { friends: ['ex:keep', 'ex:keep'] },
    [],
  ],
  'a list with the dropped one alone': [
    { friends: ['ex:drop', 'ex:x'] },
    { friends: ['ex:keep', 'ex:x'] },
    [],
  ],
  'two slots': [{ friend: 'ex:keep', friends: ['ex:drop'] }, { friend: 'ex:keep', friends: ['ex:keep'] }, []],
  'a list in an object of a list': [
    { roles: [{ agent: 'ex:x', agents: ['ex:keep', 'ex:drop'] }] },
    { roles: [{ agent: 'ex:x', agents: ['ex:keep'] }] },
    ['/roles/0/agents/1'],
  ],
  'objects that become equal': [
    { roles: [{ agent: 'ex:keep', word: 'a' }, { agent: 'ex:x' }, { agent: DROP, word: 'a' }] },
    { roles: [{ agent: 'ex:keep', word: 'a' }, { agent: 'ex:x' }] },
    ['/roles/2'],
  ],
  'objects that become equal without what one of them had twice': [
    {
      roles: [
        { agent: 'ex:x', agents: ['ex:keep'] },
        { agent: 'ex:x', agents: ['ex:drop', 'ex:keep'] },
      ],
    },
    { roles: [{ agent: 'ex:x', agents: ['ex:keep'] }] },
    ['/roles/1', '/roles/1/agents/0'],
  ],
  'two objects that both change and become equal': [
    {
      roles: [
        { agent: 'ex:keep', about: 'ex:drop' },
        { agent: 'ex:drop', about: 'ex:keep' },
      ],
    },
    { roles: [{ agent: 'ex:keep', about: 'ex:keep' }] },
    ['/roles/1'],
  ],
  'objects that say something else': [
    {
      roles: [
        { agent: 'ex:keep', word: 'a' },
        { agent: 'ex:drop', word: 'b' },
      ],
    },
    {
      roles: [
        { agent: 'ex:keep', word: 'a' },
        { agent: 'ex:keep', word: 'b' },
      ],
    },
    [],
  ],
  'a mapping by pid': [
    { relations: { 'ex:keep': {}, 'ex:drop': { name: 'D' }, 'ex:x': {} } },
    { relations: { 'ex:keep': { pid: 'ex:keep', name: 'D' }, 'ex:x': { pid: 'ex:x' } } },
    ['/relations/ex:drop'],
  ],
  'a mapping by pid, without the kept one': [
    { relations: { 'ex:drop': { name: 'D' } } },
    { relations: { 'ex:keep': { pid: 'ex:keep', name: 'D' } } },
    [],
  ],
  'a mapping by pid, in another spelling': [
    { relations: { [KEEP]: {}, [DROP]: {} } },
    { relations: { [KEEP]: { pid: KEEP } } },
    [`/relations/${DROP.replaceAll('/', '~1')}`],
  ],
  'a list of records': [
    {
      inlined: [
        { pid: 'ex:drop', name: 'D', friend: 'ex:x' },
        { pid: 'ex:keep', name: 'K' },
      ],
    },
    { inlined: [{ pid: 'ex:keep', name: 'K', friend: 'ex:x' }] },
    ['/inlined/0'],
  ],
  'a list in a record of a list': [
    { inlined: [{ pid: 'ex:y', friends: ['ex:drop', 'ex:keep'] }] },
    { inlined: [{ pid: 'ex:y', friends: ['ex:keep'] }] },
    ['/inlined/0/friends/0'],
  ],
  'a mapping by a reference': [
    { keyed: { 'ex:keep': { word: 'k' }, 'ex:drop': { word: 'd', also: 'd' } } },
    { keyed: { 'ex:keep': { agent: 'ex:keep', word: 'k', also: 'd' } } },
    ['/keyed/ex:drop'],
  ],
  'a mapping by a reference, without the kept one': [
    { keyed: { 'ex:drop': { word: 'd' } } },
    { keyed: { 'ex:keep': { agent: 'ex:keep', word: 'd' } } },
    [],
  ],
  'a mapping to single values': [
    { short: { 'ex:keep': 'k', 'ex:drop': 'd' } },
    { short: { 'ex:keep': 'k' } },
    ['/short/ex:drop'],
  ],
  'a mapping to single values, without the kept one': [
    { short: { 'ex:drop': 'd' } },
    { short: { 'ex:keep': 'd' } },
    [],
  ],
  'a list with keys': [
    {
      keyed_list: [
        { agent: 'ex:drop', word: 'd' },
        { agent: 'ex:keep', also: 'k' },
      ],
    },
    { keyed_list: [{ agent: 'ex:keep', word: 'd', also: 'k' }] },
    ['/keyed_list/0'],
  ],
};

for (const [name, [before, after, paths]] of Object.entries(REPEATED)) {
  test(`a merge leaves no reference twice: ${name}`, async () => {
    const { put, get, merge, request } = await laboratory();
    await put('ex:list', before);
    const stored = await get('ex:list');
    const { left_out, id } = await merge();
    assert.deepEqual(await get('ex:list'), { pid: 'ex:list', ...after });
    const expected = paths.map((path) => ({ pid: 'ex:list', path, reason: 'repeated' }));
    assert.deepEqual(left_out, expected);
    const undone = await request('POST', `/-/c/moves/${id}/undo`, { token: 'cora' });
    assert.equal(undone.status, 200, undone.text);
    assert.deepEqual(await get('ex:list'), stored);
  });
}

/** What the kept and the dropped record have, what the kept one has afterwards, and what is left out. */
const ITSELF: Record<string, [keep: Json, drop: Json, after: Json, leftOut: string[]]> = {
  'the kept one refers to the dropped one': [{ friend: 'ex:drop' }, {}, {}, ['ex:keep /friend']],
  'the dropped one refers to the kept one': [{}, { friend: 'ex:keep' }, {}, ['ex:drop /friend']],
  'each refers to the other': [
    { friends: ['ex:drop', 'ex:x'] },
    { friends: ['ex:keep'] },
    { friends: ['ex:x'] },
    ['ex:keep /friends/0', 'ex:drop /friends/0'],
  ],
  'the other one has a value in its place': [
    { friend: 'ex:drop' },
    { friend: 'ex:x' },
    { friend: 'ex:x' },
    ['ex:keep /friend'],
  ],
  'the dropped one refers to itself': [{}, { friends: [DROP] }, {}, ['ex:drop /friends/0']],
  'the kept one has referred to itself before': [{ friend: 'ex:keep' }, {}, { friend: 'ex:keep' }, []],
  'in an object': [
    { role: { agent: 'ex:x', about: 'ex:drop' } },
    {},
    { role: { agent: 'ex:x' } },
    ['ex:keep /role/about'],
  ],
  'in a list of an object of a list': [
    { roles: [{ agent: 'ex:x', agents: ['ex:drop', 'ex:x'] }] },
    {},
    { roles: [{ agent: 'ex:x', agents: ['ex:x'] }] },
    ['ex:keep /roles/0/agents/0'],
  ],
  'required in an object, which is left out with it': [
    { roles: [{ agent: 'ex:drop', word: 'a' }, { agent: 'ex:x' }] },
    { role: { agent: 'ex:keep' } },
    { roles: [{ agent: 'ex:x' }] },
    ['ex:keep /roles/0', 'ex:drop /role'],
  ],
  'a mapping by pid': [{ relations: { 'ex:drop': {} } }, {}, {}, ['ex:keep /relations/ex:drop']],
  'a mapping by a reference': [
    { keyed: { 'ex:drop': { word: 'd' }, 'ex:x': { word: 'x' } }, short: { 'ex:drop': 'd' } },
    {},
    { keyed: { 'ex:x': { agent: 'ex:x', word: 'x' } } },
    ['ex:keep /keyed/ex:drop', 'ex:keep /short/ex:drop'],
  ],
  'in a record that is inlined': [
    { inlined: [{ pid: 'ex:y', friends: ['ex:drop', 'ex:x'] }] },
    {},
    { inlined: [{ pid: 'ex:y', friends: ['ex:x'] }] },
    ['ex:keep /inlined/0/friends/0'],
  ],
};

for (const [name, [keep, drop, after, leftOut]] of Object.entries(ITSELF)) {
  test(`a merge leaves no record that refers to itself: ${name}`, async () => {
    const { put, get, merge } = await laboratory();
    await put('ex:keep', keep);
    await put('ex:drop', drop);
    const { left_out } = await merge();
    assert.deepEqual(await get('ex:keep'), { pid: 'ex:keep', ...after });
    assert.ok(left_out.every(({ reason }) => reason === 'itself'));
    assert.deepEqual(
      left_out.map(({ pid, path }) => `${pid} ${path}`),
      leftOut,
    );
  });
}

test('merges in several steps leave no reference twice', async () => {
  const { put, get, merge } = await laboratory();
  await put('ex:list', { friends: ['ex:x', 'ex:drop', 'ex:keep'] });
  await merge({ keep: 'ex:x', drop: 'ex:drop' });
  assert.deepEqual((await get('ex:list')).friends, ['ex:x', 'ex:keep']);
  await merge({ keep: 'ex:keep', drop: 'ex:x' });
  assert.deepEqual((await get('ex:list')).friends, ['ex:keep']);
});

test('a rename to a pid that was referred to leaves no reference twice and none to itself', async () => {
  const { put, get, move } = await laboratory();
  await put('ex:list', { friends: ['ex:drop', 'ex:late'] });
  await put('ex:drop', { friends: ['ex:drop', 'ex:late', 'ex:x'] });
  const done = await move('rename', { from: 'ex:drop', to: 'ex:late' });
  assert.equal(done.status, 200, done.text);
  assert.deepEqual((await get('ex:list')).friends, ['ex:late']);
  assert.deepEqual(
    (await get('ex:late')).friends,
    ['ex:late', 'ex:x'],
    'the reference to itself was there before',
  );
  assert.deepEqual(
    done.json<Report>().left_out.map(({ pid, path, reason }) => `${pid} ${path} ${reason}`),
    ['ex:drop /friends/1 itself', 'ex:list /friends/0 repeated'],
  );
});

test('a merge is refused if a record cannot be without what is left out', async () => {
  const { put, get, move } = await laboratory();
  await put('ex:pair', { both: ['ex:keep', 'ex:drop'], partner: 'ex:x' }, 'Pair');
  const json = { keep: 'ex:keep', drop: 'ex:drop' };
  for (const query of ['', '?dry_run=true']) {
    const refused = await move('merge', json, query);
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /'ex:pair' would be invalid without \/both\/1/);
  }
  await put('ex:pair', { both: ['ex:keep', 'ex:x'], partner: 'ex:x' }, 'Pair');
  await put('ex:keep', { partner: 'ex:drop' }, 'Pair');
  const own = await move('merge', { ...json, take: { '/schema_type': 'keep' } });
  assert.equal(own.status, 400, own.text);
  assert.match(own.text, /'ex:keep' would be invalid without \/partner/);
  assert.equal((await get('ex:drop')).pid, 'ex:drop', 'nothing has changed');
  await put('ex:drop', { partner: 'ex:x' }, 'Pair');
  assert.equal((await move('merge', json)).status, 200);
  assert.equal((await get('ex:keep')).partner, 'ex:x', 'the other record has a value');
});
