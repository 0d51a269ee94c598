import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utf8Fault } from './position.ts';

test('the first bytes that are not UTF-8 are found behind characters of any length, and U+FFFD is one of these', () => {
  assert.equal(utf8Fault(Buffer.from('\ufeffé🎉\ufffd\n')), undefined);
  const bytes = Buffer.concat([Buffer.from('a\n\ufffdé🎉'), Buffer.from([0xfc]), Buffer.from('\ufffd')]);
  assert.deepEqual(utf8Fault(bytes), { line: 2, column: 4, byte: '0xFC' });
  assert.deepEqual(utf8Fault(Buffer.from('é').subarray(0, 1)), { line: 1, column: 1, byte: '0xC3' });
});
