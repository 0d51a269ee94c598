/** Changes of a schema on several instances with one database: each is made entirely, or refused. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ADMIN, type TestService, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { isLong, longTest } from '../../../test/support/tier.ts';

const HEAD = `
id: https://example.org/schema
name: example
prefixes: { ex: https://example.org/, linkml: https://w3id.org/linkml/ }
imports: [linkml:types]
default_prefix: ex
default_range: string
classes:
  Person:
    class_uri: ex:Person
    attributes:
      pid: { identifier: true, range: uriorcurie, required: true }
      schema_type: { designates_type: true, range: uriorcurie }
`;
const SCHEMAS = {
  before: `${HEAD}      name: {}\n`,
  title: `${HEAD}      title: { aliases: [name] }\n`,
  label: `${HEAD}      label: { aliases: [name] }\n`,
};
type Version = keyof typeof SCHEMAS;

/** More of them in the long tests: who is first is up to chance. */
const ROUNDS = isLong ? 3 : 1;
const PEOPLE = Array.from({ length: 20 }, (_, n) => `ex:p${n}`);

/** Switches that patch different records do not meet in one of them. */
const HALVES = [PEOPLE.slice(0, 10), PEOPLE.slice(10)] as const;

type Opened = {
  readonly databaseUrl: string;
  readonly services: readonly [TestService, TestService];
  addressOf(version: Version): string;
};

async function opened(t: TestContext): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-switches-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const addressOf = (version: Version) => join(folder, `${version}.yaml`);
  for (const version of Object.keys(SCHEMAS) as Version[])
    writeFileSync(addressOf(version), SCHEMAS[version]);
  const databaseUrl = await ownDatabase();
  const configuration = {
    collections: { c: { schema: addressOf('before'), backend: { type: 'postgresql+stl' } } },
    tokens: { cora: { c: 'CURATOR' }, ann: { c: 'WRITE_COLLECTION' } },
  };
  const one = await testApp(t, configuration, { databaseUrl });
  const other = await testApp(t, {}, { databaseUrl });
  for (const pid of PEOPLE)
    for (const area of ['curated', 'incoming/ann']) {
      const json = { pid, name: `${pid} in ${area}` };
      const answer = await one.request('POST', `/c/${area}/record/Person`, { token: 'cora', json });
      assert.equal(answer.status, 200, answer.text);
    }
  return { databaseUrl, services: [one, other], addressOf };
}

async function rehearsed({ request }: TestService, address: string): Promise<string> {
  const answer = await request('POST', '/-/c/rehearse', { token: ADMIN, json: { address } });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<{ id: string }>().id;
}

const post = ({ request }: TestService, path: string, json: object = {}) =>
  request('POST', path, { token: ADMIN, json });

const schemaOf = ({ app }: TestService) => app.state.configuration.collections.c?.schema;

/** Waits until both instances have the same schema. */
const agreed = ([one, other]: Opened['services']) =>
  eventually('the same schema', () => schemaOf(one) === schemaOf(other));

/** The slots that some records of an area have besides pid and type. */
async function slotsIn({ request }: TestService, area: string, pids: readonly string[]): Promise<string> {
  const answer = await request('GET', `/c/${area}/records/`, { token: 'cora' });
  const records = answer.json<{ pid: string }[]>();
  assert.equal(records.length, PEOPLE.length);
  const slots = records.filter(({ pid }) => pids.includes(pid)).flatMap((record) => Object.keys(record));
  return [...new Set(slots)].filter((slot) => !['pid', 'schema_type'].includes(slot)).join();
}

