/**
 * Runs cases that were made of public bug reports: `npm run cases -- <folder>`.
 *
 * `<folder>/data` has a file for each case, which is imported or validated; `<folder>/service` has scripts that end with
 * another status than 0 while their fault is there: `run.sh <checkout>`, or `check.py <url>` and `check.sh <url>`, which get a
 * service with the laboratory. One line a case. The last line is `N passed, N failed`; exit status 1 when any failed.
 */
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type RealService, startService } from '../test/support/real-service.ts';

const CHECKOUT = resolve(import.meta.dirname, '..');
const COMMAND = join(CHECKOUT, 'bin/accession.js');
/** A script that takes longer is ended. */
const LONGEST_SCRIPT = 10 * 60_000;

/** What is expected of a file of records that is imported as those of the class Thing, or of one that is validated. */
type DataCase = {
  readonly file: string;
  /** The options of `validate`; without them, the file is imported. */
  readonly validate?: readonly string[];
  readonly status: number;
  /** What the output says. */
  readonly says?: RegExp;
  /** The class of the records, if it is not Thing. */
  readonly className?: string;
  /** Whether an export as XLSX is imported afterwards, and changes nothing. */
  readonly again?: true;
  /** The members of stored records, by pid; null for one that must not be stored. */
  readonly stored?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
};

const LONG_NAME = 'AVeryLongClassNameThatIsLongerThanThirtyOneCharacters';
const STRICT = ['--strict', '--identifiers', 'any', '--class'];

