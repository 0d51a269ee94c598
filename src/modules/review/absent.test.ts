/** A store that has used review, in a service without it, and put back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, type TestService, testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { MODULES } from '../../modules.ts';
import { review } from './module.ts';

const WITHOUT = MODULES.filter(({ name }) => name !== review.name);
const CONFIGURATION = {
  collections: { c: {} },
  tokens: { ann: { c: 'WRITE_COLLECTION' }, cora: { c: 'CURATOR' } },
};

const submit = async (service: TestService, name: string, others: object = {}) => {
  const json = { ...person(name), ...others };
  assert.equal((await service.request('POST', '/c/record/Person', { token: 'ann', json })).status, 200);
};
const decide = async (service: TestService, name: string, decision: string) => {
  const pid = `labid:${name}`;
  const item = await service.request('GET', `/-/c/review/item?label=ann&pid=${pid}`, { token: 'cora' });
  const json = { label: 'ann', pid, digest: item.json<{ digest: string }>().digest, decision, reason: 'why' };
  const decided = await service.request('POST', '/-/c/review/decisions', { token: 'cora', json });
  assert.equal(decided.status, 200, decided.text);
};
const statuses = async (service: TestService) => {
  const { items } = (await service.request('GET', '/-/c/submissions/', { token: 'ann' })).json<{
    items: { pid: string; status: string; state: string }[];
  }>();
  return Object.fromEntries(
    items.map(({ pid, status, state }) => [pid.replace('labid:', ''), `${status} ${state}`]),
  );
};
const decisions = async (service: TestService) =>
  (await service.request('GET', '/-/c/review/decisions', { token: 'cora' })).json<{ items: object[] }>()
    .items;
const configuration = async ({ request }: TestService) =>
  (await request('GET', '/collections/c', { token: ADMIN })).json<object>();

for (const kind of ['SQLite', 'PostgreSQL'])
  test(`${kind}: a service without review starts on a store that has used it, and nothing is lost when it is put back`, async (t) => {
    const database = kind === 'SQLite' ? {} : { databaseUrl: await ownDatabase() };
    const service = await testApp(t, CONFIGURATION, database);
    const configured = await configuration(service);
    const json = { ...configured, review: { show_reviewer: true } };
    assert.equal((await service.request('PUT', '/collections/c', { token: ADMIN, json })).status, 201);
    for (const name of ['waits', 'rejected', 'accepted', 'withdrawn', 'posted', 'overtaken'])
      await submit(service, name);
    await decide(service, 'rejected', 'reject');
    await decide(service, 'accepted', 'accept');
    const made = await decisions(service);
    assert.equal(made.length, 2);
    await service.app.close();

    const store = { ...database, store: service.store };
    const without = await testApp(t, CONFIGURATION, { ...store, modules: WITHOUT });
    assert.equal((await without.request('GET', '/-/c/review/', { token: 'cora' })).status, 404);
    assert.equal((await without.request('GET', '/-/c/submissions/', { token: 'ann' })).status, 404);
    assert.doesNotMatch(
      (await without.request('GET', '/-/metrics', { token: ADMIN })).text,
      /accession_submissions/,
    );
    assert.deepEqual(await configuration(without), configured);
    await submit(without, 'new');
    const withdrawn = await without.request('DELETE', '/c/record?pid=labid:withdrawn', { token: 'ann' });
    assert.equal(withdrawn.status, 200);
    // As a curator does who has no review: post, and delete from the zone.
    const curate = async (name: string, others: object = {}) => {
      const json = { ...person(name), ...others };
      const posted = await without.request('POST', '/c/curated/record/Person', { token: 'cora', json });
      assert.equal(posted.status, 200, posted.text);
    };
    await curate('posted');
    const path = '/c/incoming/ann/record?pid=labid:posted';
    assert.equal((await without.request('DELETE', path, { token: 'cora' })).status, 200);
    await curate('overtaken', { given_name: 'Other' });
    await without.app.close();

    const again = await testApp(t, CONFIGURATION, { ...store, modules: MODULES });
    assert.deepEqual(await statuses(again), {
      waits: 'waiting new',
      rejected: 'rejected new',
      accepted: 'accepted null',
      withdrawn: 'withdrawn null',
      posted: 'accepted null',
      overtaken: 'waiting diverged',
      new: 'waiting new',
    });
    assert.deepEqual(await decisions(again), made);
    assert.deepEqual(await configuration(again), json);
    const { text } = await again.request('GET', '/-/c/review/summary', { token: 'cora' });
    assert.match(text, /"by_standing":\{"waiting":3,"rejected":1\}/);
    await decide(again, 'new', 'accept');
    await decide(again, 'waits', 'defer');
  });
