/** Commands of operators: init, check, config, diff. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openStore } from '../../src/cli/open-store.ts';
import { ADMIN, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { sqliteAt } from '../support/sqlite.ts';
import { accession, LABORATORY, scratch } from './accession.ts';
import { listening } from './service.ts';

const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');

/** A service as a process of its own. */
async function serve(
  t: Pick<TestContext, 'after'>,
  store: string,
): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [COMMAND, 'serve', store, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [line] = await once(child.stderr!, 'data');
  const url = /http:\S+/.exec(String(line))?.[0];
  assert.ok(url, String(line));
  return { url, child };
}

test('init makes a store that serves, with secrets that are shown once', async (t) => {
  const folder = scratch(t);
  const store = join(folder, 'data');
  const made = await accession(['init', store, '--json']);
  assert.equal(made.status, 0, made.stderr);
  const { tokens, collection } = JSON.parse(made.stdout);
  assert.deepEqual(Object.keys(tokens), ['reader', 'submitter', 'curator', 'admin']);
  const stored = readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.yaml$/.test(name))
    .map((name) => readFileSync(join(store, name), 'utf8'))
    .join('');
  for (const secret of Object.values<string>(tokens)) assert.ok(!stored.includes(secret));
  const { url, child } = await serve(t, store);
  const env = (token: string) => ({ ACCESSION_URL: url, ACCESSION_TOKEN: token });
  const list = await accession(['list', collection], { env: env(tokens.reader) });
  assert.match(list.stdout, /labid:person-ada-byron/);
  const put = await accession(['put', collection, 'Person'], {
    env: env(tokens.submitter),
    input: '{"pid":"labid:new","name":"New","family_name":"New"}',
  });
  assert.equal(put.status, 0, put.stderr);
  const config = await accession(['config', 'download'], {
    env: { ...env(''), ACCESSION_ADMIN_TOKEN: tokens.admin },
  });
  assert.match(config.stdout, /^collections:\n {2}laboratory:/m);
  child.kill('SIGTERM');
  await once(child, 'exit');
  assert.equal((await accession(['init', store])).status, 1, 'a store is never overwritten');
  const doctor = await accession(['doctor', store]);
  assert.equal(doctor.status, 0, doctor.stdout + doctor.stderr);
});

test('a checkout of records is served for reading, and is left as it is', async (t) => {
  const folder = join(scratch(t), 'my records');
  mkdirSync(join(folder, 'Person'), { recursive: true });
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, 'Person/a.yaml'), 'pid: labid:a\nname: A\nfamily_name: A\n');
  const before = readdirSync(folder, { recursive: true });
  const child = spawn(
    process.execPath,
    [COMMAND, 'serve', folder, '--read-only', '--schema', LABORATORY, '--port', '0'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  while (!output.includes(' listens on ')) output += String((await once(child.stderr, 'data'))[0]);
  const url = /listens on (http:\S+)/.exec(output)?.[1];
  const read = await fetch(`${url}/my-records/record?pid=labid:a`);
  assert.deepEqual(await read.json(), {
    pid: 'labid:a',
    name: 'A',
    family_name: 'A',
    schema_type: 'schema:Person',
  });
  const written = await fetch(`${url}/my-records/record/Person`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"pid":"labid:b","name":"B","family_name":"B"}',
  });
  assert.equal(written.status, 403);
  child.kill('SIGTERM');
  await once(child, 'exit');
  assert.deepEqual(readdirSync(folder, { recursive: true }), before);
});

test('init takes a schema, and leaves nothing behind if it does not open', async (t) => {
  const folder = scratch(t);
  const store = join(folder, 'data');
  writeFileSync(join(folder, 'broken.yaml'), 'classes: [');
  const broken = await accession(['init', store, '--schema', join(folder, 'broken.yaml')]);
  assert.equal(broken.status, 1);
  assert.ok(!existsSync(store));
  const made = await accession(['init', store, '--schema', LABORATORY, '--collection', 'lab']);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /collection 'lab'[\s\S]*Tokens, which are shown only now[\s\S]*accession serve/);
});