/** By the beginning of the name of a case. */
const EXPECTED: Readonly<Record<string, DataCase | readonly DataCase[]>> = {
  '01': {
    file: 'Thing.csv',
    status: 2,
    says: /45352.*write 2024-03-01/,
    stored: { 'ex:1': null, 'ex:3': null },
  },
  '02': { file: 'gyear.ttl', status: 2, says: /xsd:dateTime or xsd:dateTimeStamp/, stored: { 'ex:1': null } },
  '03': { file: 'year.json', validate: [...STRICT, 'C'], status: 2, says: /expected a date and time/ },
  '04': { file: 'Thing-31.xlsx', status: 0, stored: { 'ex:1': { at: '2024-03-01T12:00:00' } } },
  '05': {
    file: 'Thing.csv',
    status: 0,
    stored: { 'ex:1': { title: '#1 sample' }, 'ex:3': { title: 'plain' } },
  },
  '06': { file: 'Thing.xlsx', status: 0, stored: { 'ex:1': { flag: true } } },
  '07': { file: 'Thing.xlsx', status: 0, stored: { 'ex:1': { size: Number('3.141592653589793') } } },
  '08': { file: 'Thing.xlsx', status: 0, stored: { 'ex:1': { title: '02138' } } },
  '09': { file: 'Thing.xlsx', status: 0, stored: { 'ex:1': { clock: '00:00:00' } } },
  '10': { file: 'Thing.xlsx', status: 0, stored: { 'ex:1': { at: '2024-03-01T10:15:30.250000' } } },
  '11': { file: 'Thing.csv', status: 0, stored: { 'ex:1': { title: "'+' strand" } } },
  '12': { file: 'Thing-utf16.xlsx', status: 0, stored: { 'ex:1': { title: 'abc' } } },
  '13': ['Thing-dot.xlsx', 'Thing-case.xlsx'].map((file) => ({
    file,
    status: 0,
    stored: { 'ex:1': { title: 'abc' } },
  })),
  '14': { file: 'Thing.ods', status: 0, stored: { 'ex:1': { clock: '10:30:00' } } },
  '15': { file: 'Thing.yaml', status: 2, says: /found 1\.0e\+400/, stored: { 'ex:1': null } },
  '16': { file: 'data.json', validate: [...STRICT, 'B'], status: 0 },
  '18': {
    file: `${LONG_NAME}.json`,
    className: LONG_NAME,
    again: true,
    status: 0,
    stored: { 'ex:1': {} },
  },
  '19': { file: 'Thing.csv', status: 0, stored: { 'ex:1': { title: 'one' } } },
  '20': { file: 'Thing.csv', status: 0, stored: { 'ex:2': { ref: 'ex:1' } } },
  '21': { file: 'Thing.json', status: 2, says: /key "title" occurs twice/, stored: { 'ex:1': null } },
  '22': { file: 'tags.ttl', status: 0, stored: { 'ex:1': { tags: ['Hallo'] } } },
  '23': [
    { file: 'Thing-dxf.xlsx', status: 0, stored: { 'ex:1': { title: '12.00' } } },
    {
      file: 'Thing-padding.xlsx',
      status: 0,
      stored: { 'ex:1': { title: '1,234' }, 'ex:2': { count: 1234 } },
    },
  ],
  '24': { file: 'Thing-x15.xlsx', status: 0, stored: { 'ex:1': { day: '2024-03-01' } } },
  '25': { file: 'Thing.xlsx', status: 0, stored: { 'ex:1': { title: '1.' } } },
  '27': {
    file: 'Thing.xlsx',
    status: 0,
    stored: { 'ex:1': { title: 'one\ntwo' }, 'ex:2': { title: 'one\r\ntwo' } },
  },
  '28': {
    file: 'Thing.xlsx',
    status: 0,
    stored: { 'ex:1': { at: '2014-01-16T16:00:00', clock: '11:00:00' } },
  },
};

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: npm run cases -- <folder>');
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), 'accession-cases-'));
const counts = { passed: 0, failed: 0 };
try {
  await runDataCases(resolve(folder, 'data'));
  await runServiceCases(resolve(folder, 'service'));
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;

function report(name: string, verdict: keyof typeof counts, why = ''): void {
  counts[verdict] += 1;
  console.log(`${verdict.padEnd(6)}  ${name}${why === '' ? '' : `: ${why}`}`);
}

function foldersIn(path: string): string[] {
  if (!existsSync(path)) return [];
  const all = readdirSync(path, { withFileTypes: true }).filter((one) => one.isDirectory());
  return all.map(({ name }) => name).sort();
}

async function runDataCases(data: string): Promise<void> {
  const cases = foldersIn(data).map((name) => ({ name, expected: EXPECTED[name.slice(0, 2)] }));
  const schemaOf = (name: string) =>
    [join(data, name, 'schema.yaml'), join(data, 'schema.yaml')].find((path) => existsSync(path)) ?? '';
  const collections = cases.flatMap(({ name, expected }) =>
    [expected ?? []].flat().some(({ validate }) => !validate)
      ? [{ name: `c${name.slice(0, 2)}`, schema: schemaOf(name) }]
      : [],
  );
  const service = await serviceOf(collections);
  try {
    for (const { name, expected } of cases) {
      const label = `data/${name}`;
      if (!expected) report(label, 'failed', 'no expected result is known');
      else {
        for (const one of [expected].flat()) {
          const why = await faultOf(service, name, join(data, name, one.file), schemaOf(name), one);
          report(`${label}/${one.file}`, why === undefined ? 'passed' : 'failed', why);
        }
      }
    }
  } finally {
    await service.stop();
  }
}

/** A service with a collection for each case. */
function serviceOf(
  collections: readonly { readonly name: string; readonly schema: string }[],
): Promise<RealService> {
  const store = join(work, 'store');
  mkdirSync(store);
  const config = {
    type: 'collections',
    version: 2,
    collections: Object.fromEntries(
      collections.map(({ name, schema }) => [
        name,
        { schema, default_token: 'visitor', curated: `${name}/curated`, incoming: `${name}/incoming` },
      ]),
    ),
    tokens: {
      visitor: {
        user_id: 'visitor',
        collections: Object.fromEntries(collections.map(({ name }) => [name, { mode: 'NOTHING' }])),
      },
      curator: {
        user_id: 'curator',
        representation: 'curator',
        collections: Object.fromEntries(collections.map(({ name }) => [name, { mode: 'CURATOR' }])),
      },
    },
  };
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(config));
  return startService([store]);
}

