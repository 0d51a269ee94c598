import assert from 'node:assert/strict';
import { appendFile, chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { git, openLog, scratch } from '../../test/audit/parts.ts';
import type { AuditedChange, AuditLog } from './audit-log.ts';
import { locationOf } from './layout.ts';

test('the repository has the layout of the peer', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory);
  await record(log, change('ex:a', '{"name":"Älter","pid":"ex:a"}', 'author'));
  await record(log, change('ex:b', '{"pid":"ex:b"}'));
  await record(log, change('ex:a', '{"name":"neu","pid":"ex:a"}'));
  await log.close();
  const { yaml, log: lines } = locationOf('ex:a');
  assert.equal(yaml, 'a98/13c/a9813cea8da15d5ac1bd682a3e58db99ebb76f83.yaml');
  assert.equal(await git(directory, 'show', `master:${yaml}`), 'name: neu\npid: ex:a\n');
  assert.equal(await git(directory, 'show', `master~1:${yaml}`), 'name: Älter\npid: ex:a\n');
  assert.match(
    await git(directory, 'show', `master:${lines}`),
    /^\{"author_id": "author", "committer_id": "curator", "time_stamp": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00"\}\n\{.*\}\n$/,
  );
  assert.equal(await readFile(join(directory, 'gitaudit_index.log'), 'utf8'), 'ex:a\nex:b\n');
  assert.match(
    await git(directory, 'log', '--format=%s', 'master'),
    /^persist changes\npersist changes\nadd README.txt\n$/,
  );
  assert.equal(await git(directory, 'fsck', '--full', '--strict'), '');
});

test('changes of different records share a commit, a second change of a record begins the next', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory, 60);
  await log.flush();
  for (const pid of ['ex:a', 'ex:b', 'ex:a', 'ex:c', 'ex:c'])
    await record(log, change(pid, `{"pid":"${pid}"}`));
  await log.close();
  const commits = await git(
    directory,
    'log',
    '--reverse',
    '--format=%s',
    '--name-only',
    'master',
    '--',
    '*.log',
  );
  const counts = commits
    .split('persist changes\n')
    .slice(1)
    .map((names) => names.trim().split('\n').length);
  assert.deepEqual(counts, [2, 2, 1]);
});

test('a history is complete at once, and tells author, committer, content and deletes', async (t) => {
  const log = await openLog(await scratch(t), 60);
  await record(log, change('ex:a', '{"n":1,"pid":"ex:a"}', 'author'));
  await record(log, change('ex:a', undefined));
  for (const flushed of [false, true]) {
    if (flushed) await log.flush();
    const history = await log.history(['ex:a']);
    assert.deepEqual(
      history.map(({ timeStamp: _, ...entry }) => entry),
      [
        { pid: 'ex:a', committerId: 'curator', authorId: 'author', json: '{"n":1,"pid":"ex:a"}' },
        { pid: 'ex:a', committerId: 'curator', authorId: 'curator', json: undefined },
      ],
    );
  }
});

test('a change without difference has its entry too', async (t) => {
  const log = await openLog(await scratch(t), 60);
  for (const author of ['one', 'two']) await record(log, change('ex:a', '{"pid":"ex:a"}', author));
  await log.flush();
  assert.deepEqual(
    (await log.history(['ex:a'])).map(({ authorId }) => authorId),
    ['one', 'two'],
  );
});

test('the histories of two spellings of a pid are one, by time', async (t) => {
  const log = await openLog(await scratch(t), 60);
  for (const pid of ['ex:a', 'https://example.org/a', 'ex:a'])
    await record(log, change(pid, `{"pid":"${pid}"}`));
  const history = await log.history(['ex:a', 'https://example.org/a']);
  assert.deepEqual(
    history.map(({ pid }) => pid),
    ['ex:a', 'https://example.org/a', 'ex:a'],
  );
});

test('a change that was cancelled has no entry', async (t) => {
  const log = await openLog(await scratch(t), 60);
  const announcement = await log.announce([change('ex:a', '{"pid":"ex:a"}')]);
  await announcement.cancel();
  assert.deepEqual(await log.history(['ex:a']), []);
});

