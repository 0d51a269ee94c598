/** Administration over HTTP (specification 4.3): who may, with what answers, and what changes at once. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  ADMIN,
  LABORATORY,
  type TestAnswer,
  type TestRequest,
  type TestService,
  testApp,
} from '../support/app.ts';
import { ENDPOINTS, exampleOf, pathOf } from '../support/endpoints.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { lab: {} },
  tokens: {
    nobody: { lab: 'NOTHING' },
    reader: { lab: 'READ_CURATED' },
    writer: { lab: 'WRITE_COLLECTION' },
    curator: { lab: 'CURATOR' },
  },
};

const notes = {
  name: 'notes',
  schema: LABORATORY,
  default_token: 'nobody',
  curated: 'notes/curated',
  incoming: 'notes/in',
};
const alice = {
  name: 'alice',
  user_id: 'a',
  collections: { lab: { mode: 'WRITE_INCOMING', incoming_label: 'alice' } },
};
const HASH = sha256('root-secret');

/** Sends what the administrator sends. */
function admin(service: TestService, method: string, url: string, json?: unknown): Promise<TestAnswer> {
  return service.request(method, url, json === undefined ? { token: ADMIN } : { token: ADMIN, json });
}

test('only administrators change the configuration', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const before = (await admin(service, 'GET', '/collections')).text;
  for (const endpoint of ENDPOINTS.filter(({ need }) => need === 'admin')) {
    const { method } = endpoint;
    const url = pathOf(endpoint, { collection: 'lab', name: 'lab' });
    const bodies = method === 'GET' || method === 'DELETE' ? [undefined] : [exampleOf(endpoint), { x: true }];
    // The token is checked before the body.
    for (const token of [undefined, 'reader', 'writer', 'curator', 'unknown', sha256(ADMIN)])
      for (const json of bodies) {
        const answer = await service.request(method, url, { token, json });
        assert.equal(answer.status, 401, `${method} ${url} as ${token}`);
        assert.match(answer.json<{ detail: string }>().detail, /admin token/);
      }
  }
  assert.equal((await admin(service, 'GET', '/collections')).text, before);
});

test('a collection is created, listed, read, replaced and deleted', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const created = await admin(service, 'POST', '/collections', notes);
  assert.deepEqual(
    [created.status, created.text, created.headers.location],
    [201, 'null', '/collections/notes'],
  );
  const listed = (await admin(service, 'GET', '/collections')).json<{ name: string }[]>();
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['lab', 'notes'],
  );
  const one = (await admin(service, 'GET', '/collections/notes')).json<{ audit_backends?: [] }>();
  assert.deepEqual({ name: 'notes', ...one }, listed[1]);
  const { audit_backends: _, ...ofTheCore } = one;
  assert.deepEqual(ofTheCore, {
    schema: LABORATORY,
    default_token: 'nobody',
    curated: 'notes/curated',
    incoming: 'notes/in',
    backend: { type: 'record_dir+stl', mapping_method: 'digest-md5' },
    auth_sources: [{ type: 'config' }],
    submission_tags: {
      submitter_id_tag: 'http://purl.obolibrary.org/obo/NCIT_C54269',
      submission_time_tag: 'http://semanticscience.org/resource/SIO_001083',
    },
    use_classes: [],
    ignore_classes: [],
  });
  const narrowed = await admin(service, 'PUT', '/collections/notes', { ...one, use_classes: ['Person'] });
  assert.deepEqual([narrowed.status, narrowed.headers.location], [201, '/collections/notes']);
  const { collections } = (await service.request('GET', '/server')).json<{
    collections: { classes: string[] }[];
  }>();
  assert.deepEqual(collections[1]?.classes, ['Person']);
  const deleted = await admin(service, 'DELETE', '/collections/notes');
  assert.deepEqual([deleted.status, deleted.text], [200, 'null']);
  assert.equal((await service.request('GET', '/notes/records/')).status, 404);
  assert.equal((await admin(service, 'GET', '/collections/notes')).status, 404);
});

