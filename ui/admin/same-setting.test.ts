import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collection } from './elements.ts';
import { isSameSetting } from './same-setting.ts';

test('a collection is as it was shown, if only the schema is what the dialog has set', () => {
  const shown: Collection = {
    name: 'lab',
    schema: 'one',
    default_token: 'none',
    curated: 'c',
    incoming: null,
    backend: { type: 'sqlite', other: 1.5 },
  };
  const { name: _, ...now } = shown;
  assert.ok(isSameSetting(shown, now, 'one'));
  assert.ok(isSameSetting(shown, { ...now, schema: 'two' }, 'two'));
  assert.ok(!isSameSetting(shown, { ...now, schema: 'three' }, 'two'));
  assert.ok(!isSameSetting(shown, { ...now, default_token: 'reader' }, 'one'));
  assert.ok(!isSameSetting(shown, { ...now, schema: 'two', incoming: 'in' }, 'two'));
});