test('while git can take no entries, changes are kept and told of, and are there when it can', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory, 60);
  await record(log, change('ex:a', '{"n":1,"pid":"ex:a"}'));
  await log.flush();
  const lock = join(directory, 'refs/heads/master.lock');
  await writeFile(lock, '');
  await record(log, change('ex:a', '{"n":2,"pid":"ex:a"}'));
  await assert.rejects(log.flush(), { code: 'audit_failed' });
  assert.match(
    log.faults()[0]?.message ?? '',
    /takes no entries; 1 changes wait in its journal.*master\.lock/,
  );
  assert.equal((await log.history(['ex:a'])).length, 2);
  await log.close();

  const again = await openLog(directory, 60);
  assert.equal((await again.history(['ex:a'])).length, 2);
  await rm(lock);
  await again.flush();
  assert.deepEqual(again.faults(), []);
  assert.equal((await again.history(['ex:a'])).length, 2);
  await again.close();
  assert.equal(await git(directory, 'rev-list', '--count', 'master'), '3\n');
});

test('a change is refused when its announcement cannot be written', async (t) => {
  if (process.getuid?.() === 0) return t.skip('root writes everywhere');
  const directory = await scratch(t);
  const log = await openLog(directory, 60);
  await chmod(join(directory, 'accession'), 0o500);
  await assert.rejects(log.announce([change('ex:a', '{"pid":"ex:a"}')]), { code: 'audit_failed' });
  await chmod(join(directory, 'accession'), 0o700);
  await record(log, change('ex:a', '{"pid":"ex:a"}'));
});

test('a damaged repository keeps changes in the journal', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory, 60);
  await record(log, change('ex:a', '{"n":1,"pid":"ex:a"}'));
  await log.flush();
  await writeFile(join(directory, 'refs/heads/master'), `${'1'.repeat(40)}\n`);
  await record(log, change('ex:a', '{"n":2,"pid":"ex:a"}'));
  await assert.rejects(log.flush(), { code: 'audit_failed' });
  assert.equal(log.faults().length, 1);
  await log.close();
  assert.ok((await readdir(join(directory, 'accession'))).some((name) => name.startsWith('journal-')));
});

test('entries that somebody else has committed are found, and ours go on top', async (t) => {
  const directory = await scratch(t);
  const first = await openLog(directory, 60);
  await record(first, change('ex:a', '{"n":1,"pid":"ex:a"}'));
  await first.close();
  await rm(join(directory, 'accession'), { recursive: true });
  const second = await openLog(directory, 60);
  await record(second, change('ex:a', '{"n":2,"pid":"ex:a"}'));
  await second.flush();
  assert.deepEqual(
    (await second.history(['ex:a'])).map(({ json }) => JSON.parse(json ?? '').n),
    [1, 2],
  );
});

test('a branch that moves while we write to it is no fault', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory, 60);
  await log.flush();
  const others = (async () => {
    for (let n = 0; n < 8; n++) {
      await sleep(100);
      await commitAs('somebody else', directory);
    }
  })();
  let entries = 0;
  for (let done = false; !done; entries++) {
    await record(log, change('ex:a', `{"n":${entries},"pid":"ex:a"}`));
    await log.flush();
    done = await Promise.race([others.then(() => true), sleep(0, false)]);
  }
  assert.deepEqual(log.faults(), []);
  assert.equal((await log.history(['ex:a'])).length, entries);
  assert.equal(await git(directory, 'rev-list', '--count', 'master'), `${1 + 8 + entries}\n`);
});

test('a torn line at the end of the journal is no announcement', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory, 60);
  await log.close();
  await appendFile(join(directory, 'accession/journal-0000000001'), '12345678 {"announced":1,"cha');
  const again = await openLog(directory, 60);
  assert.deepEqual(again.unresolved(), []);
});

