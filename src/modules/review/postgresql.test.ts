/** Review on several instances with one database: what is decided on one is decided on all, and only once. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type TestAnswer, type TestService, testApp } from '../../../test/support/app.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';

/** Issue-sized runs set more. */
const SUBMISSIONS = Number(process.env.ACCESSION_TEST_DECISIONS ?? 12);

const CONFIGURATION = {
  collections: { lab: { backend: { type: 'postgresql' } } },
  tokens: {
    nobody: {},
    ann: { lab: 'WRITE_COLLECTION' },
    cora: { lab: 'CURATOR' },
    carl: { lab: 'CURATOR' },
  },
};

type Decision = { id: string; pid: string; decision: string; undone: unknown };
type Pair = readonly [TestService, TestService];

async function twoInstances(t: TestContext): Promise<Pair> {
  const databaseUrl = await ownDatabase();
  const one = await testApp(t, CONFIGURATION, { databaseUrl });
  return [one, await testApp(t, {}, { databaseUrl })];
}

const submit = (service: TestService, name: string) =>
  service.request('POST', '/lab/record/Person', {
    token: 'ann',
    json: { pid: `labid:${name}`, name, family_name: name },
  });

async function digestOf(service: TestService, name: string): Promise<string> {
  const url = `/-/lab/review/item?label=ann&pid=labid:${name}`;
  const answer = await service.request('GET', url, { token: 'cora' });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<{ digest: string }>().digest;
}

const decide = (service: TestService, token: string, name: string, body: object): Promise<TestAnswer> =>
  service.request('POST', '/-/lab/review/decisions', {
    token,
    json: { label: 'ann', pid: `labid:${name}`, ...body },
  });

async function decisions(service: TestService): Promise<Decision[]> {
  const found: Decision[] = [];
  for (let page = 1; ; page++) {
    const url = `/-/lab/review/decisions?size=100&page=${page}`;
    const answer = await service.request('GET', url, { token: 'cora' });
    assert.equal(answer.status, 200, answer.text);
    const { items } = answer.json<{ items: Decision[] }>();
    found.push(...items);
    if (items.length < 100) return found;
  }
}

async function total(service: TestService, url: string, token = 'cora'): Promise<number> {
  const answer = await service.request('GET', url, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<{ total: number }>().total;
}

test('two curators on two instances decide about the same submissions: each is decided once', async (t) => {
  const [one, two] = await twoInstances(t);
  const names = Array.from({ length: SUBMISSIONS }, (_, n) => `p${n}`);
  for (const [n, name] of names.entries()) assert.equal((await submit(n % 2 ? one : two, name)).status, 200);
  const accepted: string[] = [];
  for (const [n, name] of names.entries()) {
    const digest = await digestOf(n % 2 ? one : two, name);
    const accept = { digest, decision: 'accept' };
    const other = n % 3 ? accept : { digest, decision: 'reject', reason: 'no' };
    const answers = await Promise.all([decide(one, 'cora', name, accept), decide(two, 'carl', name, other)]);
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 409], `${name}: ${answers.map(({ text }) => text).join(' ')}`);
    const made = answers.find(({ status }) => status === 200)?.json<Decision>();
    if (made?.decision === 'accept') accepted.push(name);
  }
  for (const service of [one, two]) {
    const made = await decisions(service);
    assert.equal(made.length, SUBMISSIONS);
    assert.equal(new Set(made.map(({ pid }) => pid)).size, SUBMISSIONS);
    assert.equal(await total(service, '/-/lab/review/'), 0);
    assert.equal(await total(service, '/lab/curated/records/p/'), accepted.length);
    assert.equal(await total(service, '/lab/incoming/ann/records/p/'), SUBMISSIONS - accepted.length);
  }
  const entries = await one.app.registry.collection('lab').curated.entries({ limit: 2 * SUBMISSIONS });
  assert.deepEqual(entries.map(({ pid }) => pid).sort(), accepted.map((name) => `labid:${name}`).sort());
});

test('a decision of one instance is in the queue of the other, and is undone there once', async (t) => {
  const [one, two] = await twoInstances(t);
  await submit(one, 'ada');
  assert.equal(await total(two, '/-/lab/review/'), 1);
  const made = await decide(one, 'cora', 'ada', { digest: await digestOf(two, 'ada'), decision: 'accept' });
  assert.equal(made.status, 200, made.text);
  assert.equal(await total(two, '/-/lab/review/'), 0);
  const undo = `/-/lab/review/decisions/${made.json<Decision>().id}/undo`;
  const answers = await Promise.all(
    [one, two].map((service) => service.request('POST', undo, { token: 'carl', json: {} })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).sort(),
    [200, 409],
    answers.map(({ text }) => text).join(),
  );
  for (const service of [one, two]) {
    assert.equal(await total(service, '/-/lab/review/'), 1);
    assert.equal(await total(service, '/lab/curated/records/p/'), 0);
    assert.equal((await decisions(service)).length, 1);
  }
});

test('an accept is one transaction, and so is its undo', async (t) => {
  const [one] = await twoInstances(t);
  await submit(one, 'ada');
  const made = await decide(one, 'cora', 'ada', { digest: await digestOf(one, 'ada'), decision: 'accept' });
  const { database } = one.app.registry.collection('lab');
  const transactionsOf = async (sql: string, values: string[]) => {
    const rows = await database.tuples<[string]>(`SELECT xmin::text FROM ${sql}`, values);
    assert.ok(rows.length > 0, sql);
    return rows.map(([xmin]) => xmin);
  };
  const { id } = made.json<Decision>();
  const decision = () => transactionsOf('accession_decision WHERE id = $1', [id]);
  const changes = () =>
    transactionsOf('accession_entry WHERE note::jsonb ->> $1::text = $2', ['decision', id]);
  const accepted = new Set([...(await decision()), ...(await changes())]);
  assert.equal(accepted.size, 1, 'the decision, the curated record and the zone are changed together');
  assert.equal((await changes()).length, 2);

  const undo = `/-/lab/review/decisions/${id}/undo`;
  assert.equal((await one.request('POST', undo, { token: 'carl', json: {} })).status, 200);
  const undone = new Set([...(await decision()), ...(await changes()).filter((one) => !accepted.has(one))]);
  assert.equal(undone.size, 1);
  assert.equal((await changes()).length, 4);
});
