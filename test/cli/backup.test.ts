/** `accession backup` and `restore`. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { padding, readTar, TAR_END, tarHeader } from '../../src/cli/backup/tar.ts';
import { type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { accession, scratch } from './accession.ts';

const CONFIGURATION = {
  collections: {
    files: { audit_backends: [{ type: 'gitaudit', path: 'files/audit' }] },
    rows: { backend: { type: 'sqlite' } },
  },
  tokens: { cur: { files: 'CURATOR', rows: 'CURATOR' } },
};

/** All records of a service, by area. */
async function contents(service: TestService): Promise<Record<string, string>> {
  const areas = ['files/curated', 'rows/curated', 'files/incoming/cur', 'rows/incoming/cur'];
  const texts = areas.map(async (area) => {
    const answer = await service.request('GET', `/-/${area}/export`, { token: 'cur' });
    return [area, answer.status === 200 ? answer.text : ''];
  });
  return Object.fromEntries(await Promise.all(texts));
}

test('a backup of a store is one file, and its restore is the same store', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  for (const area of ['files/curated', 'rows/curated', 'files', 'rows']) {
    for (let i = 0; i < 5; i += 1) {
      const stored = await service.request('POST', `/${area}/record/Person`, {
        token: 'cur',
        json: person(`p${i}`),
      });
      assert.equal(stored.status, 200, stored.text);
    }
  }
  const before = await contents(service);
  const folder = scratch(t);
  const file = join(folder, 'backup.tar.gz');
  const made = await accession(['backup', service.store, file]);
  assert.equal(made.status, 0, made.stderr);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match(
    execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }),
    /store\/files\/curated\/Person\/\w+\.yaml[\s\S]*manifest\.json/,
  );
  assert.match((await accession(['restore', '--verify', file])).stderr, /files of 2\d{3}-.* verified/);

  const copy = join(folder, 'copy');
  const restored = await accession(['restore', file, copy]);
  assert.equal(restored.status, 0, restored.stderr);
  assert.equal(statSync(join(copy, '__dump_things__')).mode & 0o777, 0o700);
  const second = await testApp(t, CONFIGURATION, { store: copy });
  assert.deepEqual(await contents(second), before);
  const history = await second.request('GET', '/-/files/history?pid=labid:p0', { token: 'cur' });
  assert.equal(history.status, 200, history.text);
  assert.ok(history.text.includes('labid:p0'));
  assert.equal((await accession(['restore', file, copy])).status, 1, 'a store is never overwritten');
  assert.equal((await accession(['backup', service.store, file])).status, 1, 'a backup is never overwritten');
});

test('a backup is of one moment while a writer runs', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const put = (area: string, pid: string, note: string) =>
    service.request('POST', `/${area}/record/Person`, {
      token: 'cur',
      json: { ...person(pid), description: note },
    });
  // Each round writes `a` before `b`: in a copy of one moment, `b` is never ahead of `a`.
  let running = true;
  let round = 0;
  for (const area of ['files/curated', 'rows/curated'])
    for (const pid of ['a', 'b']) await put(area, pid, '0');
  const writer = (async () => {
    while (running) {
      round += 1;
      for (const area of ['files/curated', 'rows/curated']) {
        for (const pid of ['a', 'b']) await put(area, pid, String(round));
        await put(area, `extra${round}`, 'x');
      }
    }
  })();
  const folder = scratch(t);
  const started = round;
  const copies: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    const made = await accession(['backup', service.store, join(folder, `${name}.tar.gz`)]);
    assert.equal(made.status, 0, made.stderr);
    copies.push(name);
  }
  running = false;
  await writer;
  assert.ok(round > started + 2, 'the writer ran during the backups');
  for (const name of copies) {
    const copy = join(folder, name);
    assert.equal((await accession(['restore', join(folder, `${name}.tar.gz`), copy])).status, 0);
    const checked = await accession(['validate', copy]);
    assert.equal(checked.status, 0, checked.stdout);
    const restored = await testApp(t, CONFIGURATION, { store: copy });
    for (const area of ['files/curated', 'rows/curated']) {
      const noteOf = async (pid: string) => {
        const answer = await restored.request('GET', `/${area}/record?pid=labid:${pid}`, { token: 'cur' });
        return Number(answer.json<{ description: string }>().description);
      };
      const [a, b] = [await noteOf('a'), await noteOf('b')];
      assert.ok(a === b || a === b + 1, `${name} ${area}: ${a} ${b}`);
      const { total } = (await restored.request('GET', `/${area}/records/p/?size=1`, { token: 'cur' })).json<{
        total: number;
      }>();
      assert.ok(
        total === b + 2 || total === b + 1 || total === a + 1,
        `${name} ${area}: ${total} records in round ${b}`,
      );
    }
  }
});

