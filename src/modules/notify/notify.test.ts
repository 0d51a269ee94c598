/** The inbox: each person is informed of what concerns them once, and of nothing else, on both databases. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { of, TAG } from '../../../test/policies/world.ts';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';
import { BEFORE } from '../../../test/support/schemas.ts';
import { ofTier, repeated } from '../../../test/support/tier.ts';
import type { Inbox } from './api-types.ts';

const TOKENS = {
  ann: { c: 'WRITE_COLLECTION' },
  bob: { c: 'WRITE_COLLECTION' },
  rea: { c: 'READ_CURATED' },
  cora: { c: 'CURATOR' },
  carl: { c: 'CURATOR' },
};

for (const type of ofTier(['record_dir', 'postgresql']))
  describe(`the inbox of a user in ${type}`, () => {
    repeated(
      'has decisions and questions for the submitter, submissions and answers for curators, and nothing of others',
      async (t) => {
        const { request } = await testApp(t, { collections: { c: { backend: { type } } }, tokens: TOKENS });
        const send = async (method: string, url: string, token: string, json?: object) => {
          const answer = await request(method, url, { token, ...(json && { json }) });
          assert.equal(answer.status, 200, `${url}: ${answer.text}`);
          return answer;
        };
        const inbox = async (token: string, query = '') =>
          (await send('GET', `/-/c/inbox${query}`, token)).json<Inbox>();
        const kinds = async (token: string) =>
          (await inbox(token)).items.map(({ kind, pid, requests, by }) => [kind, pid.slice(6), requests, by]);
        await send('POST', '/c/record/Person', 'ann', person('a'));
        await send('POST', '/c/record/Person', 'bob', person('b'));
        const ofAnn = ['submitted', 'a', null, 'ann@example.org'];
        const ofBob = ['submitted', 'b', null, 'bob@example.org'];
        assert.deepEqual(await kinds('cora'), [ofBob, ofAnn]);
        assert.deepEqual(await kinds('ann'), []);
        assert.deepEqual(await kinds('rea'), []);

        await send('POST', '/-/c/review/comments', 'cora', {
          label: 'ann',
          pid: 'labid:a',
          text: 'Which?',
          requests: 'answer',
        });
        const { cursor: asked } = await inbox('ann');
        assert.deepEqual(await kinds('ann'), [['comment', 'a', 'answer', null]]);
        assert.deepEqual(await kinds('bob'), []);
        await send('POST', '/-/c/submissions/comments', 'ann', { pid: 'labid:a', text: 'This one.' });
        for (const curator of ['cora', 'carl'])
          assert.deepEqual(await kinds(curator), [['comment', 'a', null, 'ann@example.org'], ofBob, ofAnn]);

        const item = (await send('GET', '/-/c/review/item?label=ann&pid=labid:a', 'cora')).json<{
          digest: string;
        }>();
        await send('POST', '/-/c/review/decisions', 'cora', {
          label: 'ann',
          pid: 'labid:a',
          decision: 'accept',
          digest: item.digest,
        });
        const before = await inbox('ann');
        assert.deepEqual(
          before.items.map(({ kind, text, unread }) => [kind, text, unread]),
          [
            ['accepted', null, true],
            ['comment', 'Which?', true],
          ],
        );
        assert.equal(before.unread, 2);

        // The mark is that of the person, and what happens later is unread.
        await send('PUT', '/-/c/inbox/read', 'ann', { cursor: asked });
        assert.deepEqual(
          (await inbox('ann')).items.map(({ unread }) => unread),
          [true, false],
        );
        await send('PUT', '/-/c/inbox/read', 'ann', { cursor: before.cursor });
        assert.equal((await inbox('ann', '?limit=1')).unread, 0);
        assert.equal((await inbox('cora')).unread, (await inbox('cora')).items.length);
        await send('PUT', '/-/c/inbox/read', 'ann', { cursor: null });
        assert.equal((await inbox('ann')).unread, 2);
        const { next } = await inbox('ann', '?limit=1');
        const rest = await inbox('ann', `?limit=1&after=${next}`);
        assert.deepEqual([rest.items.map(({ kind }) => kind), rest.next], [['comment'], null]);
        assert.equal((await request('GET', '/-/c/inbox?after=soon', { token: 'ann' })).status, 422);
        assert.equal((await request('GET', '/-/c/inbox', {})).status, 401);
      },
    );

    repeated(
      'has the faults that another schema finds in what waits, for its submitter, until it fits again',
      async (t) => {
        const folder = mkdtempSync(join(tmpdir(), 'accession-faults-'));
        t.after(() => rmSync(folder, { recursive: true, force: true }));
        const [text, numbers] = [join(folder, 'text.yaml'), join(folder, 'numbers.yaml')];
        writeFileSync(text, BEFORE);
        writeFileSync(numbers, BEFORE.replace('age: {}', 'age: { range: integer }'));
        const { request } = await testApp(t, {
          collections: { c: { schema: text, backend: { type } } },
          tokens: TOKENS,
        });
        const send = async (method: string, url: string, token: string, json?: object) => {
          const answer = await request(method, url, { token, ...(json && { json }) });
          assert.ok(answer.status < 300, `${url}: ${answer.text}`);
          return answer;
        };
        const faulty = async (token: string) =>
          (await send('GET', '/-/c/inbox', token))
            .json<Inbox>()
            .items.filter(({ kind }) => kind === 'faulty');
        const config = (await send('GET', '/collections/c', ADMIN)).json<object>();
        const replace = (schema: string) => send('PUT', '/collections/c', ADMIN, { ...config, schema });
        for (const [pid, age] of [
          ['ex:a', 'old'],
          ['ex:b', 'young'],
          ['ex:done', 'old'],
        ])
          await send('POST', '/c/record/Person', 'ann', { pid, mail: 'm', age });
        const { digest } = (await send('GET', '/-/c/review/item?label=ann&pid=ex:done', 'cora')).json<{
          digest: string;
        }>();
        const json = { label: 'ann', pid: 'ex:done', digest, decision: 'reject', reason: 'no' };
        await send('POST', '/-/c/review/decisions', 'cora', json);
        assert.deepEqual(await faulty('ann'), []);

        await replace(numbers);
        const found = await faulty('ann');
        assert.deepEqual(
          found.map(({ pid, by, unread }) => [pid, by, unread]),
          [
            ['ex:b', null, true],
            ['ex:a', null, true],
          ],
        );
        for (const token of ['bob', 'cora', 'rea']) assert.deepEqual(await faulty(token), [], token);
        await send('POST', '/c/record/Person', 'ann', { pid: 'ex:b', mail: 'm', age: 7 });
        assert.deepEqual(await faulty('ann'), found.slice(1));
        await replace(text);
        // A number is not a string.
        assert.deepEqual(
          (await faulty('ann')).map(({ pid }) => pid),
          ['ex:b'],
        );
      },
    );

    repeated('has nothing of a record that policies hide from the submitter', async (t) => {
      const policies = { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'x'), of('cora', 'x', 'y')] };
      const { request } = await testApp(t, {
        collections: { c: { backend: { type }, ...policies } },
        tokens: TOKENS,
      });
      for (const [name, policy] of [
        ['seen', 'x'],
        ['hidden', 'y'],
      ] as const) {
        const json = person(name, { annotations: { [TAG]: policy } });
        assert.equal(
          (await request('POST', '/c/incoming/ann/record/Person', { token: 'cora', json })).status,
          200,
        );
        const comment = { label: 'ann', pid: `labid:${name}`, text: 'Why?' };
        assert.equal(
          (await request('POST', '/-/c/review/comments', { token: 'cora', json: comment })).status,
          200,
        );
      }
      for (const [token, query] of [
        ['ann', ''],
        ['ann', '?limit=1'],
        ['carl', ''],
      ] as const) {
        const { text } = await request('GET', `/-/c/inbox${query}`, { token });
        assert.equal(/labid:seen/.test(text), token === 'ann', text);
        assert.doesNotMatch(text, /hidden/);
      }
      // Of changes that they do not see, a cursor says nothing.
      const cursors = await Promise.all(
        ['ann', 'carl'].map(
          async (token) => (await request('GET', '/-/c/inbox', { token })).json<Inbox>().cursor,
        ),
      );
      assert.equal(new Set(cursors.map((cursor) => cursor.length)).size, 1);
      assert.equal(new Set(cursors).size, 2);
      const { next } = (await request('GET', '/-/c/inbox?limit=1', { token: 'carl' })).json<Inbox>();
      for (const [cursor, status, unread] of [
        ['soon', 422, 1],
        ['A'.repeat(cursors[0]!.length), 422, 1],
        // Another use.
        [next ?? '', 422, 1],
        [cursors[0]!, 200, 0],
        [null, 200, 1],
      ] as const) {
        const marked = await request('PUT', '/-/c/inbox/read', { token: 'ann', json: { cursor } });
        assert.equal(marked.status, status, marked.text);
        const answer = await request('GET', '/-/c/inbox', { token: 'ann' });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json<Inbox>().unread, unread);
      }
    });
  });
