/** Comments on submissions: questions, requests for changes, answers; on each backend, and held against the description. */
import assert from 'node:assert/strict';
import { ADA, decide, item, type On, onEach, person, type Row, store } from '../endpoints.support.ts';

type Talk = { requested: string | null; commented_at: string | null; comments: Comment[] };
type Comment = { author: string | null; role: string; requests: string | null; text: string };

async function ask({ service, c }: On, body: object) {
  const json = { label: 'ann', pid: 'labid:ada', text: 'Which Ada?', ...body };
  return service.request('POST', `/-/${c}/review/comments`, { token: 'cora', json });
}

async function answer({ service, c }: On, json: object, token = 'ann') {
  return service.request('POST', `/-/${c}/submissions/comments`, { token, json });
}

async function own({ service, c }: On, pid: string) {
  const found = await service.request('GET', `/-/${c}/submissions/item?pid=${pid}`, { token: 'ann' });
  return found.json<Talk & { status: string }>();
}

async function selected({ service, c }: On, query: string): Promise<string[]> {
  const found = await service.request('GET', `/-/${c}/review/?${query}`, { token: 'cora' });
  assert.equal(found.status, 200, found.text);
  return found.json<{ items: Row[] }>().items.map(({ pid }) => pid);
}

onEach(
  'A question is read by the submitter, and the answer by curators; the request ends with it',
  async (on) => {
    await store(on, 'ann', ADA);
    await store(on, 'ann', person('bea'));
    const before = await item(on, 'labid:ada');
    assert.equal((await ask(on, { requests: 'answer' })).status, 200);
    const asked = (await item(on, 'labid:ada')) as Row & Talk;
    assert.deepEqual([asked.requested, asked.digest, asked.state], ['answer', before.digest, 'new']);
    assert.deepEqual(await selected(on, 'requested=answer'), ['labid:ada']);
    assert.deepEqual(await selected(on, 'requested=changes'), []);

    const { service, c } = on;
    const listed = await service.request('GET', `/-/${c}/submissions/?requested=answer`, { token: 'ann' });
    const { items, total } = listed.json<{ total: number; items: (Row & { commented_by: string })[] }>();
    assert.deepEqual([total, items[0]?.pid, items[0]?.commented_by], [1, 'labid:ada', 'curator']);
    const seen = await own(on, 'labid:ada');
    assert.deepEqual([seen.status, seen.requested], ['waiting', 'answer']);
    assert.deepEqual(
      seen.comments.map(({ author, role, requests, text }) => [author, role, requests, text]),
      [[null, 'curator', 'answer', 'Which Ada?']],
    );
    assert.equal((await answer(on, { pid: 'labid:ada', text: 'Byron.' })).status, 200);
    const answered = (await item(on, 'labid:ada')) as Row & Talk;
    assert.equal(answered.requested, null);
    assert.deepEqual(
      answered.comments.map(({ author, text }) => [author, text]),
      [
        ['cora@example.org', 'Which Ada?'],
        ['ann@example.org', 'Byron.'],
      ],
    );
    assert.deepEqual(await selected(on, 'requested=answer,changes'), []);
  },
);