test('of two administrators who have read the same element, the second one to replace it is refused', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  for (const [kind, name] of [
    ['collections', 'lab'],
    ['tokens', 'reader'],
  ]) {
    const url = `/${kind}/${name}`;
    const put = (json: object, headers: Record<string, string>) =>
      service.request('PUT', url, { token: ADMIN, json, headers });
    const found = await admin(service, 'GET', url);
    const { etag } = found.headers as { etag: string };
    const element = found.json<object>();
    const changed =
      kind === 'tokens' ? { ...element, user_id: 'other' } : { ...element, use_classes: ['Person'] };
    assert.equal((await put(element, { 'if-match': etag })).status, 201, 'as it was');
    assert.equal((await put(changed, { 'if-match': etag })).status, 201);
    assert.equal((await put(element, { 'if-match': etag })).status, 412);
    assert.notEqual((await admin(service, 'GET', url)).headers.etag, etag);
    assert.equal((await put(element, { 'if-none-match': '*' })).status, 412);
    assert.equal((await put(element, { 'if-match': '*' })).status, 201);
    assert.equal((await admin(service, 'GET', url)).headers.etag, etag);
  }
  const none = { token: ADMIN, json: { ...notes }, headers: { 'if-match': '*' } };
  assert.equal((await service.request('PUT', '/collections/notes', none)).status, 412);
  assert.equal((await admin(service, 'GET', '/collections/notes')).status, 404);
});

test('a collection that comes back has its data', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  await service.request('POST', '/lab/curated/record/Person', { token: 'curator', json: person('ann') });
  const config = (await admin(service, 'GET', '/collections/lab')).json<object>();
  await admin(service, 'DELETE', '/collections/lab');
  await admin(service, 'PUT', '/collections', { name: 'lab', ...config });
  const found = await service.request('GET', '/lab/record?pid=labid:ann', { token: 'reader' });
  assert.equal(found.json<{ pid: string }>().pid, 'labid:ann');
});

test('a token is created with a generated secret, works at once, and is refused after it is deleted', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const created = await admin(service, 'POST', '/tokens', alice);
  assert.deepEqual([created.status, created.headers.location], [201, '/tokens/alice']);
  const token = created.json<{ representation: string }>();
  assert.deepEqual(Object.keys(token).sort(), ['collections', 'hashed', 'name', 'representation', 'user_id']);
  assert.match(token.representation, /^[0-9a-f]{48}$/);
  assert.deepEqual((await admin(service, 'GET', '/tokens/alice')).json(), token);
  const store = () =>
    service.request('POST', '/lab/record/Person', { token: token.representation, json: person('ann') });
  assert.equal((await store()).status, 200);
  assert.deepEqual((await admin(service, 'DELETE', '/tokens/alice')).text, 'null');
  assert.equal((await store()).status, 401);
});

test('a token is read, changed, and replaced as a whole', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const token = (await admin(service, 'GET', '/tokens/writer')).json<object>();
  for (const url of ['/tokens', '/tokens/writer']) {
    const answer = await admin(service, 'PUT', url, { ...token, user_id: 'someone' });
    assert.deepEqual([answer.status, answer.headers.location], [201, '/tokens/writer']);
    assert.deepEqual(answer.json(), { ...token, user_id: 'someone' });
  }
  assert.equal((await service.request('GET', '/lab/records/', { token: 'writer' })).status, 200);
});

test('booleans and numbers of a body may be written as in a configuration file', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  for (const hashed of ['yes', 1, 'F']) {
    const { status, text } = await admin(service, 'PUT', '/tokens/alice', { ...alice, hashed });
    assert.equal(status, 201, text);
    const stored = (await admin(service, 'GET', '/tokens/alice')).json<{ hashed: boolean }>();
    assert.equal(stored.hashed, hashed !== 'F');
  }
});

test('a hashed token is sent in plain text, and its secret cannot be read again', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  await admin(service, 'PUT', '/tokens', { ...alice, hashed: true, representation: sha256('my secret') });
  assert.equal((await service.request('GET', '/lab/records/', { token: 'my secret' })).status, 200);
  assert.equal((await service.request('GET', '/lab/records/', { token: sha256('my secret') })).status, 401);

  const created = await admin(service, 'POST', '/tokens', { ...alice, name: 'bob', hashed: true });
  const { representation } = created.json<{ representation: string }>();
  assert.equal((await service.request('GET', '/lab/records/', { token: representation })).status, 200);
  const kept = (await admin(service, 'GET', '/tokens/bob')).json<{
    representation: string;
    hashed: boolean;
  }>();
  assert.deepEqual([kept.representation, kept.hashed], [sha256(representation), true]);
});

