/**
 * Runs tests, as many files at a time as there are processors, and prints the slowest.
 *
 *     node scripts/test.ts            all but the long ones
 *     node scripts/test.ts --long     the long ones: files named *.long.test.ts
 *     node scripts/test.ts --all      both
 *     node scripts/test.ts --changed  the laws, and the tests that are beside, named for or naming a file that differs from main
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';

const FILES = ['src/**/*.test.ts', 'ui/**/*.test.ts', 'test/**/*.test.ts'];
const LISTED = 20;

// A process begins in half the time with what another one has compiled.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/tests');

const flag = { type: 'boolean' } as const;
const { values } = parseArgs({ options: { long: flag, all: flag, changed: flag } });
const isLong = (file: string) => file.endsWith('.long.test.ts');
const files = globSync(FILES)
  .filter((file) => values.all || isLong(file) === (values.long ?? false))
  .filter(values.changed ? affectedBy(changedFiles()) : () => true)
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

/** Files that differ from the branch `main`, and new ones. */
function changedFiles(): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n');
  const [base = ''] = git('merge-base', 'main', 'HEAD');
  const all = [...git('diff', '--name-only', base), ...git('ls-files', '-o', '--exclude-standard')];
  return all.filter((file) => file !== '');
}

/** Whether a test concerns one of some files. A test of the whole service may do so without naming it. */
function affectedBy(changed: readonly string[]): (test: string) => boolean {
  const stem = (file: string) => basename(file).replace(/(\.long)?(\.test)?\.\w+$/, '');
  return (test) => {
    const text = readFileSync(test, 'utf8');
    const concerns = (file: string) =>
      file === test ||
      stem(file) === stem(test) ||
      (test.startsWith('src/') && dirname(file) === dirname(test)) ||
      new RegExp(`[/']${RegExp.escape(basename(file))}'`).test(text);
    return test.startsWith('test/laws/') || changed.some(concerns);
  };
}
