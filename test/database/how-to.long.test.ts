/** `docs/how-to/move-to-postgresql.md`, and what `back-up.md` says of PostgreSQL, command by command. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { ownServer, startPostgresql } from '../support/postgresql.ts';

const root = resolve(import.meta.dirname, '../..');
/** The commands of a page, or below one of its headings. */
const scriptsOf = (page: string, heading = '') => {
  const text = readFileSync(join(root, 'docs/how-to', page), 'utf8');
  const [, section = text] = heading === '' ? [] : text.split(`\n## ${heading}\n`);
  return [...(heading === '' ? text : section.split('\n## ')[0]!).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
    ([, script = '']) => script,
  );
};
const COLLECTION = { collections: { lab: {} }, tokens: { nobody: {}, curator: { lab: 'CURATOR' } } };

const skip = ownServer ? false : 'roles are not created on the server of ACCESSION_TEST_DATABASE_URL';

/** A folder with the command, and an environment with both and a server, as a user of the pages has them. */
async function user(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'accession-how-to-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = await startPostgresql();
  t.after(() => server.close());
  const { port } = new URL(server.url);
  const command = join(folder, 'bin', 'accession');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/accession.js')}' "$@"\n`);
  chmodSync(command, 0o755);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: folder,
    PGHOST: '127.0.0.1',
    PGPORT: port,
    PGUSER: 'accession',
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  };
  return { folder, server, port, env };
}

test('the way to PostgreSQL and back works as it is written', { skip }, async (t) => {
  const { folder, port, env } = await user(t);
  const service = await testApp(t, COLLECTION);
  const stored = { token: 'curator', json: person('ada') };
  assert.equal((await service.request('POST', '/lab/curated/record/Person', stored)).status, 200);
  await service.app.close();

  // The server of the tests has a role of that name, and asks for no password.
  const scripts = scriptsOf('move-to-postgresql.md').map((script) =>
    script
      .replace(/^(create\w+) accession/gm, '$1 owner')
      .replace('--owner accession', '--owner owner')
      .replace(' --pwprompt', '')
      .replace(
        'postgresql://accession@db.example.org/accession',
        `postgresql://owner@127.0.0.1:${port}/owner`,
      )
      .replaceAll('/var/lib/accession/new', join(folder, 'back'))
      .replaceAll('/var/lib/accession/store', service.store),
  );
  assert.equal(scripts.length, 6);
  for (const script of scripts) await run(t, script, env);
});

test('a store in a database is backed up, checked and restored as it is written', { skip }, async (t) => {
  const { folder, server, port, env } = await user(t);
  const address = new URL(server.url);
  // The superuser of the server of the tests has the name that the role of the service has on the page.
  await query(address.href, 'CREATE ROLE keeper LOGIN');
  await query(address.href, 'CREATE DATABASE accession OWNER keeper');
  address.pathname = '/accession';
  address.username = 'keeper';
  const collections = { lab: { backend: { type: 'postgresql+stl' } } };
  const service = await testApp(t, { ...COLLECTION, collections }, { databaseUrl: address.href });
  for (const name of ['ada', 'bob']) {
    const stored = { token: 'curator', json: person(name) };
    assert.equal((await service.request('POST', '/lab/curated/record/Person', stored)).status, 200);
  }
  await service.app.close();
  const [setUp, dump, create, check, restore, serve, ...more] = scriptsOf(
    'back-up.md',
    'A store in PostgreSQL',
  ).map((script) =>
    script
      .replaceAll('accession@db.example.org/', `keeper@127.0.0.1:${port}/`)
      .replace('--owner accession', '--owner keeper')
      .replaceAll('accession.dump', `${folder}/dump`),
  );
  assert.deepEqual(more, []);
  await run(t, setUp ?? '', env);
  await run(t, dump ?? '', env);

  await query(address.href, `DELETE FROM accession_record WHERE pid = 'labid:ada'`);
  const damaged = spawnSync('accession', ['check', address.href], { env, encoding: 'utf8' });
  assert.equal(damaged.status, 2, damaged.stderr);
  assert.match(damaged.stdout, /^error database lab\/curated: has 1 records, and 2 are counted\.$/m);

  for (const script of [create, check, restore, serve]) await run(t, script ?? '', env);
});

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Runs a script; one that ends with a service, until it has answered. */
async function run(t: TestContext, script: string, env: NodeJS.ProcessEnv): Promise<void> {
  const serves = /\baccession serve\b.*\n$/.test(script);
  const before = /^export (\w+)='(.*)'$/m.exec(script);
  if (before) env[before[1] as string] = before[2];
  const text = serves ? script.replace(/(\baccession serve\b.*)\n$/, 'exec $1 --port 0\n') : script;
  const shell = text.replace('env -u DATABASE_URL exec', 'exec env -u DATABASE_URL');
  const child = spawn('sh', ['-ec', shell], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  const exit = once(child, 'exit');
  const listens = new Promise<string>((found) => {
    child.stderr.on('data', (data) => {
      output += data;
      const url = /listens on (\S+)/.exec(output)?.[1];
      if (url) found(url);
    });
  });
  if (serves) {
    const url = await Promise.race([listens, exit.then(() => assert.fail(`${script}\n${output}`))]);
    const answer = await fetch(`${url}/lab/curated/records/`, { headers: { 'x-service-token': 'curator' } });
    assert.match(await answer.text(), /labid:ada/, script);
    child.kill('SIGTERM');
  }
  const [status] = await exit;
  assert.equal(status, 0, `${script}\n${output}`);
}
