/** A process that only reads a store rehearses schemas: that changes nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { change, pair } from '../../../test/follow/pair.ts';
import { ADMIN } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';

test('a process that only reads a store rehearses schemas', async (t) => {
  const { owner, follower } = await pair(t, 'sqlite');
  await change(owner, 'POST', '/lab/curated/record/Person', person('ada'));
  const { schema } = owner.app.registry.collection('lab').config;
  const rehearsal = await change(follower, 'POST', '/-/lab/rehearse', { address: schema }, ADMIN);
  assert.match(rehearsal.text, /"by_outcome":\{"valid":1/);
});
