/** How many statements a request runs does not depend on how many rows it returns, nor on how many zones there are: each GET. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../../src/core/http/endpoint.ts';
import { ADMIN, type TestService, testApp } from '../support/app.ts';
import { ENDPOINTS, pathOf, urlOf } from '../support/endpoints.ts';
import { eventually } from '../support/eventually.ts';
import { organization, person } from '../support/people.ts';
import { statementsOf } from '../support/statements.ts';

const FEW = 5;
const MANY = 60;
/** Steps of a read grow from its first rows, and some rows come from other areas. */
const TOLERANCE = 12;

test('the statements of a request do not grow with the rows that it returns', async (t) => {
  const service = await testApp(
    t,
    {
      collections: { c: { backend: { type: 'sqlite' } } },
      tokens: { ann: { c: 'WRITE_COLLECTION' }, cur: { c: 'CURATOR' } },
    },
    { memory: 1 },
  );
  const post = async (token: string, url: string, json: object) => {
    const { status, text } = await service.request('POST', url, { token, json });
    assert.equal(status, 200, text);
  };
  const people = Array.from({ length: MANY }, (_, at) =>
    person(`person${at}`, { affiliations: ['labid:hub', 'labid:none'] }),
  );
  await post('cur', '/c/curated/record/Organization', organization('hub'));
  await post('cur', '/-/c/curated/records/Person', people);
  await post('ann', '/-/c/records/Person', people.slice(MANY / 2));
  // What follows changes has its own statements.
  await service.app.projector.stopAll();
  await service.app.jobs.stopAll();
  const grown: string[] = [];
  const measure = async (endpoint: Endpoint, limit: string, isOfRecord: boolean) => {
    const counts: number[] = [];
    for (const rows of [FEW, FEW, MANY]) {
      const values = { pid: 'labid:hub', [limit]: String(rows) };
      const url = isOfRecord
        ? urlOf(endpoint, values, [limit])
        : `${pathOf(endpoint, values)}?${limit}=${rows}`;
      const token = endpoint.token === 'admin' ? ADMIN : endpoint.area === 'user' ? 'ann' : 'cur';
      const send = async () => {
        const { statusCode } = await service.app.server.inject({
          url,
          headers: { 'x-service-token': token },
        });
        assert.ok(statusCode < 500, url);
      };
      counts.push(await statementsOf(send));
    }
    // The first one reads what is kept.
    const [, few = 0, many = 0] = counts;
    if (many > few + TOLERANCE) grown.push(`${endpoint.path} ${limit}: ${few} and ${many} statements`);
  };
  for (const endpoint of ENDPOINTS)
    for (const limit of ['size', 'limit'])
      if (endpoint.method === 'GET' && endpoint.query?.[limit])
        for (const isOfRecord of [true, false]) await measure(endpoint, limit, isOfRecord);
  assert.deepEqual(grown, []);
});

/** Areas that projections have not come to yet cost statements each. */
const allIsFollowed = ({ app }: TestService) =>
  eventually('all changes of records are followed', () =>
    app.projector.list().every(({ name, state, behind }) => {
      // A log follows once a minute.
      return name.startsWith('audit log') || (state === 'idle' && behind === 0);
    }),
  );

/** They look into each zone. */
const OF_EACH_ZONE = ['/-/{collection}/dangling'];

test('the statements of a request do not grow with the zones', async (t) => {
  const service = await testApp(
    t,
    { collections: { c: { backend: { type: 'sqlite' } } }, tokens: { cur: { c: 'CURATOR' } } },
    { memory: 1 },
  );
  await service.request('POST', '/c/curated/record/Organization', {
    token: 'cur',
    json: organization('hub'),
  });
  const reads = ENDPOINTS.filter(
    ({ method, path, token }) => method === 'GET' && token !== 'admin' && !OF_EACH_ZONE.includes(path),
  ).flatMap((endpoint) => {
    const values = { pid: 'labid:hub', label: 'z0' };
    return [...new Set([urlOf(endpoint, values), pathOf(endpoint, values)])];
  });
  let zones = 0;
  const costsWith = async (number: number) => {
    for (; zones < number; zones++) {
      const url = `/c/incoming/z${zones}/record/Person`;
      const stored = await service.request('POST', url, { token: 'cur', json: person(`p${zones}`) });
      assert.equal(stored.status, 200, stored.text);
    }
    await allIsFollowed(service);
    const costs = new Map<string, number>();
    for (const url of reads) {
      const send = async () => {
        const headers = { 'x-service-token': 'cur' };
        const { statusCode } = await service.app.server.inject({ url, headers });
        assert.ok(statusCode < 500, url);
      };
      // The first one reads what is kept.
      await send();
      costs.set(url, await statementsOf(send));
    }
    return costs;
  };
  const few = await costsWith(FEW);
  const many = await costsWith(MANY);
  const grown = [...many].filter(([url, cost]) => cost > few.get(url)! + TOLERANCE);
  assert.deepEqual(grown, []);
});

test('the statements for some references to a record do not grow with the zones that have them', async (t) => {
  const service = await testApp(
    t,
    { collections: { c: { backend: { type: 'sqlite' } } }, tokens: { cur: { c: 'CURATOR' } } },
    { memory: 1 },
  );
  const post = async (url: string, json: object) => {
    const { status, text } = await service.request('POST', url, { token: 'cur', json });
    assert.equal(status, 200, text);
  };
  await post('/c/curated/record/Organization', organization('hub'));
  let zones = 0;
  const statementsWith = async (number: number) => {
    for (; zones < number; zones++)
      await post(`/c/incoming/z${zones}/record/Person`, person(`p${zones}`, { affiliations: ['labid:hub'] }));
    const read = async () => {
      const url = `/-/c/links?pid=labid:hub&limit=2&offset=${number - 2}`;
      const { text } = await service.request('GET', url, { token: 'cur' });
      return JSON.parse(text) as { referrers: number; from: object[] };
    };
    await allIsFollowed(service);
    const { referrers, from } = await read();
    assert.deepEqual([referrers, from.length], [number, 2]);
    return statementsOf(read);
  };
  const few = await statementsWith(FEW);
  const many = await statementsWith(MANY);
  assert.ok(many <= few + 4, `${few} and ${many} statements`);
});

test('the last page of a search without conditions takes as many statements as the first', async (t) => {
  const service = await testApp(
    t,
    { collections: { c: { backend: { type: 'sqlite' } } }, tokens: { cur: { c: 'CURATOR' } } },
    { memory: 1 },
  );
  const people = Array.from({ length: 3000 }, (_, at) => person(`p${at}`));
  const stored = await service.request('POST', '/-/c/curated/records/Person', { token: 'cur', json: people });
  assert.equal(stored.status, 200);
  await service.app.projector.stopAll();
  await service.app.jobs.stopAll();
  const counts: number[] = [];
  for (const page of [1, 1, 60])
    counts.push(
      await statementsOf(async () => {
        const url = `/-/c/curated/search?class=Person&size=50&page=${page}`;
        const { items, total } = (await service.request('GET', url, { token: 'cur' })).json<{
          items: object[];
          total: number;
        }>();
        assert.deepEqual([items.length, total], [50, 3000]);
      }),
    );
  assert.equal(counts[2], counts[1]);
  // The language of words is not read.
  assert.equal(counts[1], 5);
});
