/** Storing and validating records in the user area (specification 4.1, rules 1, 2, 8 and 9; 2.1). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sharedApp, testApp } from '../support/app.ts';
import { organization, person, storedPerson, turtlePerson } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {}, plain: { backend: 'record_dir' }, sql: { backend: 'sqlite' } },
  tokens: {
    ann: { c: 'WRITE_COLLECTION', plain: 'WRITE_COLLECTION', sql: 'WRITE_COLLECTION' },
    bob: { c: 'WRITE_COLLECTION' },
    reader: { c: 'READ_COLLECTION' },
  },
};
/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

type Thing = {
  pid: string;
  schema_type: string;
  annotations?: Record<string, unknown>;
  relations?: Record<string, Thing>;
};

test('a store returns the list of stored records with sorted keys and schema_type', async () => {
  const { request } = await emptyService();
  for (const collection of ['c', 'plain', 'sql']) {
    const answer = await request('POST', `/${collection}/record/Person`, {
      token: 'ann',
      json: person('ada'),
    });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.deepEqual(answer.json(), [storedPerson('ada')]);
    assert.equal(
      answer.text,
      '[{"family_name":"ada","name":"ada","pid":"labid:ada","schema_type":"schema:Person"}]',
    );
    const read = await request('GET', `/${collection}/record?pid=labid:ada`, { token: 'ann' });
    assert.equal(`[${read.text}]`, answer.text);
  }
});

test('what reads return is stored again, also under a schema without the slot schema_type', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-small-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const schema = join(folder, 'schema.yaml');
  writeFileSync(schema, SMALL_SCHEMA);
  const { request } = await testApp(t, {
    collections: { notes: { schema } },
    tokens: { ann: { notes: 'WRITE_COLLECTION' } },
  });
  const token = 'ann';
  await request('POST', '/notes/record/Person', { token, json: { pid: 'ex:a', name: 'Ada' } });
  const read = (await request('GET', '/notes/record?pid=ex:a', { token })).json<object>();
  assert.deepEqual(read, { name: 'Ada', pid: 'ex:a', schema_type: 'ex:Person' });
  const again = await request('POST', '/notes/record/Person', { token, json: { ...read, name: 'Ada L.' } });
  assert.equal(again.status, 200, again.text);
  const line = await request('POST', '/-/notes/records/', {
    token,
    body: `${JSON.stringify(read)}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  assert.match(line.text, /"status":200/);
  const other = await request('POST', '/notes/record/Person', {
    token,
    json: { ...read, schema_type: 'ex:Place' },
  });
  assert.equal(other.status, 400);
  assert.match(other.text, /schema_type: the class Person has no slot of this name/);
});

const SMALL_SCHEMA = `id: https://example.org/small
name: small
prefixes: {linkml: 'https://w3id.org/linkml/', ex: 'https://example.org/'}
default_prefix: ex
imports: [linkml:types]
classes:
  Person: {attributes: {pid: {identifier: true, range: uriorcurie}, name: {}}}
  Place: {attributes: {pid: {identifier: true, range: uriorcurie}, name: {}}}
`;

test('a record is stored in the zone of the token, and other users do not see it', async () => {
  const { request } = await emptyService();
  await request('POST', '/c/record/Person', { token: 'ann', json: person('ada') });
  assert.deepEqual((await request('GET', '/c/records/', { token: 'ann' })).json(), [storedPerson('ada')]);
  assert.deepEqual((await request('GET', '/c/records/', { token: 'bob' })).json(), []);
});

test('storing a pid again replaces the record, whatever its former spelling or class', async () => {
  const { request } = await emptyService();
  for (const collection of ['c', 'sql']) {
    await request('POST', `/${collection}/record/Person`, { token: 'ann', json: person('ada') });
    await request('POST', `/${collection}/record/Person`, {
      token: 'ann',
      json: person('ada', { given_name: 'Ada' }),
    });
    const uri = 'https://example.org/laboratory/id/ada';
    await request('POST', `/${collection}/record/Organization`, {
      token: 'ann',
      json: { pid: uri, name: 'ada' },
    });
    const records = (await request('GET', `/${collection}/records/`, { token: 'ann' })).json();
    assert.deepEqual(records, [{ pid: uri, name: 'ada', schema_type: 'schema:Organization' }]);
    const read = await request('GET', `/${collection}/record?pid=labid:ada`, { token: 'ann' });
    assert.equal(read.json<Thing>().pid, uri);
  }
});

test('validate returns true, stores nothing, and refuses what a store would refuse', async () => {
  const { request } = await emptyService();
  for (const path of ['/c/validate/record/Person', '/c/validate/Person']) {
    const valid = await request('POST', path, { token: 'ann', json: person('ada') });
    assert.deepEqual([valid.status, valid.text], [200, 'true']);
    const turtle = await request('POST', `${path}?format=ttl`, { token: 'ann', turtle: turtlePerson('ada') });
    assert.deepEqual([turtle.status, turtle.text], [200, 'true']);
    const invalid = await request('POST', path, { token: 'ann', json: { pid: 'labid:ada', colour: 'red' } });
    assert.equal(invalid.status, 400);
  }
  assert.deepEqual((await request('GET', '/c/records/', { token: 'ann' })).json(), []);
});

test('an invalid record is refused with 400 and every problem, each with its path', async () => {
  const { request } = await emptyService();
  const json = { pid: 'labid:ada', colour: 'red' };
  const answer = await request('POST', '/c/record/Person', { token: 'ann', json });
  assert.equal(answer.status, 400);
  const { detail } = answer.json<{ detail: { type: string; loc: string[]; msg: string }[] }>();
  assert.ok(
    detail.some(({ loc, msg }) => loc.join('.') === 'body.colour' && msg.includes('colour')),
    answer.text,
  );
  assert.ok(
    detail.some(({ loc, msg }) => loc.includes('family_name') && msg.includes('family_name')),
    answer.text,
  );
  assert.deepEqual((await request('GET', '/c/records/', { token: 'ann' })).json(), []);
});

test('a pid with an unknown prefix is refused with 400, which names the prefix', async () => {
  const { request } = await emptyService();
  for (const path of ['/c/record/Person', '/c/validate/record/Person']) {
    const answer = await request('POST', path, { token: 'ann', json: { ...person('ada'), pid: 'nope:ada' } });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /nope/);
  }
});

test('whatever starts with a scheme, a colon and two slashes is a URI', async () => {
  const { request } = await emptyService();
  for (const pid of ['http://example.org/x', 'xyzzy://anything/at?all=1']) {
    const stored = await request('POST', '/c/record/Person', { token: 'ann', json: { ...person('x'), pid } });
    assert.equal(stored.status, 200, stored.text);
    const read = await request('GET', `/c/record?pid=${encodeURIComponent(pid)}`, { token: 'ann' });
    assert.equal(read.json<Thing>().pid, pid);
  }
});

test('a body that is not a JSON object is refused with 400, wherever the mistake is', async () => {
  const { request } = await emptyService();
  const headers = { 'content-type': 'application/json' };
  for (const body of [
    '{',
    '[]',
    '"text"',
    'null',
    '',
    '{"pid": }',
    `${'['.repeat(100_000)}`,
    Buffer.from([0xff, 0xfe]),
  ]) {
    const answer = await request('POST', '/c/record/Person', { token: 'ann', headers, body });
    assert.equal(answer.status, 400, `${body}: ${answer.text}`);
    assert.ok(answer.json<{ detail: unknown }>().detail);
  }
});

test('a body must have the requested format: JSON needs its content type, Turtle does not', async () => {
  const { request } = await emptyService();
  const send = (format: string, body: string, type?: string) =>
    request('POST', `/c/record/Person?format=${format}`, {
      token: 'ann',
      body,
      headers: type ? { 'content-type': type } : {},
    });
  const json = JSON.stringify(person('ada'));
  const rows: [string, string, string | undefined, number][] = [
    ['json', json, 'application/json; charset=utf-8', 200],
    ['json', json, 'application/ld+json', 200],
    ['json', json, 'text/plain', 400],
    ['json', json, undefined, 400],
    ['json', json, 'nonsense', 400],
    ['ttl', turtlePerson('ada'), 'text/turtle', 200],
    ['ttl', turtlePerson('ada'), 'text/turtle; charset=utf-8', 200],
    ['ttl', turtlePerson('ada'), undefined, 200],
    ['ttl', turtlePerson('ada'), 'nonsense', 200],
    ['ttl', turtlePerson('ada'), ' ', 200],
    ['ttl', turtlePerson('ada'), 'application/json, text/turtle', 200],
    ['ttl', json, 'application/json', 400],
    ['xml', json, 'application/json', 422],
  ];
  for (const [format, body, type, status] of rows) {
    const answer = await send(format, body, type);
    assert.equal(answer.status, status, `${format} ${type}: ${answer.text}`);
  }
});

test('a body over the limit is refused with 413', async () => {
  const { request } = await emptyService();
  const json = person('ada', { description: 'x'.repeat(11 * 1024 * 1024) });
  assert.equal((await request('POST', '/c/record/Person', { token: 'ann', json })).status, 413);
});

test('Turtle is stored and read back, also with type declarations for everything, on one line or many', async () => {
  const { request } = await emptyService();
  const stored = await request('POST', '/c/record/Person?format=ttl', {
    token: 'ann',
    turtle: turtlePerson('ada'),
  });
  assert.equal(stored.status, 200, stored.text);
  assert.equal(stored.headers['content-type'], 'text/turtle; charset=utf-8');
  assert.match(stored.text, /schema:familyName "ada"/);
  assert.deepEqual(
    (await request('GET', '/c/record?pid=labid:ada', { token: 'ann' })).json(),
    storedPerson('ada'),
  );
  const read = await request('GET', '/c/record?pid=labid:ada&format=ttl', { token: 'ann' });
  assert.equal(read.headers['content-type'], 'text/turtle; charset=utf-8');
  const again = await request('POST', '/c/record/Person?format=ttl', {
    token: 'ann',
    turtle: read.text.replaceAll('\n', ' '),
  });
  assert.equal(again.status, 200, again.text);
  const typed = `<https://example.org/laboratory/id/project> a <http://schema.org/ResearchProject> ;
    <http://schema.org/name> "p" ;
    <http://schema.org/amount> [ a <http://schema.org/MonetaryAmount> ;
      <http://schema.org/value> "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal> ; <http://schema.org/currency> "EUR" ] .`;
  const nested = await request('POST', '/c/record/Project?format=ttl', { token: 'ann', turtle: typed });
  assert.equal(nested.status, 200, nested.text);
});

test('Turtle that does not describe an object of the class is refused with 400, never a 5xx', async () => {
  const { request } = await emptyService();
  for (const turtle of [
    'no turtle at all',
    '',
    '<a:b> <c:d> <e:f> .',
    '/etc/hostname',
    turtlePerson('ada').replace('schema:Person', 'schema:Organization'),
  ]) {
    for (const path of ['/c/record/Person?format=ttl', '/c/validate/record/Person?format=ttl']) {
      const answer = await request('POST', path, { token: 'ann', turtle });
      assert.equal(answer.status, 400, `${turtle}: ${answer.text}`);
      assert.ok(answer.json<{ detail: unknown }>().detail);
    }
  }
});

test('inlined records of any depth are stored separately and leave a placeholder', async () => {
  const { request } = await emptyService();
  const grandchild = { pid: 'labid:k', schema_type: 'schema:Organization', name: 'k' };
  const child = { ...storedPerson('b'), relations: { 'labid:k': grandchild } };
  const json = { ...person('a'), relations: { 'labid:b': child, 'labid:c': { pid: 'labid:c' } } };
  const answer = await request('POST', '/c/record/Person', { token: 'ann', json });
  assert.equal(answer.status, 200, answer.text);
  const stored = answer.json<Thing[]>();
  assert.deepEqual(
    stored.map(({ pid, schema_type }) => [pid, schema_type]),
    [
      ['labid:a', 'schema:Person'],
      ['labid:b', 'schema:Person'],
      ['labid:k', 'schema:Organization'],
      ['labid:c', 'schema:Thing'],
    ],
  );
  const placeholder = (pid: string) => ({
    pid,
    schema_type: 'schema:Thing',
    annotations: { 'dlthings:placeholder': pid },
  });
  assert.deepEqual(stored[0]?.relations, {
    'labid:b': placeholder('labid:b'),
    'labid:c': placeholder('labid:c'),
  });
  assert.deepEqual(
    (await request('GET', '/c/records/Person', { token: 'ann' })).json<Thing[]>().map(({ pid }) => pid),
    ['labid:a', 'labid:b'],
  );

  // What was answered can be sent back: nothing is stored for its placeholders, so that nothing is overwritten.
  const again = await request('POST', '/c/record/Person', { token: 'ann', json: stored[0] });
  assert.deepEqual(
    again.json<Thing[]>().map(({ pid }) => pid),
    ['labid:a'],
  );
  assert.deepEqual((await request('GET', '/c/record?pid=labid:b', { token: 'ann' })).json(), stored[1]);
});

test('a placeholder that is posted is never stored', async () => {
  const { request } = await emptyService();
  for (const placeholder of [
    'labid:p',
    { annotation_tag: 'dlthings:placeholder', annotation_value: 'labid:p' },
  ]) {
    const json = { pid: 'labid:p', annotations: { 'dlthings:placeholder': placeholder } };
    const answer = await request('POST', '/c/record/Thing', { token: 'ann', json });
    assert.deepEqual([answer.status, answer.text], [200, '[]']);
  }
  assert.deepEqual((await request('GET', '/c/records/', { token: 'ann' })).json(), []);
});

test('an object with inlined records is stored completely or not at all', async () => {
  const { request } = await emptyService();
  const json = { ...person('a'), relations: { 'labid:b': { ...storedPerson('b'), colour: 'red' } } };
  assert.equal((await request('POST', '/c/record/Person', { token: 'ann', json })).status, 400);
  const twice = {
    ...person('a'),
    relations: {
      'labid:b': { ...storedPerson('b'), relations: { 'labid:a': storedPerson('a', { given_name: 'x' }) } },
    },
  };
  assert.equal((await request('POST', '/c/record/Person', { token: 'ann', json: twice })).status, 400);
  assert.deepEqual((await request('GET', '/c/records/', { token: 'ann' })).json(), []);
});

test('records that are inlined sixty levels deep are all stored', async () => {
  const { request } = await emptyService();
  let json: object = person('p0');
  for (let n = 1; n <= 60; n++)
    json = {
      ...storedPerson(`p${n}`),
      relations: { [`labid:p${n - 1}`]: { ...json, schema_type: 'schema:Person' } },
    };
  const answer = await request('POST', '/c/record/Person', { token: 'ann', json });
  assert.equal(answer.status, 200);
  assert.equal(answer.json<Thing[]>().length, 61);
});

test('submission tags have submitter and time, and all annotations get the same form', async () => {
  const { request } = await emptyService();
  const annotations = {
    'lab:checked': { annotation_tag: 'lab:checked', annotation_value: 'yes' },
    'lab:short': 'text',
  };
  const json = {
    ...person('a', { annotations }),
    relations: { 'labid:k': { ...organization('k'), schema_type: 'schema:Organization' } },
  };
  const before = Date.now();
  const stored = (
    await request('POST', '/c/record/Person?add_submission_tag=true', { token: 'ann', json })
  ).json<Thing[]>();
  for (const { annotations } of stored) {
    assert.equal(annotations?.['obo:NCIT_C54269'], 'ann@example.org');
    const time = String(annotations?.['sio:SIO_001083']);
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    assert.ok(Math.abs(Date.parse(time) - before) < 60_000);
  }
  assert.equal(stored[0]?.annotations?.['lab:checked'], 'yes');
  assert.equal(stored[0]?.annotations?.['lab:short'], 'text');
  const untagged = (await request('POST', '/c/record/Person', { token: 'ann', json })).json<Thing[]>();
  assert.deepEqual(Object.keys(untagged[0]?.annotations ?? {}), ['lab:checked', 'lab:short']);
});

test('submission tags are those of the collection, as CURIEs if the schema has a prefix', async (t) => {
  const submission_tags = {
    submitter_id_tag: 'http://example.net/by',
    submission_time_tag: 'http://xmlns.com/foaf/0.1/when',
  };
  const { request } = await testApp(t, {
    collections: { c: { submission_tags } },
    tokens: { ann: { c: 'WRITE_COLLECTION' } },
  });
  const answer = await request('POST', '/c/record/Person?add_submission_tag=yes', {
    token: 'ann',
    json: person('a'),
  });
  assert.deepEqual(Object.keys(answer.json<Thing[]>()[0]?.annotations ?? {}).sort(), [
    'foaf:when',
    'http://example.net/by',
  ]);
});

test('add_submission_tag is a boolean in the spellings of the peer; other values are refused with 422', async () => {
  const { request } = await emptyService();
  const rows: [string, number, boolean][] = [
    ['true', 200, true],
    ['1', 200, true],
    ['ON', 200, true],
    ['false', 200, false],
    ['no', 200, false],
    ['maybe', 422, false],
    ['', 422, false],
  ];
  for (const [value, status, tagged] of rows) {
    const answer = await request('POST', `/c/record/Person?add_submission_tag=${value}`, {
      token: 'ann',
      json: person('a'),
    });
    assert.equal(answer.status, status, value);
    assert.equal(answer.text.includes('annotations'), tagged, value);
  }
});

test('authentication comes before authorisation, both before the body is looked at', async () => {
  const { request } = await emptyService();
  const store = (token?: string, body = '{', collection = 'c', className = 'Person') =>
    request('POST', `/${collection}/record/${className}`, {
      token,
      body,
      headers: { 'content-type': 'application/json' },
    });
  assert.equal((await store('stranger')).status, 401);
  assert.equal((await store('reader')).status, 403);
  assert.equal((await store('ann')).status, 400);
  assert.equal((await store('stranger', '{', 'nothing')).status, 404);
  assert.equal((await store('stranger', '{', 'c', 'Nonsense')).status, 404);
});

test('use_classes and ignore_classes decide which classes have endpoints', async (t) => {
  const { request } = await testApp(t, {
    collections: {
      some: { use_classes: ['Person', 'Agent', 'Thing'], ignore_classes: ['Agent'] },
      most: { ignore_classes: ['Publication'] },
    },
    tokens: { ann: { some: 'WRITE_COLLECTION', most: 'WRITE_COLLECTION' } },
  });
  const status = async (collection: string, className: string) =>
    (await request('POST', `/${collection}/record/${className}`, { token: 'ann', json: person('a') })).status;
  assert.equal(await status('some', 'Person'), 200);
  assert.equal(await status('some', 'Agent'), 404);
  assert.equal(await status('some', 'Organization'), 404);
  assert.equal(await status('most', 'Person'), 200);
  assert.equal(await status('most', 'Publication'), 404);
  assert.equal((await request('GET', '/some/records/Agent', { token: 'ann' })).status, 404);
  const { collections } = (await request('GET', '/server')).json<{
    collections: { name: string; classes: string[] }[];
  }>();
  assert.deepEqual(collections.find(({ name }) => name === 'some')?.classes, ['Thing', 'Person']);
  assert.ok(!collections.find(({ name }) => name === 'most')?.classes.includes('Publication'));
});
