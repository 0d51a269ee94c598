/** A collection that requires two approvals: two people, neither the submitter, accept the same version; on both databases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestService, testApp } from '../../../../test/support/app.ts';
import { person } from '../../../../test/support/people.ts';
import { ownDatabase } from '../../../../test/support/postgresql.ts';
import { ofTier } from '../../../../test/support/tier.ts';

const CURATORS = ['cora', 'carl', 'cleo'];
const CONFIGURATION = {
  collections: { c: {} },
  tokens: {
    ann: { c: 'WRITE_COLLECTION' },
    ...Object.fromEntries(CURATORS.map((name) => [name, { c: 'CURATOR' }])),
  },
};

type Item = {
  digest: string;
  curated_etag: string | null;
  standing: string;
  approvals: { id: string; reviewer: string }[];
  approved: { given_name?: string } | null;
  last: object | null;
};

function actions({ request }: TestService) {
  const send = (method: string, url: string, token: string, json?: object) =>
    request(method, url, { token, ...(json && { json }) });
  const ok = async (method: string, url: string, token: string, json?: object) => {
    const answer = await send(method, url, token, json);
    assert.ok(answer.status < 300, `${method} ${url}: ${answer.text}`);
    // biome-ignore lint/suspicious/noExplicitAny: of any form
    return answer.json<any>();
  };
  const item = (name: string, label = 'ann'): Promise<Item> =>
    ok('GET', `/-/c/review/item?label=${label}&pid=labid:${name}`, 'cora');
  return {
    ok,
    item,
    submit: (token: string, name: string, others: object = {}) =>
      ok('POST', '/c/record/Person', token, { ...person(name), ...others }),
    /** The verdict that an accept has, or the code of its refusal. */
    async accept(by: string, name: string, others: object = {}): Promise<string> {
      const { label = 'ann', ...more } = others as { label?: string };
      const { digest } = await item(name, label);
      const json = { label, pid: `labid:${name}`, digest, decision: 'accept', ...more };
      const { status, text } = await send('POST', '/-/c/review/decisions', by, json);
      const answer = JSON.parse(text);
      return status === 200 ? answer.decision : answer.detail[0].type;
    },
    reviewers: async (name: string) =>
      (await item(name)).approvals.map(({ reviewer }) => reviewer.replace('@example.org', '')),
    curated: async (name: string) =>
      (await ok('GET', `/c/curated/record?pid=labid:${name}`, 'cora')) !== null,
  };
}

