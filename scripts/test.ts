/**
 * Runs tests, more processes at a time than there are processors, since they wait for much, and prints the slowest files. Short files
 * share processes, one after the other: each process takes nearly a second to load what it tests.
 *
 *     node scripts/test.ts            all but the long ones
 *     node scripts/test.ts --long     the long ones: files named *.long.test.ts, those of the desk in a browser, but for one, and those
 *                                     of services without a module
 *     node scripts/test.ts --all      both
 *     node scripts/test.ts test/api   those of a directory, also of the desk
 *     node scripts/test.ts --check    lint and check types, too, while tests wait
 *     node scripts/test.ts --changed  the laws, a smoke of the core, and the tests of modules that differ from main, or that are
 *                                     beside, named for or naming a file that does
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgresql } from '../test/support/postgresql.ts';

const FILES = ['packages/*/src/**/*.test.ts', 'src/**/*.test.ts', 'ui/**/*.test.ts', 'test/**/*.test.ts'];
const LISTED = 20;
/** Free bytes in memory that tests need for their files. */
const ROOM_IN_MEMORY = 4 * 2 ** 30;
/** Files that share a process, at most: what is loaded and compiled once for them takes more than a second. */
const SHARED = 20;
/** Files of desks that share a process with its browser, at most. */
const SHARED_DESKS = 12;
/** More processes than processors. */
const MORE = 2;
/** These files measure the whole process, or add rows to its tables. */
const ALONE = /\.long\.test\.ts$|^test\/laws\/(executed|plans)|\/added-[^/]*$/;
/** Desks share a browser. */
const DESK = /^(test\/browser|src\/modules\/[^/]+\/desk)\//;
/** A service without the module, on a store that has used it: tested with the module, and with all others. */
const ABSENT = /\/absent\.test\.ts$/;
/** What `npm test` has of the desk: dialogs, refusals, and signing in. */
const DESK_SMOKE = 'test/browser/desk-refusals.test.ts';
/** What a change of any file is tried with. */
const SMOKE = /^test\/(laws\/|api\/(service|read|store|permissions)\.)/;
/** Tests that changes affect without naming the files: the table of CONTRIBUTING.md. */
const AFFECTED: readonly (readonly [changed: RegExp, tests: RegExp])[] = [
  // An endpoint: hidden records, processes that only read, the API description and the client.
  [
    /\/endpoints(\/|\.ts$)/,
    /^test\/(policies\/(traces|model)|follow\/reads|api\/(openapi|error-codes)|client\/client)\./,
  ],
  [/^src\/cli\/|\/commands\.ts$/, /^test\/cli\/(commands|names|operators-refuse)\./],
  [/^packages\/linkml\/src\//, /^(packages\/linkml|test\/library)\//],
  [
    /^src\/core\/storage\/|\/tables\.ts$/,
    /^src\/core\/storage\/(sqlite|postgresql)\.|^test\/database\/module-tables\./,
  ],
  [/\.md$/, /^test\/docs\/(code|pages)\./],
];
/** What is started last is short: these take longest, and so do the short tests that are repeated. */
const FIRST =
  /^(test\/(browser\/|docs\/|repeated|policies\/many-hidden|cost\/endpoints)|src\/modules\/[^/]+\/desk\/)/;
/** Open no service. */
const LAST = /^packages\//;
/** In milliseconds: several times what the longest process takes. One that never ends fails then. */
const MOST_TIME = 30 * 60_000;
/** Long tests that import what measures the turns of a service, in processor time, which more processes make longer. */
const MEASURING = /(cost|\.)\/measure\.ts'|stalls\/service\.ts'|threadCpuUsage/;

// A process begins in half the time with what another one has compiled.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/tests');
const scratch = scratchDirectory();
process.env.TMPDIR = scratch;

const flag = { type: 'boolean' } as const;
const { values, positionals } = parseArgs({
  options: { long: flag, all: flag, changed: flag, check: flag },
  allowPositionals: true,
});
const isNamed = positionals.length > 0 || values.changed === true;
const isOfDesk = (file: string) => file !== DESK_SMOKE && isOfBrowser(file);
const isLong = (file: string) =>
  file.endsWith('.long.test.ts') || (!isNamed && (isOfDesk(file) || ABSENT.test(file)));
const files = globSync(FILES)
  .filter((file) => values.all || isLong(file) === (values.long ?? false))
  .filter((file) => positionals.length === 0 || positionals.some((start) => file.startsWith(start)))
  .filter(values.changed ? affectedBy(changedFiles()) : () => true)
  .sort();

if (files.length === 0) {
  const others = globSync(FILES).filter((file) => positionals.some((start) => file.startsWith(start)));
  // Tests of the desk and of services without a module are long only if they are not named.
  const hint = ` Files that run ${values.long ? 'without' : 'with'} --long: ${others.length}.`;
  console.error(
    `No tests to run${positionals.length > 0 ? ` below ${positionals.join(', ')}` : ''}.${others.length > 0 ? hint : ''}`,
  );
  rmSync(scratch, { recursive: true, force: true });
  process.exit(1);
}

// One for all processes of the run, which ends with this one.
const server = files.some((file) => /postgresql/i.test(readFileSync(file, 'utf8')))
  ? await startPostgresql({ fleeting: true })
  : undefined;
if (server) process.env.ACCESSION_TEST_RUN_DATABASE_URL = server.url;

const checked = values.check ? check() : undefined;
const seconds = new Map<string, number>();
for await (const chunk of Readable.from(eventsOf(files)).compose(spec())) process.stdout.write(chunk);
const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, LISTED);
const all = [...seconds.values()].reduce((sum, one) => sum + one, 0);
console.log(`\nThe slowest of ${files.length} files, which took ${all.toFixed(0)} seconds together:`);
for (const [file, time] of slowest) console.log(time.toFixed(1).padStart(7), file);
process.stdout.write((await checked) ?? '');
rmSync(scratch, { recursive: true, force: true });

