import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyValueFrom } from './json.ts';

test('numbers in a field for any value keep their spelling', () => {
  for (const text of ['1.50', '9007199254740993', '{"a":[1e3,-0.0,7]}'])
    assert.equal(JSON.stringify(anyValueFrom(text)), text);
});

test('what is not JSON is a string, and an empty field has no value', () => {
  assert.equal(anyValueFrom('{no'), '{no');
  assert.equal(anyValueFrom(' '), undefined);
});