onEach('Changes are requested without a decision, until other content or a message is stored', async (on) => {
  await store(on, 'ann', ADA);
  await ask(on, { requests: 'changes', text: 'Add an email.' });
  await store(on, 'ann', ADA);
  assert.equal((await own(on, 'labid:ada')).requested, 'changes', 'the same claim answers nothing');
  await store(on, 'ann', { ...ADA, email: 'ada@example.org' });
  assert.deepEqual(
    [(await own(on, 'labid:ada')).requested, (await own(on, 'labid:ada')).status],
    [null, 'waiting'],
  );
  await ask(on, { requests: 'changes', text: 'Another one.' });
  await store(on, 'ann', { ...ADA, email: 'ada@example.org' }, '?message=This%20is%20it.');
  assert.equal((await own(on, 'labid:ada')).requested, null);

  const { digest } = await item(on, 'labid:ada');
  const body = { label: 'ann', pid: 'labid:ada', digest };
  await decide(on, { ...body, decision: 'defer', reason: 'Which Ada?' });
  assert.equal((await own(on, 'labid:ada')).status, 'deferred');
  await answer(on, { pid: 'labid:ada', text: 'Byron.' });
  assert.equal((await own(on, 'labid:ada')).status, 'waiting', 'an answer ends a deferral');
  await decide(on, { ...body, decision: 'reject', reason: 'No.' });
  await answer(on, { pid: 'labid:ada', text: 'Why?' });
  assert.equal((await own(on, 'labid:ada')).status, 'rejected', 'an answer ends no rejection');
  await decide(on, { ...body, decision: 'accept', overturn: true });
  assert.equal((await own(on, 'labid:ada')).comments.length, 4, 'the conversation outlives the submission');
  assert.equal((await answer(on, { pid: 'labid:ada', text: 'Thanks.' })).status, 404);
  assert.equal((await ask(on, {})).status, 404);
});

onEach('Comments are bounded, and belong to their zone', async (on) => {
  const { service, c } = on;
  await store(on, 'ann', ADA);
  await store(on, 'bob', ADA);
  assert.equal((await ask(on, { text: 'x'.repeat(4001) })).status, 422);
  assert.equal((await ask(on, { requests: 'money' })).status, 422);
  assert.equal((await answer(on, { pid: 'labid:ada', text: 'x' }, 'one')).status, 403);
  assert.equal((await answer(on, { pid: 'labid:none', text: 'x' })).status, 404);
  for (let n = 0; n < 200; n++)
    assert.equal((await answer(on, { pid: 'labid:ada', text: `${n}` })).status, 200);
  for (const full of [await answer(on, { pid: 'labid:ada', text: 'more' }), await ask(on, {})])
    assert.deepEqual(
      [full.status, full.json<{ detail: { type: string }[] }>().detail[0]?.type],
      [409, 'comments_full'],
    );
  const others = await service.request('GET', `/-/${c}/submissions/item?pid=labid:ada`, { token: 'bob' });
  assert.deepEqual(others.json<Talk>().comments, []);
});

onEach('Of several comments, each is made or refused on its own', async (on) => {
  for (const pid of ['ada', 'bea']) await store(on, 'ann', person(pid));
  const { service, c } = on;
  const one = (pid: string, label = 'ann') => ({ label, pid, text: 'Which lab?', requests: 'changes' });
  const json = [one('labid:ada'), one('labid:nobody'), one('labid:bea', 'nowhere'), one('labid:bea')];
  const sent = await service.request('POST', `/-/${c}/review/comments`, { token: 'cora', json });
  assert.equal(sent.status, 200, sent.text);
  type Result = { status: number; pid: string; comment?: Comment; detail?: { type: string }[] };
  const { results } = sent.json<{ results: Result[] }>();
  assert.deepEqual(
    results.map(({ status, pid, comment, detail }) => [status, pid, comment?.requests ?? detail?.[0]?.type]),
    [
      [200, 'labid:ada', 'changes'],
      [404, 'labid:nobody', 'record_missing'],
      [404, 'labid:bea', 'label_unknown'],
      [200, 'labid:bea', 'changes'],
    ],
  );
  assert.deepEqual(await selected(on, 'requested=changes'), ['labid:ada', 'labid:bea']);
});

onEach('The queue is filtered by whether a submission has conflicts', async (on) => {
  const { service, c } = on;
  const email = (name: string, address: string) => person(name, { email: `${address}@example.org` });
  const curated = (name: string, address: string) =>
    service.request('POST', `/${c}/curated/record/Person`, { token: 'cora', json: email(name, address) });
  await curated('ada', 'old');
  await store(on, 'ann', email('ada', 'new'));
  await store(on, 'ann', person('bea'));
  assert.deepEqual(await selected(on, 'conflicts=true'), []);
  await curated('ada', 'other');
  assert.deepEqual(await selected(on, 'conflicts=true'), ['labid:ada']);
  assert.deepEqual(await selected(on, 'conflicts=false'), ['labid:bea']);
});
