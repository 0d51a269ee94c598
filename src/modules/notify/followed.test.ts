/** Records that people follow, on the server, on both databases: what others change of them is in the inbox. */
import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { of, TAG } from '../../../test/policies/world.ts';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { lacks } from '../../../test/support/lacks.ts';
import { person } from '../../../test/support/people.ts';
import { ofTier, repeated, test } from '../../../test/support/tier.ts';
import type { Followed, Inbox } from './api-types.ts';
import { MOST_FOLLOWED } from './followed.ts';

const TOKENS = {
  rea: { c: 'READ_CURATED' },
  ann: { c: 'WRITE_COLLECTION' },
  cora: { c: 'CURATOR' },
  carl: { c: 'CURATOR' },
};

async function world(t: TestContext, collection: object) {
  const service = await testApp(t, { collections: { c: collection }, tokens: TOKENS });
  const send = async (method: string, url: string, token: string, json?: object) => {
    const answer = await service.request(method, url, { token, ...(json && { json }) });
    assert.equal(answer.status, 200, `${url}: ${answer.text}`);
    return answer;
  };
  return {
    service,
    send,
    put: (name: string, more: object = {}, token = 'cora') =>
      send('POST', '/c/curated/record/Person', token, person(name, more)),
    remove: (name: string) => send('DELETE', `/c/curated/record?pid=labid:${name}`, 'cora'),
    follow: (token: string, name: string) =>
      send('PUT', '/-/c/inbox/followed', token, { pid: `labid:${name}` }),
    followed: async (token: string) => (await send('GET', '/-/c/inbox/followed', token)).json<Followed>(),
    inbox: async (token: string, query = '') =>
      (await send('GET', `/-/c/inbox${query}`, token)).json<Inbox>(),
  };
}

const linesOf = ({ items }: Inbox) =>
  items.map(({ kind, pid, title, by }) => [kind, pid.replace('labid:', ''), title, by]);

