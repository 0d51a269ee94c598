import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Memory } from './memory.ts';

const MB = 1024 * 1024;

test('the shares of all caches add up to the budget', () => {
  const memory = new Memory(16 * MB);
  assert.equal(
    memory.uses().reduce((sum, { limit }) => sum + limit, 0),
    16 * MB,
  );
});

test('a cache gives up what was used longest ago instead of growing beyond its share', () => {
  const memory = new Memory(16 * MB);
  const pages = memory.cache('pages', (body: Buffer) => body.length);
  for (let i = 0; i < 100; i++) pages.set(String(i), Buffer.alloc(MB / 2));
  const [use] = memory.uses().filter(({ name }) => name === 'pages');
  assert.ok(use && use.used <= use.limit && use.used > use.limit / 2);
  assert.equal(pages.get('0'), undefined);
  assert.ok(pages.get('99'));
});

test('those who share a cache have keys of their own', () => {
  const memory = new Memory();
  const cache = memory.cache('turtle', (value: string) => value.length);
  assert.equal(
    memory.cache('turtle', (value: string) => value.length),
    cache,
  );
  assert.notEqual(memory.prefix(), memory.prefix());
});
