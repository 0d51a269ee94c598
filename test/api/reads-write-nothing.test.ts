/** Requests that read or validate leave the database as it is, whatever its projections have still to follow. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { changes, type Endpoint, row } from '../../src/core/http/endpoint.ts';
import type { Database } from '../../src/core/storage/database.ts';
import type { JobHandle } from '../../src/core/work/jobs.ts';
import type { Module } from '../../src/module.ts';
import { ADMIN, testApp } from '../support/app.ts';
import { ENDPOINTS, pathOf, urlOf } from '../support/endpoints.ts';
import { eventually } from '../support/eventually.ts';
import { person } from '../support/people.ts';
import { sqliteAt } from '../support/sqlite.ts';

/** Parameters of which each is sent, too. */
const FURTHER = ['at', 'expand', 'q'];

/** Each row that reads or validates, without and with its parameters. */
function requests(): { id: string; method: Endpoint['method']; url: string }[] {
  return ENDPOINTS.filter((endpoint) => !changes(endpoint) && !endpoint.writes).flatMap((endpoint) => {
    const { id, method, query = {} } = endpoint;
    const further = FURTHER.filter((name) => name in query).map((name) => urlOf(endpoint, {}, [name]));
    const urls = [pathOf(endpoint), pathOf(endpoint, { name: 'c' }), urlOf(endpoint), ...further];
    return [...new Set(urls)].map((url) => ({ id, method, url }));
  });
}

test('requests that read or validate write nothing', async (t) => {
  const service = await testApp(t, {
    // Directories of records are followed, with commits in the background.
    collections: { c: { backend: { type: 'sqlite' } } },
    tokens: { ann: { c: 'WRITE_COLLECTION' }, cur: { c: 'CURATOR' } },
  });
  const put = async (token: string, path: string, json: object) => {
    const { status, text } = await service.request('POST', path, { token, json });
    assert.ok(status < 300, text);
  };
  await put('ann', '/c/record/Person', person('p0'));
  const settings = { identifying_slots: { Person: ['orcid'] } };
  await service.request('PUT', '/-/c/settings', { token: 'cur', json: settings });
  // Whatever follows changes, or comes with time, has its own commits.
  await service.app.projector.stopAll();
  await service.app.jobs.stopAll();
  for (let at = 0; at < 450; at += 150) {
    const items = Array.from({ length: 150 }, (_, index) =>
      person(`p${at + index}`, { orcid: `orcid:0000-0002-1825-${String(1000 + at + index)}` }),
    );
    await put('cur', '/-/c/curated/records/Person', items);
  }
  const file = sqliteAt(join(service.store, 'accession.db'), { readOnly: true });
  t.after(() => file.close());
  /** Differs after each commit of other connections. */
  const version = () => (file.prepare('PRAGMA data_version').get() as { data_version: number }).data_version;
  const wrote = new Set<string>();
  let answered = 0;
  for (const { id, method, url } of requests()) {
    for (const token of ['ann', 'cur', ADMIN]) {
      const before = version();
      const one = person('new', { orcid: 'orcid:0000-0002-1825-1001' });
      const payload = url.includes('/validate/records/') ? [one] : one;
      const answer = await service.app.server.inject({
        method,
        url,
        headers: { 'x-service-token': token },
        ...(method !== 'GET' && { payload }),
      });
      assert.ok(answer.statusCode < 500, `${id}: ${method} ${url}: ${answer.body}`);
      if (answer.statusCode < 300) answered++;
      if (version() !== before) wrote.add(id);
    }
  }
  assert.ok(answered > 100);
  assert.deepEqual([...wrote], []);
});

/** A capability whose endpoint writes in a request that reads, or has a job do so. */
function writingModule(written: () => void): Module {
  let database: Database | undefined;
  let job: JobHandle | undefined;
  const write = async () => {
    await database!.transact(async (draft) => {
      draft.run('DELETE FROM accession_settings WHERE area = -1');
    });
    written();
  };
  const common = {
    tag: 'Service',
    summary: 'Writes',
    token: 'none',
    need: 'public',
    answers: { 200: {} },
  } as const;
  return {
    name: 'writing',
    endpoints: [
      row('GET', '/-/writing/itself', 'writing.itself', {
        ...common,
        async handle({ reply }) {
          await write();
          return reply.send('null');
        },
      }),
      row('POST', '/-/writing/checked', 'writing.checked', {
        ...common,
        changesNothing: true,
        async handle({ reply }) {
          await write();
          return reply.send('null');
        },
      }),
      row('GET', '/-/writing/job', 'writing.job', {
        ...common,
        async handle({ reply }) {
          job!.wake();
          return reply.send('null');
        },
      }),
    ],
    start(core) {
      database = core.database;
      job = core.jobs.add({ name: 'writing', run: write });
      return undefined;
    },
  };
}

test('an endpoint that writes although its row changes nothing is refused; its job may write', async (t) => {
  let writes = 0;
  const module = writingModule(() => void writes++);
  const service = await testApp(t, {}, { modules: [module] });
  const send = async (method: 'GET' | 'POST', url: string) =>
    (await service.app.server.inject({ method, url: `/-/writing/${url}` })).statusCode;
  assert.equal(await send('GET', 'itself'), 500);
  assert.equal(await send('POST', 'checked'), 500);
  assert.equal(writes, 0);
  assert.equal(await send('GET', 'job'), 200);
  await eventually('the job has written', () => writes === 1);
});
