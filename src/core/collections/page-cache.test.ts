import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageCache } from './page-cache.ts';

const MB = 1024 * 1024;

test('a cached page keeps as much memory as it is long', () => {
  const pages = new PageCache().pages();
  const body = Buffer.from('a page '.repeat(100));
  assert.ok(body.buffer.byteLength > body.length, 'Node makes small buffers in a pool');
  pages.set('first', 'state', body);
  const cached = pages.get('first', 'state');
  assert.deepEqual(cached, body);
  assert.equal(cached?.buffer.byteLength, body.length);
});

test('pages that were used longest ago are discarded before the cache exceeds its limit', () => {
  const cache = new PageCache(16 * MB);
  const pages = cache.pages();
  for (let i = 0; i < 100; i++) pages.set(String(i), 'state', Buffer.alloc(MB / 2));
  assert.ok(cache.used <= cache.limit && cache.used > cache.limit / 2, `${cache.used}`);
  assert.equal(pages.get('0', 'state'), undefined);
  assert.ok(pages.get('99', 'state'));
});

test('a page is returned for its state and its collection only', () => {
  const cache = new PageCache();
  const [one, other] = [cache.pages(), cache.pages()];
  one.set('first', '1', Buffer.from('page'));
  assert.equal(one.get('first', '1')?.toString(), 'page');
  assert.equal(one.get('first', '2'), undefined);
  assert.equal(other.get('first', '1'), undefined);
});
