/** The client library against a service, and against a transport that fails. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ClientError, connect, type Fetch } from '../../src/client/client.ts';
import { allLines } from '../../src/client/lines.ts';
import { listening } from '../cli/service.ts';

const ada = { pid: 'labid:ada', name: 'Ada', family_name: 'Byron' };

test('a line that does not end is refused before it fills the memory', async () => {
  async function* endless() {
    yield 'first\nsec';
    yield 'ond\n';
    for (;;) yield 'x'.repeat(300);
  }
  const read: string[] = [];
  await assert.rejects(
    async () => {
      for await (const line of allLines(endless(), 1000)) read.push(line);
    },
    (error) => error instanceof ClientError && /A line has more than 1000 characters/.test(error.message),
  );
  assert.deepEqual(read, ['first', 'second']);
});

test('the library needs nothing but itself and fetch, so that browsers can load it', () => {
  const folder = resolve(import.meta.dirname, '../../src/client');
  const imports = globSync('*.ts', { cwd: folder }).flatMap((file) =>
    [...readFileSync(resolve(folder, file), 'utf8').matchAll(/from '([^']+)'/g)].map(
      ([, name]) => name as string,
    ),
  );
  assert.ok(imports.length > 5);
  // The example in the first comment imports the library itself; types are erased; errors and pauses import nothing.
  const own = [
    'accession/client',
    '../core/http/api-types.ts',
    '../core/errors.ts',
    '../core/retry-after.ts',
  ];
  assert.deepEqual(
    imports.filter((name) => !name.startsWith('./') && !own.includes(name)),
    [],
  );
  const types = readFileSync(resolve(folder, 'types.ts'), 'utf8');
  assert.match(types, /export type \{[^}]*\} from '\.\.\/core\/http\/api-types\.ts'/);
});

test('records are stored, read, listed, exported and deleted, with their entity tags', async (t) => {
  const { url } = await listening(t);
  const { curated } = connect({ url, token: 'cur' }).collection('lab');
  const etag = await curated.put('Person', ada);
  const found = await curated.get('labid:ada');
  assert.deepEqual(found?.record.name, 'Ada');
  assert.equal(found?.etag, etag);
  await assert.rejects(curated.put('Person', ada, { ifNoneMatch: '*' }), { status: 412 });
  await curated.put('Person', { ...ada, name: 'Ada B.' }, { ifMatch: etag });
  await assert.rejects(curated.delete('labid:ada', { ifMatch: etag }), { status: 412 });
  const many = Array.from({ length: 150 }, (_, i) => JSON.stringify({ ...ada, pid: `labid:p${i}` }));
  const results = await curated.putMany(many, 'Person');
  assert.ok(results.every(({ status }) => status === 200));
  const listed = (await Array.fromAsync(curated.records({ className: 'Person' }))).map(({ pid }) => pid);
  const exported = (await Array.fromAsync(curated.exportLines())).map((text) => JSON.parse(text).pid);
  assert.equal(listed.length, 151);
  assert.deepEqual(exported, listed);
  assert.match((await Array.fromAsync(curated.exportTurtle())).join(''), /a schema:Person/);
  assert.match((await curated.getTurtle('labid:ada')) ?? '', /Ada B\./);
  await curated.delete('labid:ada');
  assert.equal(await curated.get('labid:ada'), undefined);
  assert.equal(await curated.getText('labid:ada'), undefined);
});

test('with the types of its classes, a collection returns records of these types', async (t) => {
  type Person = { pid: string; name?: string; family_name: string };
  type Organization = { pid: string; founded?: number };
  type Classes = { Person: Person; Organization: Organization; Agent: Person | Organization };
  const { url } = await listening(t);
  const lab = connect({ url, token: 'cur' }).collection<Classes>('lab');
  const { curated } = lab;
  await curated.put('Person', ada);
  const read: Person | undefined = await curated.read('Person', 'labid:ada');
  assert.equal(read?.family_name, 'Byron');
  assert.equal((await lab.read('Agent', 'labid:ada'))?.pid, 'labid:ada');
  assert.equal(await curated.read('Organization', 'labid:ada'), undefined, 'it is of another class');
  assert.equal(await curated.read('Person', 'labid:none'), undefined);
  const { items } = await curated.search({ class: 'Person', q: 'byron' });
  assert.deepEqual(
    items.map(({ family_name }) => family_name),
    ['Byron'],
  );
  for await (const one of curated.records({ className: 'Organization' })) {
    // @ts-expect-error an organization has no such slot
    assert.equal(one.family_name, undefined);
  }
  // @ts-expect-error there is no such class
  await assert.rejects(curated.read('Persn', 'labid:ada'), { status: 404 });
});

test('zones, histories, the user and the configuration', async (t) => {
  const { url } = await listening(t);
  const service = connect({ url: `${url}/`, token: 'ann' });
  await service.collection('lab').put('Person', ada, { addSubmissionTag: true });
  const cur = connect({ url, token: 'cur' });
  const lab = cur.collection('lab');
  assert.ok((await lab.labels()).includes('ann'));
  assert.equal((await lab.incoming('ann').page()).total, 1);
  assert.deepEqual((await service.server()).collections.map(({ name }) => name).sort(), ['copy', 'lab']);
  const me = await service.me('lab');
  assert.equal(me.user_id, 'ann@example.org');
  assert.equal(me.collections.lab?.label, 'ann');
  const people = (await lab.classes()).find((one) => one.class === 'Person');
  assert.equal(people?.class, 'Person');
  assert.ok(
    (await lab.class('Person')).slots.some(({ name, required }) => name === 'family_name' && required),
  );
  assert.equal((await service.collection('lab').titles(['labid:ada']))['labid:ada']?.title, 'Ada');
  assert.equal((await service.health()).status, 'ok');
  await lab.curated.put('Person', ada, { authorId: 'ann@example.org' });
  assert.equal((await lab.history('labid:ada')).length, 1);
  const admin = connect({ url, token: 'admin-secret' }).configuration;
  await admin.put('tokens', { name: 'new', user_id: 'new', collections: {} });
  assert.ok((await admin.list('tokens')).some(({ name }) => name === 'new'));
  await admin.remove('tokens', 'new');
});

test('a refusal is an error with its status, its code and every problem', async (t) => {
  const { url } = await listening(t);
  const lab = connect({ url, token: 'cur' }).collection('lab');
  await assert.rejects(lab.curated.put('Person', { pid: 'labid:a', email: 'no' }), (error: ClientError) => {
    assert.ok(error instanceof ClientError);
    assert.equal(error.status, 400);
    assert.ok(error.problems.length >= 3, error.message);
    return true;
  });
  await assert.rejects(connect({ url }).collection('none').get('labid:a'), { status: 404 });
});

test('arguments of another type are refused before a request is sent', async () => {
  const client = connect({ url: 'http://x', fetch: () => assert.fail('a request was sent') });
  const wrong = { method: 'GET', pid: 'labid:a' } as unknown as string;
  await assert.rejects(client.send(wrong, '/server'), /Expected a method and a path, such as send\("GET"/);
  await assert.rejects(client.collection('lab').history(wrong), /pid: expected a string, found an object/);
});

test('requests that change nothing are marked as safe, whatever their method', async () => {
  const sent: string[] = [];
  const fetch: Fetch = async (url, { method, safe }) => {
    if (safe) sent.push(`${method} ${new URL(url).pathname}`);
    return new Response('[{}]');
  };
  const lab = connect({ url: 'http://x', fetch }).collection('lab');
  await lab.schema();
  await lab.put('Person', '{}');
  await lab.validate('Person', {});
  await lab.validateMany(['{}'], 'Person');
  await lab.putMany(['{}'], 'Person');
  await lab.getMany(['x']);
  await lab.titles(['x']);
  await lab.tryPolicies({});
  await lab.setPublic(true);
  assert.deepEqual(sent, [
    'GET /-/lab/schema',
    'POST /lab/validate/record/Person',
    'POST /-/lab/validate/records/Person',
    'POST /-/lab/read',
    'POST /-/lab/titles',
    'POST /-/lab/policies/dry-run',
  ]);
});

test('a service that is busy is asked again, one that refuses is not', async () => {
  const statuses = [503, 429, 200];
  let calls = 0;
  const busy = async () => {
    const status = statuses[calls] as number;
    calls += 1;
    return new Response('{"version":"1","collections":[]}', { status, headers: { 'retry-after': '0' } });
  };
  assert.deepEqual((await connect({ url: 'http://x', fetch: busy }).server()).collections, []);
  assert.equal(calls, 3);
  calls = 0;
  const refusing = async () => {
    calls += 1;
    return new Response('{"detail":"no"}', { status: 403 });
  };
  await assert.rejects(connect({ url: 'http://x', fetch: refusing }).server(), {
    status: 403,
    message: 'no',
  });
  assert.equal(calls, 1);
  const gone = async () => {
    throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
  };
  await assert.rejects(connect({ url: 'http://x', fetch: gone, retries: 0 }).server(), {
    status: 0,
    message: 'The service at http://x cannot be reached: no program listens there.',
  });
  await assert.rejects(connect({ url: 'nowhere', retries: 0 }).server(), { message: /: it is not a URL\.$/ });
});

test('a token that no header can have is refused, and is in no error', async () => {
  for (const token of ['secret\nsecret', 'secret 日本'])
    await assert.rejects(connect({ url: 'http://x', token }).server(), (error: ClientError) => {
      assert.match(error.message, /^The token has a character that a header cannot have/);
      assert.doesNotMatch(inspect(error), /secret/);
      return error.name === 'ClientError' && error.status === 0;
    });
});

test('a response that breaks off is an error of the client, however it is read', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"pid":', () => response.destroy());
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const client = connect({ url: `http://127.0.0.1:${port}`, retries: 0 });
  const collection = client.collection('c');
  for (const read of [
    () => client.me(),
    () => collection.get('x:a'),
    () => collection.getText('x:a'),
    () => collection.schema(),
    () => client.configuration.read('collections', 'c'),
    () => Array.fromAsync(collection.exportLines()),
  ])
    await assert.rejects(read, { name: 'ClientError', status: 0, message: /cannot be reached/ });
});
