/** The command `accession audit report`, which reads the entries of a store. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');

/** A store that a service runs on, with some changes. */
async function changed(t: TestContext): Promise<string> {
  const { request, store } = await testApp(t, {
    collections: { c: { backend: 'sqlite' }, shared: { backend: 'sqlite', curated: 'c/curated' } },
    tokens: { curator: { c: 'CURATOR' } },
  });
  const put = (pid: string, name: string) =>
    request('POST', '/c/curated/record/Person?author_id=author', {
      token: 'curator',
      json: person(pid, { name }),
    });
  await put('a', 'one');
  await put('b', 'other');
  await put('a', 'two');
  await request('DELETE', '/c/curated/record?pid=labid:a', { token: 'curator' });
  return store;
}

test('a report has a line for each change, also while a service runs', async (t) => {
  const reported = lines(await audit('report', await changed(t), 'c', 'labid:a'));
  assert.deepEqual(
    reported.map((line) => [line['record-id'], line['author-id'], line['resulting-record']]),
    [
      ['labid:a', 'author', 'family_name: a\nname: one\npid: labid:a\nschema_type: schema:Person\n'],
      ['labid:a', 'author', 'family_name: a\nname: two\npid: labid:a\nschema_type: schema:Person\n'],
      ['labid:a', 'curator@example.org', ''],
    ],
  );
});

test('a report is structured with --json', async (t) => {
  const { stdout } = await audit('report', await changed(t), 'c', '--json');
  const entries = JSON.parse(stdout);
  assert.deepEqual(entries.map(({ changes, deleted }: never) => ({ changes, deleted }))[2], {
    changes: [{ op: 'replace', path: '/name', before: 'one', after: 'two' }],
    deleted: false,
  });
  assert.equal(entries.length, 4);
});

test('collections that share a curated area have one report', async (t) => {
  const store = await changed(t);
  const { stdout } = await audit('report', store, 'c');
  assert.ok(stdout.length > 0);
  assert.equal((await audit('report', store, 'shared')).stdout, stdout);
});

test('wrong arguments are reported with what is wrong', async (t) => {
  const store = await changed(t);
  for (const [args, message] of [
    [['report', store, 'none'], /no collection none/],
    [['report', join(store, 'none'), 'c'], /none/],
    [['report', store], /missing required argument 'collection'/],
    [['report', store, 'c', '.*', 'more'], /too many arguments for 'report'/],
    [['report', store, 'c', '('], /^accession: The pattern of pids cannot be used/],
    [['burn'], /unknown command 'burn'\n'accession help audit' explains it/],
  ] as const) {
    const result = await audit(...args);
    assert.deepEqual([result.status, result.stdout], [1, '']);
    assert.match(result.stderr, message);
  }
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

type Line = Record<'time-stamp' | 'record-id' | 'author-id' | 'resulting-record', string>;

function lines({ stdout }: Result): Line[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
