/** Everything that is kept in memory has a bound in bytes, which the documentation lists. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { MEMORY, type MemoryBound } from '../../src/core/memory-bounds.ts';
import { MODULES } from '../../src/modules.ts';

const MIB = 1024 * 1024;
const sources = globSync('src/**/*.ts')
  .filter((path) => !path.includes('.test.'))
  .map((path) => [path, readFileSync(path, 'utf8')] as const);

/** The bounds of the core and of each module, with the folder whose sources use them, and the page that lists them. */
const TABLES = [
  { bounds: MEMORY, folder: 'src/core/', page: 'docs/limits.md' },
  ...MODULES.map(({ name, memory = {} }) => {
    const folder = `src/modules/${name}/`;
    return { bounds: memory, folder, page: `${folder}README.md` };
  }),
];

test('every cache has a bound in bytes from a table, and every bound of the tables is used', () => {
  const caches = sources.flatMap(([path, text]) =>
    [...text.matchAll(/new LRUCache(?:<[^(]*>)?\(([^;]*?)\);/g)].map(([, options = '']) => [path, options]),
  );
  assert.ok(caches.length >= 9);
  for (const [path, options] of caches) assert.match(options!, /maxSize/, path);
  for (const { bounds, folder } of TABLES) {
    const used = sources.filter(([path]) => path.startsWith(folder)).map(([, text]) => text);
    for (const name of Object.keys(bounds))
      assert.match(used.join('\n'), new RegExp(`\\bMEMORY\\.${name}\\.bytes\\b`), `${folder}: ${name}`);
  }
});

const sum = (bounds: readonly MemoryBound[], unit?: MemoryBound['of']) =>
  bounds.reduce(
    (total, { bytes, count, of }) => total + (unit === undefined || of === unit ? bytes * count : 0),
    0,
  ) / MIB;

test('the documentation lists the bounds, and adds them up', () => {
  for (const { bounds, page } of TABLES) {
    const listed = [
      ...readFileSync(page, 'utf8').matchAll(
        /^\| ([^|]+?) +\| (?:(\d+) × )?(\d+) (MiB|KiB) +\| (process|collection|forge|thread) +\|$/gm,
      ),
    ].map(([, what, count = '1', size, unit, of]) => ({
      what,
      count: Number(count),
      of,
      bytes: Number(size) * (unit === 'KiB' ? 1024 : MIB),
    }));
    assert.deepEqual(
      listed,
      Object.values(bounds).map(({ what, bytes, count, of }) => ({ what, count, of, bytes })),
      page,
    );
  }
  const page = readFileSync('docs/limits.md', 'utf8').replaceAll(/\s+/g, ' ');
  const core = Object.values(MEMORY);
  const expected = `${sum(core, 'process')} MiB, and ${sum(core, 'collection')} MiB for each collection, ${sum(core, 'forge')} MiB for each forge, and ${sum(core, 'thread')} MiB for each thread`;
  assert.ok(page.includes(expected), expected);
  const ofModules = sum(MODULES.flatMap(({ memory = {} }) => Object.values(memory)));
  const [, most] = /Modules keep at most (\d+) MiB more/.exec(page) ?? [];
  assert.ok(Number(most) >= ofModules, `modules keep at most ${ofModules} MiB`);
});
