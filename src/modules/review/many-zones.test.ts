/** A collection with many zones, read by several instances: the queue misses none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestService, testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { ofTier } from '../../../test/support/tier.ts';

const ZONES = 140;
const USERS = Array.from({ length: ZONES }, (_, n) => `user${n}`);

for (const type of ofTier(['sqlite', 'postgresql'])) {
  test(`${type}: the queue of ${ZONES} zones is complete on every instance`, async (t) => {
    const configuration = {
      collections: { c: { backend: { type } } },
      tokens: Object.fromEntries([
        ['cora', { c: 'CURATOR' }],
        ...USERS.map((user) => [user, { c: 'WRITE_COLLECTION' }]),
      ]),
    };
    const options = type === 'postgresql' ? { databaseUrl: await ownDatabase() } : {};
    const one = await testApp(t, configuration, options);
    const other = type === 'postgresql' ? await testApp(t, {}, options) : one;
    const submit = async (user: string, name: string) => {
      const answer = await one.request('POST', '/c/record/Person', { token: user, json: person(name) });
      assert.equal(answer.status, 200, answer.text);
    };
    const total = async ({ request }: TestService) =>
      (await request('GET', '/-/c/review/summary', { token: 'cora' })).json<{ total: number }>().total;
    for (const user of USERS) await submit(user, user);
    for (const service of [one, other]) while ((await total(service)) < ZONES);
    for (const user of ['user0', 'user70', 'user139']) {
      await submit(user, `another of ${user}`.replaceAll(' ', '-'));
      assert.equal(await total(other), await total(one));
    }
    assert.equal(await total(other), ZONES + 3);
  });
}