test('admin tokens are stored as hashes, and the one of the command line is listed last', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const created = await admin(service, 'POST', '/admin_tokens', { name: 'root', representation: HASH });
  assert.deepEqual([created.status, created.text, created.headers.location], [201, 'null', undefined]);
  const bootstrap = { name: '__bootstrap__', representation: sha256(ADMIN) };
  assert.deepEqual((await admin(service, 'GET', '/admin_tokens')).json(), [
    { name: 'root', representation: HASH },
    bootstrap,
  ]);
  assert.deepEqual((await admin(service, 'GET', '/admin_tokens/__bootstrap__')).json(), bootstrap);
  assert.equal((await service.request('GET', '/tokens', { token: 'root-secret' })).status, 200);
  const next = { name: 'root', representation: sha256('next') };
  assert.equal(
    (await service.request('PUT', '/admin_tokens', { token: 'root-secret', json: next })).status,
    201,
  );
  assert.equal((await service.request('GET', '/tokens', { token: 'root-secret' })).status, 401);
  assert.equal((await admin(service, 'DELETE', '/admin_tokens/root')).text, 'null');
  assert.equal((await service.request('GET', '/tokens', { token: 'next' })).status, 401);
});

type Row = readonly [
  name: string,
  status: number,
  method: string,
  url: string,
  request: TestRequest,
  contains: RegExp,
];

const json = (value: unknown): TestRequest => ({ json: value });
const REFUSED: readonly Row[] = [
  ['a name that is taken', 409, 'POST', '/collections', json({ ...notes, name: 'lab' }), /lab/],
  ['a reserved name', 409, 'POST', '/collections', json({ ...notes, name: 'server' }), /reserved/],
  ['a reserved name in a PUT', 409, 'PUT', '/collections/-', json({ ...notes, name: '-' }), /reserved/],
  [
    'a name that ends with a slash',
    422,
    'POST',
    '/collections',
    json({ ...notes, name: 'a/' }),
    /"loc":\["body","name"\]/,
  ],
  [
    'a name that an area of another collection would hide',
    409,
    'PUT',
    '/collections/lab/curated',
    json({ ...notes, name: 'lab/curated' }),
    /an area of another collection/,
  ],
  ['another name in the path', 422, 'PUT', '/collections/other', json(notes), /"loc":\["body","name"\]/],
  [
    'an unknown key',
    422,
    'POST',
    '/collections',
    json({ ...notes, path: 'x' }),
    /"loc":\["body","path"\].*expected one of/,
  ],
  [
    'an unknown key within',
    422,
    'POST',
    '/collections',
    json({ ...notes, backend: { type: 'sqlite', x: 1 } }),
    /"body","backend","x"/,
  ],
  [
    'a missing key',
    422,
    'POST',
    '/collections',
    json({ ...notes, schema: undefined }),
    /"loc":\["body","schema"\]/,
  ],
  ['no object', 422, 'POST', '/collections', json([notes]), /expected a mapping, found a list/],
  ['no body', 400, 'POST', '/collections', {}, /no body/],
  [
    'no JSON',
    400,
    'POST',
    '/tokens',
    { body: '{"name"', headers: { 'content-type': 'application/json' } },
    /not JSON/,
  ],
  [
    'a path out of the store',
    406,
    'POST',
    '/collections',
    json({ ...notes, curated: '../notes' }),
    /leads out of the store/,
  ],
  [
    'an absolute path',
    406,
    'PUT',
    '/collections/notes',
    json({ ...notes, incoming: '/tmp/in' }),
    /leads out of the store/,
  ],
  [
    'no incoming although a token writes',
    406,
    'PUT',
    '/collections/lab',
    json({ ...notes, name: 'lab', incoming: null }),
    /writer/,
  ],
  [
    'a schema that is not there',
    422,
    'POST',
    '/collections',
    json({ ...notes, schema: 'no-such-schema.yaml' }),
    /schema/,
  ],
  ['an unknown collection', 404, 'GET', '/collections/other', {}, /other/],
  ['deleting an unknown collection', 404, 'DELETE', '/collections/constructor', {}, /constructor/],
  ['a token name that is taken', 409, 'POST', '/tokens', json({ ...alice, name: 'writer' }), /writer/],
  [
    'a secret that is taken',
    409,
    'POST',
    '/tokens',
    json({ ...alice, representation: 'writer' }),
    /same representation/,
  ],
  [
    'a token for an unknown collection',
    404,
    'POST',
    '/tokens',
    json({ ...alice, collections: { x: { mode: 'NOTHING' } } }),
    /'x'/,
  ],
  [
    'a writing token without label',
    406,
    'POST',
    '/tokens',
    json({ ...alice, collections: { lab: { mode: 'SUBMIT' } } }),
    /incoming_label/,
  ],
  [
    'a label that leads out',
    422,
    'POST',
    '/tokens',
    json({ ...alice, collections: { lab: { mode: 'SUBMIT', incoming_label: '../x' } } }),
    /slash/,
  ],
  [
    'an unknown mode',
    422,
    'POST',
    '/tokens',
    json({ ...alice, collections: { lab: { mode: 'WRITE' } } }),
    /"body","collections","lab","mode"/,
  ],
  [
    'a malformed hash',
    406,
    'POST',
    '/tokens',
    json({ ...alice, hashed: true, representation: 'secret' }),
    /64 hexadecimal/,
  ],
  ['a missing token', 404, 'GET', '/tokens/other', {}, /other/],
  ['deleting a default token', 406, 'DELETE', '/tokens/nobody', {}, /default token of the collection 'lab'/],
  [
    'an admin token in plain text',
    406,
    'POST',
    '/admin_tokens',
    json({ name: 'root', representation: 'secret' }),
    /64 hexadecimal/,
  ],
  [
    'the reserved admin token name',
    409,
    'PUT',
    '/admin_tokens',
    json({ name: '__bootstrap__', representation: HASH }),
    /reserved/,
  ],
  ['a missing admin token', 404, 'GET', '/admin_tokens/root', {}, /root/],
  [
    'deleting the admin token of the command line',
    404,
    'DELETE',
    '/admin_tokens/__bootstrap__',
    {},
    /__bootstrap__/,
  ],
  [
    'a method that is not there',
    405,
    'PATCH',
    '/tokens',
    json(alice),
    /The method PATCH is not supported here, expected GET or HEAD or POST or PUT/,
  ],
];

