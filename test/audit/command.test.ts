/** The command `accession audit`, and other processes beside the owner of a log. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { openAudited, scratch } from './parts.ts';

const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');

test('a report has the lines of the peer', async (t) => {
  const directory = await scratch(t);
  const { record, remove, close } = await openAudited(directory);
  await record('{"name":"one","pid":"ex:a"}', 'author');
  await record('{"pid":"ex:b"}');
  await record('{"name":"two","pid":"ex:a"}');
  await remove('ex:a');
  await close();
  const reported = lines(await audit('report', join(directory, 'log'), 'ex:a'));
  assert.deepEqual(
    reported.map((line) => [line['record-id'], line['author-id'], line['resulting-record']]),
    [
      ['ex:a', 'author', 'name: one\npid: ex:a\n'],
      ['ex:a', 'curator', 'name: two\npid: ex:a\n'],
      ['ex:a', 'curator', 'deleted: true\npid: ex:a\n'],
    ],
  );
  assert.match(
    reported[1]?.diff ?? '',
    /^diff --git a\/a98.*\n--- a\/.*\n\+\+\+ b\/.*\n@@ -1,2 \+1,2 @@\n-name: one\n\+name: two\n pid: ex:a\n$/s,
  );
});

test('a report is structured with --json', async (t) => {
  const directory = await scratch(t);
  const { record, close } = await openAudited(directory);
  await record('{"name":"one","pid":"ex:a"}');
  await record('{"name":"two","pid":"ex:a"}');
  await close();
  const { stdout } = await audit('report', join(directory, 'log'), '.*', '--json');
  const entries = JSON.parse(stdout);
  assert.deepEqual(entries.map(({ record, changes, deleted }: never) => ({ record, changes, deleted }))[1], {
    record: { name: 'two', pid: 'ex:a' },
    changes: [{ op: 'replace', path: '/name', before: 'one', after: 'two' }],
    deleted: false,
  });
});

test('a lost index is rebuilt', async (t) => {
  const folder = await scratch(t);
  const directory = join(folder, 'log');
  const { record, close } = await openAudited(folder);
  for (const pid of ['ex:a', 'ex:b']) await record(`{"pid":"${pid}"}`);
  await close();
  const before = await audit('report', directory, '.*');
  await rm(join(directory, 'accession'), { recursive: true });
  await rm(join(directory, 'gitaudit_index.log'));
  assert.deepEqual(await audit('report', directory, '.*'), before);
  assert.match((await audit('rebuild-index', directory)).stderr, /indexed 2 records/);
  assert.deepEqual(await audit('report', directory, '.*'), before);
  assert.deepEqual((await readFile(join(directory, 'gitaudit_index.log'), 'utf8')).split('\n').sort(), [
    '',
    'ex:a',
    'ex:b',
  ]);
});

test('wrong arguments are reported in one line', async (t) => {
  const directory = await scratch(t);
  for (const [args, status, message] of [
    [['report', directory, '.*'], 1, /not an audit log.*HEAD/],
    [['report', join(directory, 'none'), '.*'], 1, /the directory does not exist/],
    [['rebuild-index', directory], 1, /not an audit log/],
    [['report', directory], 1, /PATTERN is missing/],
    [['report', directory, '.*', 'more'], 1, /Unexpected argument 'more'/],
    [['burn'], 1, /Expected 'audit report'/],
  ] as const) {
    const result = await audit(...args);
    assert.deepEqual([result.status, result.stdout], [status, '']);
    assert.match(result.stderr, message);
  }
  await (await openAudited(directory)).close();
  assert.match(
    (await audit('report', join(directory, 'log'), '(')).stderr,
    /^accession: The pattern of pids cannot be used/,
  );
});

test('a second process may read, but neither write nor rebuild', async (t) => {
  const folder = await scratch(t);
  const directory = join(folder, 'log');
  const { record, log } = await openAudited(folder);
  await record('{"pid":"ex:a"}');
  await log.flush();
  const second = await audit('rebuild-index', directory);
  assert.deepEqual([second.status, /in use by another process/.test(second.stderr)], [1, true]);
  assert.equal(lines(await audit('report', directory, '.*')).length, 1);
});

test('the disk is full: a write is refused, and there is an entry for each acknowledged change', async (t) => {
  const script = join(import.meta.dirname, 'full-disk.ts');
  // A limit on the size of files stands for the disk: what would grow beyond it can't be written.
  const limited = [
    '-c',
    'ulimit -f 2048; trap "" XFSZ; exec "$0" "$@"',
    process.execPath,
    script,
    await scratch(t),
  ];
  const { status, stdout, stderr } = await run('bash', limited);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.match(stdout, /^refused: Writing failed, and nothing was changed.*\ntrue\n0\n$/);
});

type Result = { readonly status: number; readonly stdout: string; readonly stderr: string };

function audit(...args: string[]): Promise<Result> {
  return run(process.execPath, [COMMAND, 'audit', ...args]);
}

function run(program: string, args: string[]): Promise<Result> {
  return new Promise((done) => {
    execFile(program, args, (error, stdout, stderr) => {
      done({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}

type Line = Record<'time-stamp' | 'record-id' | 'author-id' | 'diff' | 'resulting-record', string>;

function lines({ stdout }: Result): Line[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
