import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftDifferences, mergedDraft } from './draft-difference.ts';

const base = { pid: 'ex:a', name: 'A', status: 'planned', text: 'one' };
const stored = { pid: 'ex:a', name: 'A', status: 'active', text: 'two' };
const draft = { pid: 'ex:a', name: 'B', status: 'planned', text: 'three' };

test('a draft differs by who has changed a slot, and both is a conflict', () => {
  const found = draftDifferences(base, stored, draft).map((one) => [one.slot, one.changed_by, one.conflict]);
  assert.deepEqual(found, [
    ['name', 'submitter', false],
    ['status', 'curator', false],
    ['text', 'both', true],
  ]);
  assert.deepEqual(
    draftDifferences(undefined, stored, draft).map(({ conflict }) => conflict),
    [true, true, true],
  );
  assert.deepEqual(draftDifferences(base, stored, stored), []);
});

test('what a colleague has stored stays, unless the draft has changed it or its side is chosen', () => {
  const differences = draftDifferences(base, stored, draft);
  assert.deepEqual(mergedDraft(stored, differences, { '/text': 'curated' }), { ...stored, name: 'B' });
  assert.deepEqual(mergedDraft(stored, differences, { '/text': 'submitted', '/status': 'submitted' }), draft);
  const without = draftDifferences(base, stored, { ...base, name: 'B' }).filter(
    ({ slot }) => slot !== 'text',
  );
  assert.deepEqual(mergedDraft(stored, without, {}), { ...stored, name: 'B' });
});