/** What `check --json` prints, a line for each finding. */
async function findings(store: string, ...flags: string[]): Promise<string[]> {
  const { stdout } = await accession(['check', store, '--json', ...flags]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { severity, check, area, message } = JSON.parse(line) as Record<string, string>;
      return `${severity} ${check} ${area}: ${message}`;
    });
}

test('check explains what is wrong with a store, and --fix repairs what is safe', async (t) => {
  const service = await testApp(t, {
    collections: { lab: {} },
    tokens: { cur: { lab: 'CURATOR' }, old: { gone: 'READ_CURATED' } },
  });
  const { store } = service;
  const stored = await service.request('POST', '/lab/curated/record/Person', {
    token: 'cur',
    json: { ...person('a'), affiliations: ['labid:nowhere'] },
  });
  assert.equal(stored.status, 200, stored.text);
  await service.app.close();
  writeFileSync(join(store, 'lab/curated/Person/b.yaml'), 'pid: [');
  chmodSync(join(store, '__dump_things__'), 0o755);
  const database = sqliteAt(join(store, 'accession.db'));
  database.exec(`INSERT INTO accession_area (path, revision) VALUES ('lab/incoming/stranger', 1)`);
  database.exec(`UPDATE accession_record SET json = '{' WHERE pid = 'labid:a'`);
  database.close();
  const found = await findings(store);
  const expected = [
    /^warning permissions : .*holds secrets/,
    /^error files lab\/curated: .*b\.yaml: .*line \d+/,
    /^error database lab\/curated: labid:a is not a JSON object/,
    /^warning zones lab\/incoming\/stranger: The zone 'stranger'/,
    /^warning tokens : .*'cur' is shorter than 16/,
    /^warning tokens : .*'cur' is stored as it is/,
    /^warning tokens : .*'old' names collections that do not exist: gone/,
  ];
  for (const pattern of expected)
    assert.ok(
      found.some((line) => pattern.test(line)),
      `${pattern}\n${found.join('\n')}`,
    );
  const fixed = await accession(['doctor', store, '--fix']);
  assert.equal(fixed.status, 2);
  assert.match(fixed.stdout, /holds secrets\.\n {4}Repaired\./);
  assert.doesNotMatch((await findings(store)).join('\n'), /holds secrets/);
});

test('check finds references to nothing, records that do not fit, and a database that is damaged', async (t) => {
  const service = await testApp(t, { collections: { lab: {} }, tokens: { cur: { lab: 'CURATOR' } } });
  await service.request('POST', '/lab/curated/record/Person', {
    token: 'cur',
    json: { ...person('a'), affiliations: ['labid:nowhere'] },
  });
  await service.app.close();
  const file = join(service.store, 'accession.db');
  const database = sqliteAt(file);
  database.exec(
    `UPDATE accession_record SET json = replace(json, '"name":', '"nome":') WHERE pid = 'labid:a'`,
  );
  database.close();
  const found = (await findings(service.store, '--records')).join('\n');
  assert.match(found, /^warning references lab\/curated: labid:a refers to labid:nowhere/m);
  assert.match(found, /^error records lab\/curated: labid:a: .*nome/m);
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4096, 4096 * 3);
  writeFileSync(file, bytes);
  const damaged = await accession(['check', service.store]);
  assert.notEqual(damaged.status, 0);
  assert.match(damaged.stdout + damaged.stderr, /accession\.db|storage|database/i);
});

test('check reports tokens that are expired or unused', async (t) => {
  const service = await testApp(t, {
    collections: { lab: {} },
    tokens: { cur: { lab: 'CURATOR' }, old: { lab: 'READ_CURATED' }, gone: { lab: 'READ_CURATED' } },
  });
  const { store } = service;
  const opened = await openStore(store);
  await opened.close();
  const { gone } = opened.configuration.tokens;
  await service.request('PUT', '/tokens', {
    token: ADMIN,
    json: { ...gone, name: 'gone', expires: '2020-01-01' },
  });
  await service.app.close();
  const before = (await findings(store)).join('\n');
  assert.match(before, /The token 'gone' expired: 2020-01-01\./);
  assert.doesNotMatch(before, /last used/);
  const database = sqliteAt(join(store, 'accession.db'));
  database.exec(`INSERT OR REPLACE INTO accession_token_use VALUES ('old', '2020-02-03T04:05:00Z')`);
  database.close();
  assert.match((await findings(store)).join('\n'), /The token 'old' was last used on 2020-02-03\./);
});

