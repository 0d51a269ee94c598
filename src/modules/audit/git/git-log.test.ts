import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLong, longTest, repeated, test } from '../../../../test/support/tier.ts';
import { BY } from '../../../core/storage/contract/subject.ts';
import { SILENT_LOG } from '../../../core/storage/log.ts';
import { Pool } from '../../../core/work/pool.ts';
import { Projector } from '../../../core/work/projector.ts';
import { AuditLogs } from '../logs.ts';
import { git, openAudited, openLog, openRecords, scratch } from '../parts.support.ts';
import { entryLocation } from './layout.ts';

test('the repository has the layout of the peer', async (t) => {
  const folder = await scratch(t);
  const directory = join(folder, 'log');
  const { record, log, close } = await openAudited(folder);
  await record('{"name":"Älter","pid":"ex:a"}', 'author');
  await record('{"pid":"ex:b"}');
  await log.flush();
  await record('{"name":"neu","pid":"ex:a"}');
  await close();
  const { yaml, log: lines } = entryLocation('ex:a');
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
    /^Update ex:a\nAdd ex:b\nAdd ex:a\nadd README.txt\n$/,
  );
  assert.equal(
    await git(directory, 'log', '-3', '--reverse', '--format=%an <%ae>', 'master'),
    'author <>\ncurator <>\ncurator <>\n',
  );
  assert.equal(await git(directory, 'fsck', '--full', '--strict'), '');
});

test('changes of different records share a commit, a second change of a record begins the next', async (t) => {
  const folder = await scratch(t);
  const { record, log, close } = await openAudited(folder);
  await log.flush();
  for (const pid of ['ex:a', 'ex:b', 'ex:a', 'ex:c', 'ex:c']) await record(`{"pid":"${pid}"}`);
  await close();
  const args = ['log', '--reverse', '--format=%s', '--name-only', 'master', '--', '*.log'];
  const commits = await git(join(folder, 'log'), ...args);
  const counts = commits
    .split(/(?:Add|Update|Change) .*\n/)
    .slice(1)
    .map((names) => names.trim().split('\n').length);
  assert.deepEqual(counts, [2, 2, 1]);
});

test('the log has author, committer, content and deletes, and changes without a difference', async (t) => {
  const { record, remove, log, logged } = await openAudited(await scratch(t));
  await record('{"n":1,"pid":"ex:a"}', 'author');
  await record('{"n":1,"pid":"ex:a"}');
  await remove('ex:a');
  await log.flush();
  assert.deepEqual(
    (await logged('ex:a')).map(({ author, record }) => [author, record]),
    [
      ['author', { n: 1, pid: 'ex:a' }],
      ['curator', { n: 1, pid: 'ex:a' }],
      ['curator', undefined],
    ],
  );
});

test('an author id with line breaks of Unicode is one line of the log', async (t) => {
  const folder = await scratch(t);
  const { record, log, logged, close } = await openAudited(folder);
  const author = 'a\u2028b\u2029c\u0085d\ne';
  await record('{"pid":"ex:a"}', author);
  await log.flush();
  assert.equal((await logged('ex:a'))[0]?.author, author);
  await close();
  const text = await git(join(folder, 'log'), 'show', `master:${entryLocation('ex:a').log}`);
  assert.doesNotMatch(text.trimEnd(), /[\n\u0085\u2028\u2029]/);
});

test('an entry that cannot be written as YAML is a fault, and the entries after it are exported', async (t) => {
  const folder = await scratch(t);
  const { record, store, log, logged } = await openAudited(folder);
  const deep = `{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)},"pid":"ex:deep"}`;
  const iri = 'https://example.org/deep';
  await store.write([{ put: { pid: 'ex:deep', iri, className: 'Thing', json: deep } }], BY);
  await record('{"pid":"ex:a"}');
  await log.flush();
  assert.equal((await logged('ex:a')).length, 1);
  assert.equal((await logged('ex:deep')).length, 0);
  assert.equal((await store.entries({ iris: [iri], limit: 10 })).length, 1);
  assert.match(log.faults()[0]?.message ?? '', /'ex:deep'.*is not in the log/);
});

repeated('a record with megabytes of words is exported', async (t) => {
  const { record, log, logged } = await openAudited(await scratch(t));
  const words = 'x '.repeat(isLong ? 4_500_000 : 1_000_000).trimEnd();
  await record(`{"pid":"ex:a","words":"${words}"}`);
  await log.flush();
  assert.deepEqual(log.faults(), []);
  assert.equal((await logged('ex:a'))[0]?.record?.words, words);
});

