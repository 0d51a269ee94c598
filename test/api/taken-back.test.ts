/** Streams in progress end when what they rest on is taken back, and have no record that is stored after they began. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RECORDS, rest, testTakenBack, withRecords } from '../support/streams.ts';

testTakenBack('/-/c/export', 'reader');
testTakenBack('/-/c/export?format=ttl', 'reader');
testTakenBack('/-/c/curated/export', 'cleo');

test('an export has no record that was stored after it began, and ends if nothing is taken back', async () => {
  const { put, open } = await withRecords();
  const response = await open('/-/c/curated/export', 'author');
  await put('zzz');
  const { text, isWhole } = await rest(response);
  assert.ok(isWhole);
  assert.equal(text.trim().split('\n').length, RECORDS);
  assert.ok(!text.includes('zzz'));
});
