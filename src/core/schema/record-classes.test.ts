import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openElements } from '../../../test/support/open-text.ts';

test('a schema without a class for records is reported', async () => {
  const without = await openElements('classes: {A: {attributes: {a: {}}}}');
  const [none] = without.warnings;
  assert.equal(none?.type, 'no_records');
  assert.match(none.msg, /no class whose objects can be records\. Class A has no slot `pid`/);
  const withPid = await openElements('classes: {Thing: {attributes: {pid: {identifier: true}}}}');
  assert.deepEqual(withPid.warnings, []);
});
