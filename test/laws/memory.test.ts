/** Everything that is kept in memory has a bound in bytes, which the documentation lists. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { MEMORY } from '../../src/core/memory-bounds.ts';

const MIB = 1024 * 1024;
const sources = globSync('src/**/*.ts')
  .filter((path) => !path.includes('.test.'))
  .map((path) => [path, readFileSync(path, 'utf8')] as const);

test('every cache has a bound in bytes from the table, and every bound of the table is used', () => {
  const caches = sources.flatMap(([path, text]) =>
    [...text.matchAll(/new LRUCache(?:<[^(]*>)?\(([^;]*?)\);/g)].map(([, options = '']) => [path, options]),
  );
  assert.ok(caches.length >= 10);
  for (const [path, options] of caches) assert.match(options!, /maxSize/, path);
  const all = sources.map(([, text]) => text).join('\n');
  for (const name of Object.keys(MEMORY))
    assert.match(all, new RegExp(`\\bMEMORY\\.${name}\\.bytes\\b`), name);
});

test('the documentation lists the bounds, and adds them up', () => {
  const page = readFileSync('docs/limits.md', 'utf8');
  const listed = [...page.matchAll(/^\| ([^|]+?) +\| (?:(\d+) × )?(\d+) (MiB|KiB) +\| (\w+) +\|$/gm)].map(
    ([, what, count = '1', size, unit, of]) => ({
      ...{ what, count: Number(count), of },
      bytes: Number(size) * (unit === 'KiB' ? 1024 : MIB),
    }),
  );
  assert.deepEqual(
    listed,
    Object.values(MEMORY).map(({ what, bytes, count, of }) => ({ what, count, of, bytes })),
  );
  const sum = (unit: string) =>
    Object.values(MEMORY).reduce(
      (total, { bytes, count, of }) => total + (of === unit ? bytes * count : 0),
      0,
    ) / MIB;
  const expected = `${sum('process')} MiB, and ${sum('collection')} MiB for each collection, ${sum('forge')} MiB for each forge, and ${sum('thread')} MiB for each thread`;
  assert.ok(page.replaceAll(/\s+/g, ' ').includes(expected), expected);
});