/** Lints and checks types beside the tests, which leave processors idle. @returns what a check that fails has printed */
async function check(): Promise<string> {
  const child = spawn('npm', ['run', 'check'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const printed = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  if (code === 0) return '';
  process.exitCode = 1;
  return `\n${printed.join('')}`;
}

/** Runs files, those that measure behind all others, and notes how long each takes and whether one fails. */
async function* eventsOf(files: readonly string[]): AsyncGenerator<TestEvent> {
  const processors = availableParallelism();
  const isMeasuring = (file: string) => isLong(file) && MEASURING.test(readFileSync(file, 'utf8'));
  const measuring = files.filter(isMeasuring);
  const others = files.filter((file) => !measuring.includes(file));
  for (const [some, concurrency] of [
    [others, processors + MORE],
    [measuring, processors],
  ] as const) {
    if (some.length === 0) continue;
    for await (const event of run({ files: processesOf(some), concurrency, timeout: MOST_TIME })) {
      note(event);
      yield event;
    }
  }
}

function note({ type, data }: TestEvent): void {
  if (type === 'test:complete') {
    // A process of its own is named by its file, and so is a suite of one that is shared.
    const file = relative('.', resolve(data.name));
    if (data.nesting === 0 && files.includes(file)) seconds.set(file, data.details.duration_ms / 1000);
  }
  if (type === 'test:fail' && (data.todo === undefined || data.todo === false)) process.exitCode = 1;
}

/** Where tests have their files: in memory, if there is room, so that nothing waits for a disk. */
function scratchDirectory(): string {
  const memory = '/dev/shm';
  const { bavail, bsize } = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
  const directory = mkdtempSync(
    join(bavail * bsize > ROOM_IN_MEMORY ? memory : tmpdir(), 'accession-tests-'),
  );
  // Servers that do not run as root have files below it, too.
  chmodSync(directory, 0o711);
  return directory;
}

/** A file for each process: of a test, or of a suite for each of several. Hooks of a file then concern its own tests. */
function processesOf(files: readonly string[]): string[] {
  const kindOf = (file: string) => (ALONE.test(file) ? file : DESK.test(file) ? 'desk' : '');
  const groups = Object.entries(Object.groupBy(files, kindOf));
  const processes = groups.flatMap(([kind, group = []]) => {
    const length = Math.ceil(group.length / (kind === 'desk' ? SHARED_DESKS : SHARED));
    const each = Math.ceil(group.length / length);
    return Array.from({ length }, (_, n) => group.slice(n * each, (n + 1) * each));
  });
  const place = (group: string[]) =>
    group.some((file) => FIRST.test(file)) ? 0 : group.every((file) => LAST.test(file)) ? 2 : 1;
  return withDesksApart(processes.sort((a, b) => place(a) - place(b))).map((group, n) => {
    if (group.length === 1) return resolve(group[0]!);
    const suites = pathToFileURL(resolve('test/support/suites.ts')).href;
    const shared = join(scratch, `${n}.test.mjs`);
    writeFileSync(
      shared,
      `import { suitesOf } from ${JSON.stringify(suites)};\nsuitesOf(${JSON.stringify(group)});\n`,
    );
    return shared;
  });
}

/** The same, with others between those of desks: a browser alone takes a processor, and so half of all that run have one. */
function withDesksApart(processes: readonly (readonly string[])[]): (readonly string[])[] {
  const isDesk = (group: readonly string[]) => group.some((file) => DESK.test(file));
  const desks = processes.filter(isDesk);
  const others = processes.filter((group) => !isDesk(group));
  const apart = desks.flatMap((desk, n) => [desk, ...others.slice(n, n + 1)]);
  return [...apart, ...others.slice(desks.length)];
}

function isOfBrowser(file: string): boolean {
  return DESK.test(file) && /support\/desk\.ts'/.test(readFileSync(file, 'utf8'));
}

/** Files that differ from the branch `main`, and new ones. */
function changedFiles(): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n');
  const [base = ''] = git('merge-base', 'main', 'HEAD');
  const all = [...git('diff', '--name-only', base), ...git('ls-files', '-o', '--exclude-standard')];
  return all.filter((file) => file !== '');
}

/** Whether a test concerns one of some files. A test of the whole service may do so without naming it. */
function affectedBy(changed: readonly string[]): (test: string) => boolean {
  // A module is tested as a whole.
  const folderOf = (file: string) => /^src\/modules\/[^/]+/.exec(file)?.[0] ?? dirname(file);
  const stem = (file: string) => basename(file).replace(/(\.long)?(\.test)?\.\w+$/, '');
  return (test) => {
    const text = readFileSync(test, 'utf8');
    const concerns = (file: string) =>
      file === test ||
      stem(file) === stem(test) ||
      (/^(packages|src)\//.test(test) && folderOf(file) === folderOf(test)) ||
      new RegExp(`[/']${RegExp.escape(basename(file))}'`).test(text);
    const isOfTable = AFFECTED.some(
      ([files, tests]) => tests.test(test) && changed.some((file) => files.test(file)),
    );
    return SMOKE.test(test) || isOfTable || changed.some(concerns);
  };
}