longTest(
  'of two schemas that two instances switch to at the same time, one is in force, with its records',
  async (t) => {
    const { services, addressOf } = await opened(t);
    const wins = { title: 0, label: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const versions = ['title', 'label'] as const;
      const ids = await Promise.all(
        services.map((service, at) => rehearsed(service, addressOf(versions[at]!))),
      );
      const switches = services.map(async (service, at) => {
        // The first to ask may win each time.
        if (round % 2 === at) await pause(round);
        return post(service, `/-/c/rehearsals/${ids[at]}/switch`, { patches: HALVES[at] });
      });
      const answers = await Promise.all(switches);
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [200, 412], answers.map(({ text }) => text).join());
      const made = versions[statuses.indexOf(200)]!;
      wins[made] += 1;
      await agreed(services);
      const [mine, others] = made === 'title' ? HALVES : HALVES.toReversed();
      for (const service of services) {
        assert.equal(schemaOf(service), addressOf(made));
        for (const area of ['curated', 'incoming/ann']) {
          assert.equal(await slotsIn(service, area, mine!), made, area);
          assert.equal(await slotsIn(service, area, others!), 'name', area);
        }
      }
      const plans = await services[0].request('GET', '/-/c/switches', { token: 'cora' });
      const [plan] = plans.json<{ id: string; state: string }[]>();
      assert.equal(plan?.state, 'done');
      const undone = await Promise.all(
        services.map((service) => post(service, `/-/c/switches/${plan?.id}/undo`)),
      );
      const texts = undone.map(({ text }) => text).join();
      assert.deepEqual(undone.map(({ status }) => status).toSorted(), [200, 412], texts);
      await agreed(services);
      for (const area of ['curated', 'incoming/ann'])
        assert.equal(await slotsIn(services[1], area, PEOPLE), 'name', area);
    }
    console.log(`# title ${wins.title}, label ${wins.label}`);
  },
);

longTest(
  'a switch does not take back what another instance has set for the collection at the same time',
  async (t) => {
    const { services, addressOf } = await opened(t);
    const [one, other] = services;
    for (let round = 0; round < 4; round++) {
      const id = await rehearsed(one, addressOf('title'));
      const { c } = other.app.state.configuration.collections;
      const body = { name: 'c', ...c, default_policy: `round-${round}` };
      const [switched, set] = await Promise.all([
        post(one, `/-/c/rehearsals/${id}/switch`),
        other.request('PUT', '/collections', { token: ADMIN, json: body }),
      ]);
      assert.ok([200, 412].includes(switched.status), switched.text);
      assert.equal(set.status, 201, set.text);
      await agreed(services);
      const { schema, default_policy } = one.app.state.configuration.collections.c!;
      assert.equal(default_policy, `round-${round}`, `${switched.status} ${schema}`);
      if (switched.status === 200) break;
    }
  },
);

test('what one instance has rehearsed, another one reports, and switches to', async (t) => {
  const { databaseUrl, services, addressOf } = await opened(t);
  const [one, other] = services;
  const request = { token: ADMIN, json: { address: addressOf('title') } };
  const { text } = await one.request('POST', '/-/c/rehearse', request);
  const { id } = JSON.parse(text) as { id: string };
  const path = `/-/c/rehearsals/${id}`;
  const report = await other.request('GET', path, { token: 'cora' });
  assert.deepEqual([report.status, report.json()], [200, JSON.parse(text)]);
  const records = (service: TestService) => service.request('GET', `${path}/records`, { token: 'cora' });
  assert.equal((await records(other)).text, (await records(one)).text);
  const schema = SCHEMAS.label;
  const sent = await one.request('POST', '/-/c/rehearse', { token: 'cora', json: { schema } });
  const ofText = `/-/c/rehearsals/${sent.json<{ id: string }>().id}`;
  assert.deepEqual((await other.request('GET', ofText, { token: 'cora' })).json(), sent.json());

  const switched = await post(other, `${path}/switch`);
  assert.equal(switched.status, 200, switched.text);
  await agreed(services);
  assert.equal(await slotsIn(one, 'curated', PEOPLE), 'title');
  const later = await testApp(t, {}, { databaseUrl });
  const gone = await later.request('GET', path, { token: 'cora' });
  assert.equal(gone.status, 404, 'it was about the former schema');
  for (let n = 0; n < 10; n++) await rehearsed(one, addressOf('label'));
  const { database } = one.app.registry.collection('c');
  assert.deepEqual(await database.tuples('SELECT count(*) FROM accession_dry_run'), [[8]]);
});
