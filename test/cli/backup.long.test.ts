/** `accession backup` and `restore`. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type TestService, testApp } from '../support/app.ts';
import { person, storedPerson } from '../support/people.ts';
import { startService } from '../support/real-service.ts';
import { sqliteAt } from '../support/sqlite.ts';
import { accession, LABORATORY, scratch } from './accession.ts';

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
    /manifest\.json[\s\S]*store\/accession\.db/,
  );
  assert.match((await accession(['restore', '--verify', file])).stderr, /files of 2\d{3}-.* verified/);

  const copy = join(folder, 'copy');
  const restored = await accession(['restore', file, copy]);
  assert.equal(restored.status, 0, restored.stderr);
  assert.equal(statSync(join(copy, '__dump_things__')).mode & 0o777, 0o700);
  assert.equal(statSync(join(copy, 'accession.db')).mode & 0o777, 0o600);
  const second = await testApp(t, CONFIGURATION, { store: copy });
  assert.deepEqual(await contents(second), before);
  const history = await second.request('GET', '/-/files/history?pid=labid:p0', { token: 'cur' });
  assert.equal(history.status, 200, history.text);
  assert.ok(history.text.includes('labid:p0'));
  const files = readdirSync(join(copy, 'files/curated/Person'));
  assert.equal(files.length, 5, 'the files of records are written again');
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
  changed.write('familX', changed.indexOf('family_name'));
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', file, '-C', unpacked]);
  const archived = (name: string, ...more: string[]) => {
    const made = join(folder, name);
    execFileSync('tar', ['-czPf', made, '-C', unpacked, ...more, 'manifest.json', 'store']);
    return readFileSync(made);
  };
  writeFileSync(join(folder, 'evil'), 'x');
  const outside = archived('out', '../evil');
  const manifest = join(unpacked, 'manifest.json');
  const own = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(own), format: 1, accession: '0.2.1' }));
  const former = archived('of-former-release');
  writeFileSync(manifest, own);
  symlinkSync('/etc/passwd', join(unpacked, 'store/link'));
  const cases: [string, Buffer, RegExp][] = [
    ['changed', gzipSync(changed), /accession\.db is missing or differs/],
    ['cut', gzipSync(tar.subarray(0, 4096)), /is damaged/],
    ['half', readFileSync(file).subarray(0, 500), /is damaged/],
    ['other', gzipSync(Buffer.alloc(1024, 'x')), /is damaged/],
    ['text', Buffer.from('hello'), /is damaged/],
    ['former', former, /was made by release 0\.2\.1\. Restore it with that release/],
    ['outside', outside, /not a file of a store/],
    ['linked', archived('linked-one'), /not a file of a store/],
  ];
  for (const [name, bytes, message] of cases) {
    writeFileSync(join(folder, name), bytes);
    const { status, stderr } = await accession(['restore', join(folder, name), join(folder, 'copy')]);
    assert.equal(status, 1, name);
    assert.match(stderr, message, name);
    assert.ok(!existsSync(join(folder, 'copy')), name);
  }
});

test('a backup has links within the store, names what leads out of it, and keeps modes', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const folder = scratch(t);
  const zone = (name: string) => join(service.store, 'rows/incoming', name);
  mkdirSync(zone('other'), { recursive: true, mode: 0o700 });
  symlinkSync(zone('other'), zone('cur'));
  chmodSync(join(service.store, 'files/curated'), 0o700);
  await service.restart();
  const json = person('p1');
  await service.request('POST', '/rows/record/Person', { token: 'cur', json });
  mkdirSync(join(service.store, 'notes'), { mode: 0o750 });
  writeFileSync(join(service.store, 'notes/a.txt'), 'a', { mode: 0o640 });
  symlinkSync(join(service.store, 'notes'), join(service.store, 'linked'));
  symlinkSync('.', join(service.store, 'notes/loop'));
  symlinkSync(folder, join(service.store, 'elsewhere'));
  const file = join(folder, 'backup.tar.gz');
  const made = await accession(['backup', service.store, file]);
  assert.match(made.stderr, /outside of the store: .*elsewhere/);
  const copy = join(folder, 'copy');
  const restored = await accession(['restore', file, copy]);
  assert.equal(restored.status, 0, restored.stderr);
  assert.equal(readFileSync(join(copy, 'linked/a.txt'), 'utf8'), 'a');
  assert.equal(statSync(join(copy, 'notes')).mode & 0o777, 0o750);
  assert.equal(statSync(join(copy, 'notes/a.txt')).mode & 0o777, 0o640);
  assert.ok(!existsSync(join(copy, 'elsewhere')));
  assert.equal(statSync(join(copy, 'files/curated')).mode & 0o777, 0o700);
  const second = await testApp(t, CONFIGURATION, { store: copy });
  const read = await second.request('GET', '/rows/incoming/other/record?pid=labid:p1', { token: 'cur' });
  assert.deepEqual(read.json(), storedPerson('p1'), 'the zone is a link again');
});

test('a store that was moved opens with its schema, also restored elsewhere', async (t) => {
  const folder = scratch(t);
  const first = join(folder, 'first');
  assert.equal((await accession(['init', first, '--schema', LABORATORY])).status, 0);
  const second = join(folder, 'second');
  renameSync(first, second);
  const file = join(folder, 'backup.tar.gz');
  assert.equal((await accession(['backup', second, file])).status, 0);
  const third = join(folder, 'third/place');
  assert.equal((await accession(['restore', file, third])).status, 0);
  renameSync(second, join(folder, 'gone'));
  const checked = await accession(['check', third]);
  assert.equal(checked.status, 0, checked.stdout);
});

test('a store that is moved, and one restored from its backup, have all that was in it', async (t) => {
  const folder = scratch(t);
  const schema = join(folder, 'schema.yaml');
  writeFileSync(schema, readFileSync(LABORATORY));
  const first = join(folder, 'first');
  const made = await accession(['init', first, '--schema', schema, '--collection', 'lab', '--json']);
  assert.equal(made.status, 0, made.stderr);
  const { tokens } = JSON.parse(made.stdout) as { tokens: Record<string, string> };
  let service = await startService([first]);
  t.after(() => service.kill());
  const send = async (token: string, method: string, path: string, json?: unknown) => {
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: { 'x-service-token': tokens[token]!, 'content-type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, `${path}: ${text}`);
    return text;
  };
  const people = Array.from({ length: 100 }, (_, n) => person(`p${n}`));
  await send('curator', 'POST', '/-/lab/curated/records/Person?atomic=true', people);
  const changed = readFileSync(LABORATORY, 'utf8').replace(/^description: .*$/m, 'description: Another one');
  const { id } = JSON.parse(await send('admin', 'POST', '/-/lab/rehearse', { schema: changed }));
  await send('admin', 'POST', `/-/lab/rehearsals/${id}/switch`, {});
  for (const [name, more] of [
    ['accepted', { decision: 'accept' }],
    ['rejected', { decision: 'reject', reason: 'no' }],
  ] as const) {
    await send('submitter', 'POST', '/lab/record/Person', person(name));
    const { items } = JSON.parse(await send('curator', 'GET', `/-/lab/review/?pid=labid:${name}`));
    const { label, pid, digest } = items[0];
    await send('curator', 'POST', '/-/lab/review/decisions', { label, pid, digest, ...more });
  }
  const contents = async () => {
    const paths = ['/lab/curated/records/', '/-/lab/review/decisions', '/-/lab/history', '/-/lab/schema'];
    const texts = await Promise.all(paths.map((path) => send('curator', 'GET', path)));
    // Addresses of schemas in the store are those of now.
    const switches = (await send('admin', 'GET', '/-/lab/switches')).replace(
      /"address":"[^"]*\//g,
      '"address":"',
    );
    const { collections } = JSON.parse(await send('curator', 'GET', '/server')) as {
      collections: { schema: string }[];
    };
    return { texts, switches, schema: basename(collections[0]!.schema) };
  };
  const before = await contents();
  assert.equal(JSON.parse(before.texts[0]!).length, 101);
  const file = join(folder, 'backup.tar.gz');
  assert.equal((await accession(['backup', first, file])).status, 0);
  await service.stop();
  rmSync(schema);
  const second = join(folder, 'second');
  renameSync(first, second);
  const third = join(folder, 'third/place');
  const restored = await accession(['restore', file, third]);
  assert.equal(restored.status, 0, restored.stderr);
  for (const place of [second, third]) {
    service = await startService([place]);
    assert.deepEqual(await contents(), before, place);
    await service.stop();
    const checked = await accession(['check', place]);
    assert.equal(checked.status, 0, checked.stdout + checked.stderr);
  }
  renameSync(second, join(folder, 'gone'));

  // Each planted fault alone ends a check with the status of errors.
  const plant = (sql: string) => {
    const database = sqliteAt(join(third, 'accession.db'));
    database.exec(sql);
    database.close();
  };
  const schemaFile = readdirSync(third, { recursive: true, encoding: 'utf8' }).find(
    (path) => basename(path) === before.schema,
  )!;
  const files = join(third, 'lab/curated/Person');
  const [own = ''] = readdirSync(files);
  const whole = readFileSync(join(files, own));
  const planted: [damage: () => void, mend: () => void, message: RegExp][] = [
    [
      () => renameSync(join(third, schemaFile), join(folder, 'away.yaml')),
      () => renameSync(join(folder, 'away.yaml'), join(third, schemaFile)),
      /^error schema lab: .*\.yaml/m,
    ],
    [
      () => writeFileSync(join(files, own), 'pid: ['),
      () => writeFileSync(join(files, own), whole),
      /^error files lab\/curated: .*\.yaml: .*line 1/m,
    ],
    [
      () => plant(`UPDATE accession_record SET json = '{' WHERE pid = 'labid:p7'`),
      () => {},
      /^error database lab\/curated: labid:p7 is not a JSON object/m,
    ],
  ];
  for (const [damage, mend, message] of planted) {
    damage();
    const checked = await accession(['check', third]);
    assert.equal(checked.status, 2, `${message}: ${checked.stdout}${checked.stderr}`);
    assert.match(checked.stdout, message);
    mend();
  }
});

test('a store in a database and a directory without a store are refused', async (t) => {
  const folder = scratch(t);
  const file = join(folder, 'backup.tar.gz');
  const url = 'postgresql://accession:hidden@127.0.0.1:1/store';
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  for (const [args, message] of [
    [['backup', url, file], /found the URL of a database/],
    [['restore', file, url], /restored into a directory/],
    [['backup', empty, file], /has no accession\.db/],
    [['check', empty], /has no accession\.db/],
  ] as const) {
    const ran = await accession([...args]);
    assert.equal(ran.status, 1, `${args}: ${ran.stderr}`);
    assert.match(ran.stderr, message);
    assert.doesNotMatch(ran.stderr, /hidden/);
  }
  assert.deepEqual([existsSync(file), readdirSync(empty)], [false, []]);
});