for (const type of ofTier(['record_dir', 'postgresql']))
  describe(`records that are followed in ${type}`, () => {
    repeated(
      'their last change by another user is in the inbox, once they are followed and until they are not',
      async (t) => {
        const { service, put, remove, follow, followed, inbox, send } = await world(t, { backend: { type } });
        for (const name of ['a', 'b', 'c']) await put(name);
        for (const name of ['a', 'b', 'a']) await follow('rea', name);
        await follow('cora', 'a');
        assert.deepEqual(await followed('rea'), { records: ['labid:b', 'labid:a'], visit: null });
        assert.deepEqual(linesOf(await inbox('rea')), []);

        for (const name of ['Ada', 'Ada B.']) await put('a', { name });
        await put('c', { name: 'Cleo' });
        assert.deepEqual(linesOf(await inbox('rea')), [['changed', 'a', 'Ada B.', null]]);
        assert.deepEqual(linesOf(await inbox('cora')), [], 'it was the user');
        await put('a', { name: 'Ada C.' }, 'carl');
        assert.deepEqual(linesOf(await inbox('cora')), [['changed', 'a', 'Ada C.', 'carl@example.org']]);
        await remove('b');
        const all = await inbox('rea');
        assert.deepEqual(linesOf(all), [
          ['deleted', 'b', null, null],
          ['changed', 'a', 'Ada C.', null],
        ]);

        // Pages and marks are as those of other events.
        const { next } = await inbox('rea', '?limit=1');
        const rest = await inbox('rea', `?limit=1&after=${next}`);
        assert.deepEqual([linesOf(rest), rest.next], [linesOf(all).slice(1), null]);
        await send('PUT', '/-/c/inbox/read', 'rea', { cursor: all.cursor });
        assert.equal((await inbox('rea')).unread, 0);
        await put('a', { name: 'Ada D.' });
        assert.equal((await inbox('rea')).unread, 1);

        await send('DELETE', '/-/c/inbox/followed?pid=labid:a', 'rea');
        assert.deepEqual((await followed('rea')).records, ['labid:b']);
        assert.doesNotMatch(JSON.stringify(await inbox('rea')), /Ada/);
        const json = { pid: 'labid:x' };
        const missing = await service.request('PUT', '/-/c/inbox/followed', { token: 'rea', json });
        assert.equal(missing.status, 404);
      },
    );

    repeated(
      'their changes are among those of submissions, in the order of time, on pages of any size',
      async (t) => {
        const { put, follow, inbox, send } = await world(t, { backend: { type } });
        for (const name of ['a', 'b', 'c']) {
          await put(name);
          await follow('carl', name);
        }
        for (const name of ['a', 'b', 'c']) {
          await send('POST', '/c/record/Person', 'ann', person(`of-${name}`));
          await put(name, { name: `${name}2` });
        }
        const expected = ['c', 'of-c', 'b', 'of-b', 'a', 'of-a'];
        for (const limit of [1, 2, 4, 50]) {
          const found: string[] = [];
          for (let next: string | null = ''; next !== null; ) {
            const page: Inbox = await inbox('carl', `?limit=${limit}${next && `&after=${next}`}`);
            found.push(...page.items.map(({ pid }) => pid.replace('labid:', '')));
            next = page.next;
          }
          assert.deepEqual(found, expected, `limit ${limit}`);
        }
      },
    );

    repeated('one that the reader may no longer see is silent, whatever becomes of it', async (t) => {
      const policies = {
        ...{ policy_annotation_tag: TAG, default_policy: 'x' },
        policy_mapping: [of('rea', 'x'), of('cora', 'x', 'y')],
      };
      const { service, put, remove, follow, followed, inbox } = await world(t, {
        backend: { type },
        ...policies,
      });
      const hidden = { annotations: { [TAG]: 'y' } };
      for (const name of ['shown', 'left', 'ended']) await put(name);
      await put('secret', hidden);
      for (const name of ['shown', 'left', 'ended']) await follow('rea', name);
      const json = { pid: 'labid:secret' };
      const refused = await service.request('PUT', '/-/c/inbox/followed', { token: 'rea', json });
      assert.equal(refused.status, 404);
      for (const name of ['left', 'ended']) await put(name, { name: 'Hidden', ...hidden });
      await put('left', { name: 'Hidden again', ...hidden });
      await remove('ended');
      await put('shown', { name: 'Shown' });
      assert.deepEqual(linesOf(await inbox('rea')), [['changed', 'shown', 'Shown', null]]);
      assert.deepEqual((await followed('rea')).records, ['labid:ended', 'labid:left', 'labid:shown']);
      await put('left', { name: 'Back' });
      assert.deepEqual(linesOf(await inbox('rea'))[0], ['changed', 'left', 'Back', null]);
    });

    repeated(
      'one that is merged into a hidden one is deleted, and the list does not say of what it is part',
      { skip: lacks('curate') },
      async (t) => {
        const policies = { policy_annotation_tag: TAG, policy_mapping: [of('rea', 'x')] };
        const { put, follow, followed, inbox, send } = await world(t, { backend: { type }, ...policies });
        for (const name of ['kept', 'dropped']) {
          await put(name);
          await follow('rea', name);
        }
        await put('kept', { annotations: { [TAG]: 'y' } });
        const merge = { keep: 'labid:kept', drop: 'labid:dropped', take: { '': 'keep' } };
        await send('POST', '/-/c/curated/merge', 'cora', merge);
        assert.deepEqual((await followed('rea')).records, ['labid:dropped', 'labid:kept']);
        assert.deepEqual(linesOf(await inbox('rea')), [['deleted', 'dropped', null, null]]);
        await send('DELETE', '/-/c/inbox/followed?pid=labid:kept', 'rea');
        assert.deepEqual((await followed('rea')).records, ['labid:dropped']);
      },
    );

    repeated(
      'one that is renamed is followed under its new name, and stopped under either',
      {
        skip: lacks('curate'),
      },
      async (t) => {
        const { service, put, follow, followed, inbox, send } = await world(t, { backend: { type } });
        await put('a');
        await follow('rea', 'a');
        const renamed = { from: 'labid:a', to: 'labid:b' };
        await send('POST', '/-/c/curated/rename', 'cora', renamed);
        assert.deepEqual((await followed('rea')).records, ['labid:b']);
        assert.deepEqual(linesOf(await inbox('rea')), [['changed', 'b', 'a', null]]);
        await put('b', { name: 'Ada' });
        assert.deepEqual(linesOf(await inbox('rea')), [['changed', 'b', 'Ada', null]]);
        await follow('rea', 'b');
        assert.equal((await followed('rea')).records.length, 1);

        const token = (await send('GET', '/tokens/rea', ADMIN)).json<{ collections: { c: object } }>();
        const setMode = async (mode: string) => {
          const json = { ...token, collections: { c: { ...token.collections.c, mode } } };
          const { status, text } = await service.request('PUT', '/tokens/rea', { token: ADMIN, json });
          assert.ok(status < 300, text);
        };
        await setMode('READ_SUBMISSIONS');
        assert.deepEqual((await followed('rea')).records, ['labid:a'], 'the new name is for readers');
        assert.deepEqual(linesOf(await inbox('rea')), []);
        await setMode('READ_CURATED');
        assert.deepEqual((await followed('rea')).records, ['labid:b']);
        await send('DELETE', '/-/c/inbox/followed?pid=labid:b', 'rea');
        assert.deepEqual((await followed('rea')).records, []);
      },
    );
  });

test('a user follows at most so many records, and a visit of the collection is kept beside them', async (t) => {
  const { service, put, follow, followed, send } = await world(t, {});
  for (let at = 0; at < MOST_FOLLOWED; at++) {
    await put(`p${at}`);
    await follow('ann', `p${at}`);
  }
  await put('more');
  const json = { pid: 'labid:more' };
  const { status, headers } = await service.request('PUT', '/-/c/inbox/followed', { token: 'ann', json });
  assert.deepEqual([status, headers['accession-error']], [409, 'followed_too_many']);
  await follow('ann', 'p0');

  await send('PUT', '/-/c/inbox/visit', 'ann', { cursor: '7' });
  await send('PUT', '/-/c/inbox/visit', 'ann', { cursor: '8' });
  const { visit } = await followed('ann');
  assert.equal(visit?.cursor, '8');
  assert.ok(Math.abs(Date.parse(visit.time) - Date.now()) < 60_000, visit.time);
  assert.equal((await followed('rea')).visit, null);
  await send('PUT', '/-/c/inbox/visit', 'ann', { cursor: null });
  assert.equal((await followed('ann')).visit, null);
});
