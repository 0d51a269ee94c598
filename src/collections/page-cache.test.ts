import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageCache } from './page-cache.ts';

test('a cached page keeps as much memory as it is long', () => {
  const pages = new PageCache();
  const body = Buffer.from('a page '.repeat(100));
  assert.ok(body.buffer.byteLength > body.length, 'Node makes small buffers in a pool');
  pages.set('first', 'state', body);
  const cached = pages.get('first', 'state');
  assert.deepEqual(cached, body);
  assert.equal(cached?.buffer.byteLength, body.length);
});
