/**
 * Runs tests, as many files at a time as there are processors, and prints the slowest.
 *
 *     node scripts/test.ts            all but the long ones
 *     node scripts/test.ts --long     the long ones: files named *.long.test.ts
 *     node scripts/test.ts --all      both
 */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';

const FILES = ['src/**/*.test.ts', 'ui/**/*.test.ts', 'test/**/*.test.ts'];
const LISTED = 20;

// A process begins in half the time with what another one has compiled.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/tests');

const { values } = parseArgs({ options: { long: { type: 'boolean' }, all: { type: 'boolean' } } });
const isLong = (file: string) => file.endsWith('.long.test.ts');
const files = globSync(FILES)
  .filter((file) => values.all || isLong(file) === (values.long ?? false))
  .sort()
  .map((file) => resolve(file));

const seconds = new Map<string, number>();
const events = run({ files, concurrency: availableParallelism() });
events.on('test:complete', ({ file, nesting, details }) => {
  if (file && nesting === 0) seconds.set(file, (seconds.get(file) ?? 0) + details.duration_ms / 1000);
});
events.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
events.once('end', () => {
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, LISTED);
  console.log(`\nThe slowest of ${files.length} files, in seconds:`);
  for (const [file, time] of slowest) console.log(time.toFixed(1).padStart(7), relative('.', file));
});
events.compose(spec()).pipe(process.stdout);