test('an invalid change is refused with a reason and changes nothing', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const lists = async () => {
    const answers = await Promise.all(
      ['/collections', '/tokens', '/admin_tokens'].map((url) => admin(service, 'GET', url)),
    );
    // After a restart they stand in the order of their names.
    return answers.map((answer) =>
      answer.json<{ name: string }[]>().sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  };
  const before = await lists();
  for (const [name, status, method, url, request, contains] of REFUSED) {
    await t.test(name, async () => {
      const answer = await service.request(method, url, { token: ADMIN, ...request });
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.text, contains);
      assert.ok(!answer.text.includes(service.store), 'the answer tells no path of the machine');
      assert.deepEqual(await lists(), before);
    });
  }
  await service.restart();
  assert.deepEqual(await lists(), before);
  assert.equal((await service.request('GET', '/lab/records/', { token: 'writer' })).status, 200);
});

test('thirty replacements at the same time: the result is one of them, whole', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const candidates = Array.from({ length: 30 }, (_, index) => ({
    name: 'busy',
    user_id: `user-${index}`,
    collections: { lab: { mode: 'WRITE_COLLECTION', incoming_label: `zone-${index}` } },
    hashed: false,
    representation: `secret-${index}`,
  }));
  const answers = await Promise.all(
    candidates.map((candidate) => admin(service, 'PUT', '/tokens', candidate)),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  const result = (await admin(service, 'GET', '/tokens/busy')).json<{ user_id: string }>();
  assert.deepEqual(
    result,
    candidates.find(({ user_id }) => user_id === result.user_id),
  );
  await service.restart();
  assert.deepEqual((await admin(service, 'GET', '/tokens/busy')).json(), result);
});

test('names with letters of all alphabets are listed and found', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const created = await admin(service, 'POST', '/collections', { ...notes, name: 'Mäuse-数' });
  assert.equal(created.headers.location, '/collections/M%C3%A4use-%E6%95%B0');
  assert.equal((await admin(service, 'GET', created.headers.location ?? '')).status, 200);
  assert.equal((await service.request('GET', '/M%C3%A4use-%E6%95%B0/records/')).status, 401);
});

test('requests in progress finish with the configuration that they started with', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const stores = Array.from({ length: 20 }, (_, index) =>
    service.request('POST', '/lab/record/Person', { token: 'writer', json: person(`p${index}`) }),
  );
  const deleted = admin(service, 'DELETE', '/collections/lab');
  const statuses = (await Promise.all(stores)).map(({ status }) => status);
  assert.equal((await deleted).status, 200);
  assert.ok(
    statuses.every((status) => status === 200 || status === 404),
    statuses.join(),
  );
  assert.equal((await service.request('GET', '/lab/records/', { token: 'writer' })).status, 404);
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