test('a backup that was changed, cut or is something else is refused, and nothing is left', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  await service.request('POST', '/files/curated/record/Person', { token: 'cur', json: person('a') });
  const folder = scratch(t);
  const file = join(folder, 'good.tar.gz');
  await accession(['backup', service.store, file]);
  const tar = gunzipSync(readFileSync(file));
  const changed = Buffer.from(tar);
  const at = changed.indexOf('family_name');
  changed.write('familX', at);
  const entry = Buffer.from('x');
  const outside = Buffer.concat([
    tarHeader({ path: 'store/../../evil', size: 1, mode: 0o644, modified: 0 }),
    entry,
    padding(1),
    TAR_END,
  ]);
  const cases: [string, Buffer, RegExp][] = [
    ['changed', gzipSync(changed), /files\/curated\/.* is missing or differs/],
    ['cut', gzipSync(tar.subarray(0, 4096)), /ends in the middle/],
    ['half', readFileSync(file).subarray(0, 500), /cannot be decompressed|ends in the middle/],
    ['other', gzipSync(Buffer.alloc(1024, 'x')), /not a tar file/],
    ['text', Buffer.from('hello'), /cannot be decompressed/],
    ['outside', gzipSync(outside), /not one of a store/],
  ];
  for (const [name, bytes, message] of cases) {
    writeFileSync(join(folder, name), bytes);
    const { status, stderr } = await accession(['restore', join(folder, name), join(folder, 'copy')]);
    assert.equal(status, 1, name);
    assert.match(stderr, message, name);
    assert.ok(!existsSync(join(folder, 'copy')), name);
  }
});

test('archives are read by tar and by us, with long names and any characters', async (t) => {
  const folder = scratch(t);
  const names = ['a', `${'long/'.repeat(40)}end`, 'ünïcode/日本 🎉', 'x'.repeat(100)];
  const parts = names.flatMap((path) => {
    const bytes = Buffer.from(path.repeat(50));
    return [
      tarHeader({ path, size: bytes.length, mode: 0o600, modified: 1_700_000_000_123 }),
      bytes,
      padding(bytes.length),
    ];
  });
  const archive = Buffer.concat([...parts, TAR_END]);
  writeFileSync(join(folder, 'a.tar'), archive);
  mkdirSync(join(folder, 'out'));
  execFileSync('tar', ['-xf', join(folder, 'a.tar'), '-C', join(folder, 'out')]);
  for (const path of names) assert.equal(readFileSync(join(folder, 'out', path), 'utf8'), path.repeat(50));
  for (const size of [1, 511, 512, 4096]) {
    const chunks = Array.from({ length: Math.ceil(archive.length / size) }, (_, i) =>
      archive.subarray(i * size, (i + 1) * size),
    );
    const read: string[] = [];
    for await (const entry of readTar(Readable.from(chunks))) {
      const hash = createHash('md5');
      for await (const chunk of entry.content()) hash.update(chunk);
      assert.equal(hash.digest('hex'), createHash('md5').update(entry.path.repeat(50)).digest('hex'));
      assert.equal(entry.modified, 1_700_000_000_123);
      read.push(entry.path);
    }
    assert.deepEqual(read, names);
  }
});

test('a store in a database, an empty directory, and a directory whose store moved to a database are refused', async (t) => {
  const folder = scratch(t);
  const file = join(folder, 'backup.tar.gz');
  const url = 'postgresql://accession:hidden@127.0.0.1:1/store';
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const moved = await testApp(t, CONFIGURATION);
  writeFileSync(join(moved.store, '__dump_things__', 'database.json'), '{"since":"2026-11-22T00:00:00Z"}');
  for (const [args, message] of [
    [['backup', url, file], /found the URL of a database.*pg_dump/],
    [['doctor', url], /found the URL of a database/],
    [['rebuild-index', url], /found the URL of a database/],
    [['restore', file, url], /restored into a directory/],
    [['backup', empty, file], /does not contain a store/],
    [['check', empty], /does not contain a store/],
    [['backup', moved.store, file], /in a database since 2026-11-22/],
  ] as const) {
    const ran = await accession([...args]);
    assert.equal(ran.status, 1, `${args}: ${ran.stderr}`);
    assert.match(ran.stderr, message);
    assert.doesNotMatch(ran.stderr, /hidden/);
  }
  assert.deepEqual([existsSync(file), readdirSync(empty)], [false, []]);
});