for (const kind of ofTier(['SQLite', 'PostgreSQL'])) {
  const open = async (t: Parameters<typeof testApp>[0]) => {
    const service = await testApp(
      t,
      CONFIGURATION,
      kind === 'SQLite' ? {} : { databaseUrl: await ownDatabase() },
    );
    const made = actions(service);
    await made.ok('PUT', '/-/c/settings', 'cora', { review: { approvals: 2 } });
    return made;
  };

  test(`${kind}: a record is curated once two people have accepted its version, neither of them its submitter`, async (t) => {
    const { submit, accept, reviewers, curated, item, ok } = await open(t);
    await submit('ann', 'a');
    assert.equal(await accept('cora', 'a'), 'approve');
    assert.equal(await accept('cora', 'a'), 'already_decided');
    assert.deepEqual(await reviewers('a'), ['cora']);
    assert.equal(await curated('a'), false);
    const { standing, last } = await item('a');
    assert.deepEqual([standing, last], ['waiting', null]);
    // A submitter does not see approvals: the submission waits.
    const own = await ok('GET', '/-/c/submissions/item?pid=labid:a', 'ann');
    assert.deepEqual([own.status, own.decisions, own.decided_at], ['waiting', [], null]);
    assert.equal(await accept('carl', 'a'), 'accept');
    assert.equal(await curated('a'), true);
    const made = await ok('GET', '/-/c/review/decisions?pid=labid:a', 'cora');
    assert.deepEqual(
      made.items.map(({ decision, reviewer }: { decision: string; reviewer: string }) => [
        decision,
        reviewer,
      ]),
      [
        ['accept', 'carl@example.org'],
        ['approve', 'cora@example.org'],
      ],
    );

    // Curators submit, too, and others decide on that.
    await submit('cora', 'mine');
    assert.equal(await accept('cora', 'mine', { label: 'cora' }), 'own_submission');
    assert.equal(await accept('carl', 'mine', { label: 'cora' }), 'approve');
    assert.equal(await accept('cora', 'mine', { label: 'cora' }), 'own_submission');
    assert.equal(await accept('cleo', 'mine', { label: 'cora' }), 'accept');
  });

  test(`${kind}: an approval is of a version: a resubmission, a change of the curated record, another result or a rejection leaves it behind`, async (t) => {
    const { submit, accept, reviewers, curated, item, ok } = await open(t);
    const refuse = async (by: string, decision: string) => {
      const { digest } = await item('a');
      const json = { label: 'ann', pid: 'labid:a', digest, decision, reason: 'so' };
      return ok('POST', '/-/c/review/decisions', by, json);
    };
    await submit('ann', 'a');
    assert.equal(await accept('cora', 'a'), 'approve');
    await submit('ann', 'a', { given_name: 'Other' });
    assert.deepEqual(await reviewers('a'), []);
    assert.equal(await accept('carl', 'a'), 'approve');

    await ok('POST', '/c/curated/record/Person', 'cleo', { ...person('a'), email: 'a@example.org' });
    assert.deepEqual(await reviewers('a'), []);
    const { curated_etag } = await item('a');
    const record = { schema_type: 'schema:Person', ...person('a'), given_name: 'Edited' };
    const edited = { record, if_curated: curated_etag };
    assert.equal(await accept('carl', 'a', edited), 'approve');
    assert.equal((await item('a')).approved?.given_name, 'Edited');
    assert.equal(
      await accept('cora', 'a', { take: { '': 'submitted' }, if_curated: curated_etag }),
      'approve',
    );
    assert.deepEqual(await reviewers('a'), ['cora', 'carl']);

    await refuse('cleo', 'reject');
    assert.deepEqual(await reviewers('a'), []);
    assert.equal(await accept('cora', 'a', { ...edited, overturn: true }), 'approve');
    assert.equal((await item('a')).standing, 'rejected');
    assert.equal(
      await accept('carl', 'a', { ...edited, overturn: true, if_curated: '"old"' }),
      'precondition_failed',
    );
    assert.equal(await accept('carl', 'a', { ...edited, overturn: true }), 'accept');
    assert.equal(await curated('a'), true);
  });

  test(`${kind}: approvals are undone, made on many and with references, and stay while what they accept is accepted`, async (t) => {
    const { submit, accept, reviewers, curated, item, ok } = await open(t);
    for (const name of ['a', 'b', 'c']) await submit('ann', name);
    const byFilter = async (by: string, expected: number) => {
      const json = { filter: {}, expected, decision: 'accept' };
      const { results } = await ok('POST', '/-/c/review/decisions/by-filter', by, json);
      return results.map(
        (one: { status: number; decision: { decision: string }; detail: [{ type: string }] }) =>
          one.status === 200 ? one.decision.decision : one.detail[0].type,
      );
    };
    assert.equal(await accept('carl', 'b'), 'approve');
    assert.deepEqual(await byFilter('cora', 3), ['approve', 'accept', 'approve']);
    assert.deepEqual(await byFilter('cora', 2), ['already_decided', 'already_decided']);

    const [approval] = (await item('a')).approvals;
    await ok('POST', `/-/c/review/decisions/${approval!.id}/undo`, 'cora', {});
    assert.deepEqual(await reviewers('a'), []);
    assert.equal(await accept('cora', 'a'), 'approve');

    // In one step with a reference, both need two.
    const { digest } = await item('c');
    const together = { with_references: [{ pid: 'labid:c', digest }] };
    await ok('POST', `/-/c/review/decisions/${(await item('c')).approvals[0]!.id}/undo`, 'cora', {});
    assert.equal(await accept('carl', 'a', together), 'approve');
    assert.deepEqual([await reviewers('a'), await reviewers('c')], [['carl', 'cora'], ['carl']]);
    const [first] = (await item('a')).approvals;
    assert.equal(await accept('cora', 'a', together), 'accept');
    assert.deepEqual([await curated('a'), await curated('c')], [true, true]);
    await assert.rejects(
      ok('POST', `/-/c/review/decisions/${first!.id}/undo`, 'cora', {}),
      /already_decided/,
    );
  });
}
