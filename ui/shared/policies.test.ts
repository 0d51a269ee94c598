import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policiesIn, policyKeys, withPolicy } from './policies.ts';

const TAGS = ['lab:policy', 'https://example.org/policy'];

test('the policies of a record are found in both forms and all spellings', () => {
  const long = { annotation_tag: 'lab:policy', annotation_value: 'y' };
  for (const [annotations, found] of [
    [{ 'lab:policy': 'x', 'lab:other': 'z' }, ['x']],
    [{ 'https://example.org/policy': 'x', 'lab:policy': 'y' }, ['x', 'y']],
    [{ 'lab:policy': long }, ['y']],
    [{ 'lab:policy': 7 }, ['7']],
    [{}, []],
    [null, []],
  ] as const)
    assert.deepEqual(policiesIn({ pid: 'lab:a', annotations }, TAGS), found);
  assert.deepEqual(policiesIn({ pid: 'lab:a' }, TAGS), []);
});

test('a record gets one policy, and keeps its other annotations', () => {
  const record = { pid: 'lab:a', annotations: { 'https://example.org/policy': 'x', 'lab:other': 'z' } };
  assert.deepEqual(withPolicy(record, TAGS, 'y'), {
    pid: 'lab:a',
    annotations: { 'lab:other': 'z', 'lab:policy': 'y' },
  });
  assert.deepEqual(withPolicy(record, TAGS, ''), { pid: 'lab:a', annotations: { 'lab:other': 'z' } });
  assert.deepEqual(withPolicy({ pid: 'lab:a', annotations: { 'lab:policy': 'x' } }, TAGS, ''), {
    pid: 'lab:a',
  });
});

test('keys that set nothing are not policies of a collection', () => {
  const collection = {
    name: 'lab',
    policy_mapping: [],
    default_policy: null,
    policy_annotation_tag: 'lab:p',
  };
  assert.deepEqual(policyKeys(collection), { policy_annotation_tag: 'lab:p' });
});