/** Why a case fails; undefined if it passes. */
async function faultOf(
  { url }: RealService,
  name: string,
  file: string,
  schema: string,
  { validate, status, says, className = 'Thing', again, stored = {} }: DataCase,
): Promise<string | undefined> {
  const collection = `c${name.slice(0, 2)}`;
  const args = validate
    ? ['validate', ...validate, '--schema', schema, file]
    : ['import', collection, copyOf(file, collection), '--class', className, '--curated'];
  const accession = (...args: readonly string[]) =>
    run(process.execPath, [COMMAND, ...args], { ACCESSION_URL: url, ACCESSION_TOKEN: 'curator' });
  const ran = await accession(...args);
  if (ran.status !== status) return `expected status ${status}, found ${ran.status}: ${lastLine(ran.output)}`;
  if (says && !says.test(ran.output)) return `expected ${says}, found ${lastLine(ran.output)}`;
  if (again) {
    const workbook = join(work, collection, 'again.xlsx');
    await accession('export', collection, workbook, '--curated');
    const { output } = await accession('import', collection, workbook, '--curated');
    if (!/^0 new, 0 changed, [1-9]\d* unchanged$/m.test(output)) return `again: ${lastLine(output)}`;
  }
  for (const [pid, members] of Object.entries(stored)) {
    const answer = await fetch(`${url}/${collection}/curated/record?pid=${encodeURIComponent(pid)}`, {
      headers: { 'X-Service-Token': 'curator' },
    });
    const found = (await answer.json()) as Record<string, unknown> | null;
    if (members === null ? found !== null : found === null) return `${pid}: found ${JSON.stringify(found)}`;
    for (const [member, value] of Object.entries(members ?? {}))
      if (JSON.stringify(found?.[member]) !== JSON.stringify(value))
        return `${pid}: expected ${member} ${JSON.stringify(value)}, found ${JSON.stringify(found?.[member])}`;
  }
  return undefined;
}

/** A copy of a file: an import writes rejected rows beside it. */
function copyOf(file: string, collection: string): string {
  mkdirSync(join(work, collection), { recursive: true });
  const copy = join(work, collection, basename(file));
  copyFileSync(file, copy);
  return copy;
}

async function runServiceCases(scripts: string): Promise<void> {
  for (const name of foldersIn(scripts)) {
    const label = `service/${name}`;
    const path = (script: string) => join(scripts, name, script);
    const script = ['run.sh', 'check.py', 'check.sh'].find((one) => existsSync(path(one)));
    if (script === undefined) {
      report(label, 'failed', 'expected run.sh, check.py or check.sh');
      continue;
    }
    const program = script.endsWith('.py') ? 'python3' : 'bash';
    const ran =
      script === 'run.sh'
        ? await run(program, [path(script), CHECKOUT])
        : await beside((url) => run(program, [path(script), url]), name);
    report(label, ran.status === 0 ? 'passed' : 'failed', ran.status === 0 ? '' : lastLine(ran.output));
  }
}

/** Runs something beside a service with the laboratory, which may reach receivers on this machine. */
async function beside<T>(action: (url: string) => Promise<T>, name: string): Promise<T> {
  const store = join(work, `service-${name}`);
  await run(process.execPath, [COMMAND, 'init', store, '--demo']);
  const service = await startService([store, '--schema-hosts', '127.0.0.1']);
  try {
    return await action(service.url);
  } finally {
    await service.stop();
  }
}

type Ran = { readonly status: number | null; readonly output: string };

function run(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return new Promise((done) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LONGEST_SCRIPT,
    });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('error', (error) => done({ status: null, output: error.message }));
    child.on('close', (status) => done({ status, output }));
  });
}

function lastLine(output: string): string {
  return (output.trimEnd().split('\n').at(-1) ?? '').slice(0, 300);
}