test('check reports a schema that is gone', async (t) => {
  const folder = scratch(t);
  const schema = join(folder, 'schema.yaml');
  writeFileSync(schema, readFileSync(LABORATORY));
  const service = await testApp(t, { collections: { lab: { schema } }, tokens: { cur: { lab: 'CURATOR' } } });
  writeFileSync(schema, 'classes: [');
  const { status, stdout } = await accession(['doctor', service.store]);
  assert.equal(status, 2);
  assert.match(stdout, /^error schema lab: .*schema\.yaml/m);
});

test('a configuration is downloaded, compared and uploaded', async (t) => {
  const service = await listening(t);
  const env = { ACCESSION_ADMIN_TOKEN: ADMIN };
  const folder = scratch(t);
  const file = join(folder, 'config.yaml');
  const run = (...args: string[]) => accession(['config', ...args], { env });
  assert.equal((await run('download', service.url, '-o', file)).status, 0);
  assert.deepEqual(await run('diff', file, service.url), { status: 0, stdout: '', stderr: '' });
  assert.deepEqual(await run('diff', file, service.store), { status: 0, stdout: '', stderr: '' });

  const text = readFileSync(file, 'utf8').replace('user_id: ann@example.org', 'user_id: anna@example.org');
  writeFileSync(
    file,
    `${text}  new:\n    user_id: new\n    collections: {}\n    representation: very secret\n`.replace(
      /^admin_tokens:[\s\S]*?(?= {2}new:)/m,
      '',
    ),
  );
  const differing = await run('diff', service.url, file);
  assert.equal(differing.status, 2);
  assert.match(differing.stdout, /^ {2}tokens\.ann\.user_id: "ann@example\.org" → "anna@example\.org"$/m);
  assert.match(differing.stdout, /^\+ tokens\.new: .*"representation":"\*\*\*"/m);
  const dry = await run('upload', service.url, file, '--dry-run');
  assert.deepEqual(dry.stdout.trim().split('\n').sort(), ['change tokens ann', 'create tokens new']);
  assert.equal((await run('diff', service.url, file)).status, 2, 'a dry run changes nothing');
  assert.equal((await run('upload', service.url, file)).status, 0);
  assert.equal((await run('diff', service.url, file)).status, 0);
  assert.match((await accession(['config', 'download', service.url])).stderr, /admin token/);

  // A refusal says what was done before it, and nothing else.
  const faulty = readFileSync(file, 'utf8')
    .replace('user_id: anna@example.org', 'user_id: annie@example.org')
    .replace(/^ {4}schema: .*$/m, '    schema: nowhere.yaml');
  writeFileSync(file, faulty);
  const refused = await run('upload', service.url, file);
  assert.deepEqual([refused.status, refused.stdout], [1, '']);
  assert.match(refused.stderr, /^change collections lab: refused\. Not made: 2 of 2 changes\.\naccession: /);
});

test('records that differ between stores, folders and revisions are listed with their changes', async (t) => {
  const service = await testApp(t, { collections: { lab: {} }, tokens: { cur: { lab: 'CURATOR' } } });
  const put = (json: object) => service.request('POST', '/lab/curated/record/Person', { token: 'cur', json });
  await put(person('a'));
  await put(person('b'));
  const folder = scratch(t);
  const lines = (await service.request('GET', '/-/lab/curated/export', { token: 'cur' })).text;
  writeFileSync(join(folder, 'before.ndjson'), lines);
  await put({ ...person('a'), description: 'changed' });
  await service.request('DELETE', '/lab/curated/record?pid=labid:b', { token: 'cur' });
  await put(person('c'));
  const expected = '~ labid:a\n    /description: none → "changed"\n- labid:b\n+ labid:c\n';
  for (const before of [join(folder, 'before.ndjson'), `${service.store}@2`]) {
    const { status, stdout, stderr } = await accession(['diff', before, service.store]);
    assert.deepEqual(
      [status, stdout, stderr],
      [2, expected, '1 record added, 1 removed, 1 changed\n'],
      before,
    );
  }
  assert.equal((await accession(['diff', service.store, join(service.store, 'lab/curated')])).status, 0);
});
