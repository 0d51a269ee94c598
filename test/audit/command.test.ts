/** The command `accession audit`, and other processes beside the owner of a log. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import type { AuditLog } from '../../src/audit/audit-log.ts';
import { openLog, scratch } from './parts.ts';

const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');

test('a report has the lines of the peer, also of entries that are not in git yet', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory, 60);
  await record(log, 'ex:a', '{"name":"one","pid":"ex:a"}', 'author');
  await record(log, 'ex:b', '{"pid":"ex:b"}');
  await log.flush();
  await record(log, 'ex:a', '{"name":"two","pid":"ex:a"}');
  await record(log, 'ex:a', undefined);
  const waiting = lines(await audit('report', directory, 'ex:a'));
  await log.close();
  const reported = lines(await audit('report', directory, 'ex:a'));
  const withoutNames = (diff: string) => diff.replace(/^index .*$/m, '');
  assert.deepEqual(
    waiting.map((line) => ({ ...line, diff: withoutNames(line.diff) })),
    reported.map((line) => ({ ...line, diff: withoutNames(line.diff) })),
  );
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
  const log = await openLog(directory, 60);
  await record(log, 'ex:a', '{"name":"one","pid":"ex:a"}');
  await record(log, 'ex:a', '{"name":"two","pid":"ex:a"}');
  await log.close();
  const { stdout } = await audit('report', directory, '.*', '--json');
  const entries = JSON.parse(stdout);
  assert.deepEqual(entries.map(({ record, changes, deleted }: never) => ({ record, changes, deleted }))[1], {
    record: { name: 'two', pid: 'ex:a' },
    changes: [{ op: 'replace', path: '/name', before: 'one', after: 'two' }],
    deleted: false,
  });
});

test('an index that is lost is made anew', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory, 60);
  for (const pid of ['ex:a', 'ex:b']) await record(log, pid, `{"pid":"${pid}"}`);
  await log.close();
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

test('what is wrong with the arguments is told in a line', async (t) => {
  const directory = await scratch(t);
  for (const [args, status, message] of [
    [['report', directory, '.*'], 1, /no audit log.*HEAD/],
    [['report', join(directory, 'none'), '.*'], 1, /there is no such directory/],
    [['rebuild-index', directory], 1, /no audit log/],
    [['report', directory], 1, /PATTERN is missing/],
    [['report', directory, '.*', 'more'], 1, /Unexpected argument 'more'/],
    [['burn'], 1, /expected 'audit report'/],
  ] as const) {
    const result = await audit(...args);
    assert.deepEqual([result.status, result.stdout], [status, '']);
    assert.match(result.stderr, message);
  }
  const log = await openLog(join(directory, 'log'), 60);
  await log.close();
  assert.match(
    (await audit('report', join(directory, 'log'), '(')).stderr,
    /^accession: The pattern of pids cannot be used/,
  );
});

test('a second process may read, but neither write nor rebuild', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory, 60);
  await record(log, 'ex:a', '{"pid":"ex:a"}');
  const second = await audit('rebuild-index', directory);
  assert.deepEqual([second.status, /in use by another process/.test(second.stderr)], [1, true]);
  assert.equal(lines(await audit('report', directory, '.*')).length, 1);
});

test('the disk of the journal is full: changes are refused, and made when there is room', async (t) => {
  const script = join(import.meta.dirname, 'full-disk.ts');
  // A limit on the size of files stands for the disk: what would grow beyond it can't be written.
  const limited = [
    '-c',
    'ulimit -f 512; trap "" XFSZ; exec "$0" "$@"',
    process.execPath,
    script,
    await scratch(t),
  ];
  const { status, stdout, stderr } = await run('bash', limited);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.match(stdout, /^refused: The change is not made.*EFBIG.*\nentries = confirmed\n$/);
});

async function record(
  log: AuditLog,
  pid: string,
  json: string | undefined,
  authorId = 'curator',
): Promise<void> {
  const announcement = await log.announce([{ pid, json, committerId: 'curator', authorId }]);
  await announcement.confirm();
}

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