test('while git can take no entries they wait in the area, and are there when it can', async (t) => {
  const folder = await scratch(t);
  const directory = join(folder, 'log');
  const first = await openAudited(folder);
  await first.record('{"n":1,"pid":"ex:a"}');
  await first.log.flush();
  const lock = join(directory, 'refs/heads/master.lock');
  await writeFile(lock, '');
  await first.record('{"n":2,"pid":"ex:a"}');
  await assert.rejects(first.log.flush(), { code: 'audit_failed' });
  assert.match(
    first.log.faults()[0]?.message ?? '',
    /takes no entries; they are safe in the area.*master\.lock/,
  );
  await first.close();

  const again = await openAudited(folder);
  assert.equal((await again.logged('ex:a')).length, 1);
  await rm(lock);
  await again.log.flush();
  assert.deepEqual(again.log.faults(), []);
  assert.equal((await again.logged('ex:a')).length, 2);
  assert.equal(await git(directory, 'rev-list', '--count', 'master'), '3\n');
});

test('a damaged repository is a fault, and keeps no area closed', async (t) => {
  const folder = await scratch(t);
  const first = await openAudited(folder);
  await first.record('{"n":1,"pid":"ex:a"}');
  await first.log.flush();
  await first.close();
  await writeFile(join(folder, 'log/refs/heads/master'), `${'1'.repeat(40)}\n`);
  const { record, log, store } = await openAudited(folder);
  await record('{"n":2,"pid":"ex:a"}');
  await assert.rejects(log.flush(), { code: 'audit_failed' });
  assert.equal(log.faults().length, 1);
  assert.equal((await store.entries({ limit: 10 })).length, 2);
});

test('the log begins with the first change after it was opened, and follows the area while it was closed', async (t) => {
  const folder = await scratch(t);
  const before = await openRecords(join(folder, 'records'));
  const { store } = before;
  const put = (pid: string) => ({
    put: { pid, iri: `https://example.org/${pid}`, className: 'Thing', json: `{"pid":"${pid}"}` },
  });
  await store.write([put('before')], BY);
  const log = await openLog(join(folder, 'log'), before);
  await store.write([put('during')], BY);
  await log.close();
  await store.write([put('after')], BY);
  const again = await openLog(join(folder, 'log'), before);
  await again.flush();
  const pids = await readFile(join(folder, 'log/gitaudit_index.log'), 'utf8');
  assert.equal(pids, 'during\nafter\n');
});

test('a lost area whose log has records is not opened', async (t) => {
  const folder = await scratch(t);
  const { record, close } = await openAudited(folder);
  await record('{"pid":"ex:a"}');
  await close();
  await rm(join(folder, 'records'), { recursive: true });
  await assert.rejects(openAudited(folder), {
    code: 'store_incompatible',
    message: /area of 'lab' is empty.*Restore the area from a backup/,
  });
});

test('an area that was restored from a backup is followed from there on', async (t) => {
  const folder = await scratch(t);
  const records = join(folder, 'records');
  const first = await openAudited(folder);
  await first.record('{"n":1,"pid":"ex:a"}');
  await first.close();
  await cp(records, join(folder, 'backup'), { recursive: true });
  const second = await openAudited(folder);
  for (const n of [2, 3]) await second.record(`{"n":${n},"pid":"ex:a"}`);
  await second.close();
  await rm(records, { recursive: true });
  await cp(join(folder, 'backup'), records, { recursive: true });
  const { record, log, logged } = await openAudited(folder);
  await record('{"n":4,"pid":"ex:a"}');
  await log.flush();
  assert.deepEqual(
    (await logged('ex:a')).map(({ record }) => record?.n),
    [1, 2, 3, 4],
  );
});

test('entries that another program has committed are found, and ours are added after them', async (t) => {
  const folder = await scratch(t);
  const first = await openAudited(folder);
  await first.record('{"n":1,"pid":"ex:a"}');
  await first.close();
  await rm(join(folder, 'log/accession'), { recursive: true });
  const second = await openAudited(folder);
  await second.record('{"n":2,"pid":"ex:a"}');
  await second.log.flush();
  assert.deepEqual(
    (await second.logged('ex:a')).map(({ record }) => record?.n),
    [1, 2],
  );
});

longTest('a branch that moves while we write to it is not a fault', async (t) => {
  const folder = await scratch(t);
  const directory = join(folder, 'log');
  const { record, log, logged } = await openAudited(folder);
  await record('{"n":-1,"pid":"ex:a"}');
  await log.flush();
  const others = (async () => {
    for (let n = 0; n < 8; n++) {
      await sleep(100);
      await commitAs('somebody else', directory);
    }
  })();
  let entries = 0;
  for (let done = false; !done; entries++) {
    await record(`{"n":${entries},"pid":"ex:a"}`);
    await log.flush();
    done = await Promise.race([others.then(() => true), sleep(0, false)]);
  }
  assert.deepEqual(log.faults(), []);
  assert.equal((await logged('ex:a')).length, 1 + entries);
  assert.equal(await git(directory, 'rev-list', '--count', 'master'), `${2 + 8 + entries}\n`);
});

