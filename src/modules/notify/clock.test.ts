/** A clock that was ahead: what happens after it was set back is unread, and the newest. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { withClock, YEAR } from '../../../test/support/clock.ts';
import { person } from '../../../test/support/people.ts';
import { MINUTE } from '../../core/durations.ts';
import type { Inbox } from './api-types.ts';

async function inboxes(t: TestContext) {
  const tokens = Object.fromEntries(['ann', 'bob'].map((name) => [name, { c: 'WRITE_COLLECTION' }]));
  const service = await withClock(t, tokens);
  const { request } = service;
  const send = async (method: string, url: string, token: string, json?: object) => {
    const answer = await request(method, url, { token, ...(json && { json }) });
    assert.equal(answer.status, 200, `${url}: ${answer.text}`);
    return answer;
  };
  const inbox = async (token: string, query = '') =>
    (await send('GET', `/-/c/inbox${query}`, token)).json<Inbox>();
  const seen = async (token: string) => {
    const { items, unread } = await inbox(token);
    return [unread, ...items.map(({ kind, pid, unread }) => `${unread ? '*' : ''}${kind} ${pid.slice(6)}`)];
  };
  const read = async (token: string) =>
    send('PUT', '/-/c/inbox/read', token, { cursor: (await inbox(token)).cursor });
  const submit = (user: string, name: string) => send('POST', '/c/record/Person', user, person(name));
  const comment = (label: string, name: string) =>
    send('POST', '/-/c/review/comments', 'cleo', { label, pid: `labid:${name}`, text: 'Which?' });
  return { ...service, send, inbox, seen, read, submit, comment };
}

test('what happens after the clock was set back is unread and comes first, of submissions and of followed records', async (t) => {
  const { now, set, put, send, inbox, seen, read, submit, comment } = await inboxes(t);
  await put('ada');
  await send('PUT', '/-/c/inbox/followed', 'ann', { pid: 'labid:ada' });
  set(now + YEAR);
  for (const name of ['a', 'b']) await submit('ann', name);
  await comment('ann', 'a');
  await put('ada', 'Changed');
  assert.deepEqual((await seen('ann'))[0], 2);
  assert.deepEqual(await seen('cleo'), [2, '*submitted b', '*submitted a']);
  for (const token of ['ann', 'cleo']) await read(token);
  assert.deepEqual(await seen('cleo'), [0, 'submitted b', 'submitted a']);

  set(now + MINUTE);
  await submit('bob', 'c');
  await comment('ann', 'b');
  assert.deepEqual(await seen('cleo'), [1, '*submitted c', 'submitted b', 'submitted a']);
  assert.deepEqual((await seen('ann')).slice(0, 2), [1, '*comment b']);
  await read('ann');
  await put('ada', 'Again');
  assert.deepEqual((await seen('ann')).slice(0, 2), [1, '*changed ada']);
  for (const token of ['ann', 'cleo']) {
    await read(token);
    assert.equal((await seen(token))[0], 0);
  }

  // Each is on one page.
  const all = (await inbox('ann')).items;
  const paged: Inbox['items'][number][] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page = await inbox('ann', `?limit=1${next && `&after=${next}`}`);
    paged.push(...page.items);
    next = page.next;
  }
  assert.deepEqual(paged, all);
});

test('a mark and items of an earlier release have times alone, and what happens later is unread', async (t) => {
  const { app, seen, read, submit, comment, put, send, now, set } = await inboxes(t);
  await put('ada');
  await send('PUT', '/-/c/inbox/followed', 'ann', { pid: 'labid:ada' });
  await submit('ann', 'a');
  await comment('ann', 'a');
  set(now + MINUTE);
  await put('ada', 'Changed');
  await comment('ann', 'a');
  await read('ann');
  await app.registry.collection('c').database.transact(async (draft) => {
    for (const column of ['submitted_change', 'settled_change', 'faulty_change'])
      draft.run(`UPDATE accession_submission SET ${column} = 0`);
    draft.run('UPDATE accession_comment SET change = 0');
    draft.run('UPDATE accession_inbox_read SET queue = 0, change = 0, revision = 0, until = $1', [
      now * 1000,
    ]);
  });
  assert.deepEqual(await seen('ann'), [2, '*comment a', '*changed ada', 'comment a']);
  set(now - YEAR);
  await comment('ann', 'a');
  assert.deepEqual(await seen('ann'), [3, '*changed ada', '*comment a', '*comment a', 'comment a']);
  await read('ann');
  assert.deepEqual((await seen('ann'))[0], 0);
});