test('what is derived is made anew: the index, the list of pids', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory);
  for (const pid of ['ex:a', 'ex:b']) await record(log, change(pid, `{"pid":"${pid}"}`));
  await log.close();
  await rm(join(directory, 'gitaudit_index.log'));
  await writeFile(join(directory, 'accession/index.db'), 'this is no database, and long enough to be told');
  const again = await openLog(directory);
  await record(again, change('ex:c', '{"pid":"ex:c"}'));
  await again.flush();
  assert.equal((await again.history(['ex:a'])).length, 1);
  const pids = (await readFile(join(directory, 'gitaudit_index.log'), 'utf8')).trim().split('\n');
  assert.deepEqual(pids.sort(), ['ex:a', 'ex:b', 'ex:c']);
});

test('many changes of a record with a long history go to git in bounded portions', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory);
  const filler = 'x'.repeat(100_000);
  for (let n = 0; n < 300; n++)
    await record(log, change('ex:a', `{"filler":"${filler}","n":${n},"pid":"ex:a"}`));
  await log.flush();
  assert.equal((await log.history(['ex:a'])).length, 300);
  assert.equal(await git(directory, 'rev-list', '--count', 'master'), '301\n');
});

test('many small packs are packed together by themselves, and nothing is lost', async (t) => {
  const directory = await scratch(t);
  const packs = async () =>
    (await readdir(join(directory, 'objects/pack'))).filter((name) => name.endsWith('.pack')).length;
  const log = await openLog(directory);
  const counts: number[] = [];
  for (let n = 0; n < 70; n++) {
    await record(log, change(`ex:${n % 7}`, `{"n":${n},"pid":"ex:${n % 7}"}`));
    await log.flush();
    counts.push(await packs());
  }
  await log.close();
  assert.ok(Math.max(...counts) > 30, `there were ${Math.max(...counts)} packs at most`);
  assert.ok((await packs()) < 31, `${await packs()} packs are left`);
  assert.equal(await git(directory, 'fsck', '--full', '--strict'), '');
  assert.equal(await git(directory, 'rev-list', '--count', 'master'), '71\n');
  const again = await openLog(directory);
  for (let i = 0; i < 7; i++) {
    const numbers = (await again.history([`ex:${i}`])).map(({ json }) => JSON.parse(json ?? '').n);
    assert.deepEqual(
      numbers,
      Array.from({ length: 10 }, (_, k) => i + 7 * k),
    );
  }
  await record(again, change('ex:0', undefined));
  await again.flush();
  assert.match(await git(directory, 'show', `master:${locationOf('ex:0').yaml}`), /deleted: true/);
});

test('a log belongs to one collection, which may open it again', async (t) => {
  const directory = await scratch(t);
  const log = await openLog(directory);
  const again = await openLog(directory);
  await assert.rejects(openLog(directory, 1, 'other'), {
    code: 'store_incompatible',
    message: /'lab'.*'other'/,
  });
  await log.close();
  await record(again, change('ex:a', '{"pid":"ex:a"}'));
  await again.close();
  const other = await openLog(directory, 1, 'other');
  await other.close();
});

test('a directory that is no log is refused', async (t) => {
  const directory = await scratch(t);
  await writeFile(join(directory, 'letter.txt'), 'mine');
  await assert.rejects(openLog(directory), { code: 'store_incompatible', message: /letter\.txt/ });
  const nested = join(directory, 'work-tree');
  await mkdir(nested);
  await git(join(nested, '.git'), 'init', '--quiet', nested);
  await assert.rejects(openLog(nested), { code: 'store_incompatible' });
});

/** An empty commit on top of the branch, tried again while we move it. */
async function commitAs(name: string, directory: string): Promise<void> {
  const who = ['-c', `user.name=${name}`, '-c', 'user.email=other@example.org'];
  const before = (await git(directory, 'rev-parse', 'master')).trim();
  const after = await git(directory, ...who, 'commit-tree', '-p', before, '-m', 'note', `${before}^{tree}`);
  await git(directory, 'update-ref', 'refs/heads/master', after.trim(), before).catch(() =>
    commitAs(name, directory),
  );
}

function change(pid: string, json: string | undefined, authorId = 'curator'): AuditedChange {
  return { pid, json, committerId: 'curator', authorId };
}

async function record(log: AuditLog, made: AuditedChange): Promise<void> {
  const announcement = await log.announce([made]);
  await announcement.confirm();
}