test('a list of pids that is missing is left to the peer, which makes it from the commits', async (t) => {
  const folder = await scratch(t);
  const directory = join(folder, 'log');
  const first = await openAudited(folder);
  await first.record('{"pid":"ex:a"}');
  await first.close();
  await rm(join(directory, 'gitaudit_index.log'));
  const { record, log } = await openAudited(folder);
  await record('{"pid":"ex:b"}');
  await log.flush();
  assert.equal((await readdir(directory)).includes('gitaudit_index.log'), false);
});

repeated('many changes of a record with a long history go to git in bounded portions', async (t) => {
  const folder = await scratch(t);
  const { record, log, logged } = await openAudited(folder);
  const filler = 'x'.repeat(100_000);
  const count = isLong ? 300 : 100;
  for (let n = 0; n < count; n++) await record(`{"filler":"${filler}","n":${n},"pid":"ex:a"}`);
  await log.flush();
  assert.equal((await logged('ex:a')).length, count);
  assert.equal(await git(join(folder, 'log'), 'rev-list', '--count', 'master'), `${count + 1}\n`);
});

longTest('many small packs are packed together, and nothing is lost', async (t) => {
  const folder = await scratch(t);
  const directory = join(folder, 'log');
  const packs = async () =>
    (await readdir(join(directory, 'objects/pack'))).filter((name) => name.endsWith('.pack')).length;
  const first = await openAudited(folder);
  const counts: number[] = [];
  for (let n = 0; n < 70; n++) {
    await first.record(`{"n":${n},"pid":"ex:${n % 7}"}`);
    await first.log.flush();
    counts.push(await packs());
  }
  await first.close();
  assert.ok(Math.max(...counts) > 30, `there were ${Math.max(...counts)} packs at most`);
  assert.ok((await packs()) < 31, `${await packs()} packs are left`);
  assert.equal(await git(directory, 'fsck', '--full', '--strict'), '');
  assert.equal(await git(directory, 'rev-list', '--count', 'master'), '71\n');
  const { log, remove, logged } = await openAudited(folder);
  for (let i = 0; i < 7; i++) {
    assert.deepEqual(
      (await logged(`ex:${i}`)).map(({ record }) => record?.n),
      Array.from({ length: 10 }, (_, k) => i + 7 * k),
    );
  }
  await remove('ex:0');
  await log.flush();
  assert.match(await git(directory, 'show', `master:${entryLocation('ex:0').yaml}`), /deleted: true/);
});

test('a log belongs to one collection, which may open it again', async (t) => {
  const folder = await scratch(t);
  const directory = join(folder, 'log');
  const audited = await openAudited(folder);
  const { log, record, logged } = audited;
  const again = await openLog(directory, audited);
  await assert.rejects(openLog(directory, audited, 1, 'other'), {
    code: 'store_incompatible',
    message: /'lab'.*'other'/,
  });
  await log.close();
  await record('{"pid":"ex:a"}');
  await again.close();
  const other = await openLog(directory, audited, 1, 'other');
  assert.equal((await logged('ex:a')).length, 1);
  await other.close();
});

test('another process cannot write to a log that is in use', async (t) => {
  const folder = await scratch(t);
  const audited = await openAudited(folder);
  const others = new AuditLogs({
    projector: new Projector(audited.database, SILENT_LOG),
    pool: new Pool(),
    log: SILENT_LOG,
  });
  const config = { type: 'gitaudit', path: 'audit', auto_flush_timeout: 60 } as const;
  await assert.rejects(others.open(config, join(folder, 'log'), 'lab', audited), {
    code: 'store_incompatible',
    message: /in use by another process/,
  });
});

test('a directory that is not a log is refused', async (t) => {
  const directory = await scratch(t);
  const store = await openRecords(join(directory, 'records'));
  await mkdir(join(directory, 'letters'));
  await writeFile(join(directory, 'letters/letter.txt'), 'mine');
  await assert.rejects(openLog(join(directory, 'letters'), store), {
    code: 'store_incompatible',
    message: /letter\.txt/,
  });
  const nested = join(directory, 'work-tree');
  await mkdir(nested);
  await git(join(nested, '.git'), 'init', '--quiet', nested);
  await assert.rejects(openLog(nested, store), { code: 'store_incompatible' });
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
