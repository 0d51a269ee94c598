/** What a submitter could notice of hidden curated records: tags, states, and policies that are not known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Change,
  curator,
  hidden,
  of,
  open,
  POLICIES,
  pair,
  TAG,
  TOKENS,
} from '../../../test/policies/world.ts';
import { testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';

test('decisions show no tag of a curated record that the submitter does not see', async (t) => {
  const service = await open(t, POLICIES, 'sqlite');
  const { request } = service;
  await curator(service, '/c/curated/record/Person', hidden('a'));
  await request('POST', '/c/record/Person', { token: 'ann', json: person('a', { given_name: 'Mine' }) });
  const queue = await request('GET', '/-/c/review/', { token: 'cleo' });
  const [row] = queue.json<{ items: { digest: string }[] }>().items;
  const decision = { label: 'ann', pid: 'labid:a', digest: row!.digest, decision: 'reject', reason: 'no' };
  assert.equal((await curator(service, '/-/c/review/decisions', decision)).status, 200);
  const item = await request('GET', '/-/c/submissions/item?pid=labid:a', { token: 'ann' });
  const { curated, decisions, state } = item.json<{
    curated: object | null;
    state: string;
    decisions: { curated_before: string | null; curated_after: string | null }[];
  }>();
  assert.deepEqual([curated, state, decisions.length], [null, 'new', 1]);
  assert.deepEqual([decisions[0]!.curated_before, decisions[0]!.curated_after], [null, null]);
});

test('the state of a submission does not show a curated record that has become hidden', async (t) => {
  const version = (area: 'curated' | 'zone', given_name: string, ...needs: string[]): Change => ({
    area,
    className: 'Person',
    needs,
    record: person('a1', {
      pid: 'labid:a1',
      given_name,
      ...(needs[0] !== undefined && { annotations: { [TAG]: needs[0] } }),
    }),
  });
  const policies = { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'p1')] };
  const changes = [version('curated', 'Ann'), version('zone', 'Bo'), version('curated', 'Ann', 'p2')];
  const { restricted, bare } = await pair(t, { policies, former: policies }, 'sqlite', changes, ['p1']);
  for (const service of [restricted, bare]) {
    const listed = await service.request('GET', '/-/c/submissions/', { token: 'ann' });
    assert.equal(listed.json<{ items: { state: string }[] }>().items[0]?.state, 'new');
  }
});

test('without information about policies, submitters wait', async (t) => {
  const policies = { policy_info_location: '/nowhere/policies.json' };
  const service = await testApp(t, { collections: { c: policies }, tokens: TOKENS });
  assert.equal((await service.request('GET', '/-/c/submissions/', { token: 'ann' })).status, 503);
});
