/** The scripts of `deploy/` that cron runs, on the store of a service that is running. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { blocksOf, runBlocks } from '../docs/page.ts';
import { LABORATORY } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { person } from '../support/people.ts';
import { startService } from '../support/real-service.ts';

const root = resolve(import.meta.dirname, '../..');

const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: {
    c: { schema: LABORATORY, default_token: 'none', curated: 'c/curated', incoming: 'c/incoming' },
  },
  tokens: {
    cur: {
      user_id: 'cur',
      representation: 'cur',
      collections: { c: { mode: 'CURATOR', incoming_label: 'cur' } },
    },
  },
};

/** A running service with a record, an empty directory for backups, and a way to run the scripts. */
async function world(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'accession-back-up-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [store, backups, bin] = ['store', 'backups', 'bin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [store, backups, bin]) mkdirSync(directory);
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(CONFIGURATION));
  const command = join(bin, 'accession');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${root}/bin/accession.js" "$@"\n`);
  chmodSync(command, 0o755);
  const service = await startService([store]);
  t.after(() => service.kill());
  const stored = await fetch(`${service.url}/c/curated/record/Person`, {
    method: 'POST',
    headers: { 'X-Service-Token': 'cur', 'Content-Type': 'application/json' },
    body: JSON.stringify(person('ada')),
  });
  assert.equal(stored.status, 200);
  const run = (script: string, ...args: string[]) =>
    spawnSync('sh', [join(root, 'deploy', script), ...args], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    });
  return { store, backups, bin, run, stop: () => service.kill() };
}

test('a backup by cron is silent, is checked, can be restored, and replaces old ones', async (t) => {
  const { store, backups, run } = await world(t);
  const old = join(backups, '2020-01-01T000000Z.tar.gz');
  writeFileSync(old, '');
  utimesSync(old, new Date('2020-01-01'), new Date('2020-01-01'));
  const made = run('back-up.sh', store, backups);
  assert.deepEqual([made.status, made.stdout, made.stderr], [0, '', '']);
  const files = readdirSync(backups);
  assert.equal(files.length, 1);
  assert.match(files[0] as string, /^\d{4}-\d\d-\d\dT\d{6}Z\.tar\.gz$/);
  const drill = run('restore-drill.sh', backups);
  assert.deepEqual([drill.status, drill.stdout, drill.stderr], [0, '', '']);
});

test('the line for cron finds the script and the command in the PATH that it sets', async (t) => {
  const { store, backups, bin } = await world(t);
  const page = readFileSync(join(root, 'docs/how-to/back-up.md'), 'utf8');
  const [, path = '', command = ''] = /^PATH=(.*)\n[\d*]+ [\d*]+ \* \* \* accession (.*)$/m.exec(page) ?? [];
  // `install` puts the scripts there, and `npm install --global` the command.
  copyFileSync(join(root, 'deploy/back-up.sh'), join(bin, 'back-up.sh'));
  chmodSync(join(bin, 'back-up.sh'), 0o755);
  const line = command.replace('/var/lib/accession/store', store).replace('/backups/accession', backups);
  const env = { PATH: path.replace('/usr/local/bin', bin) };
  const ran = spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8', env });
  assert.deepEqual([ran.status, ran.stdout, ran.stderr], [0, '', '']);
  assert.equal(readdirSync(backups).length, 1);
});

test('the commands that restore a store on the page lead to a service with its records', async (t) => {
  const { store, backups, bin, run, stop } = await world(t);
  assert.equal(run('back-up.sh', store, backups).status, 0);
  await stop();
  const [restore = ''] = blocksOf('docs/how-to/back-up.md').filter((block) =>
    /^accession restore /m.test(block),
  );
  const [, backup = ''] = /accession restore (\S+)/.exec(restore) ?? [];
  const port = await freePort();
  // The unit, and the owner of the files, are of a machine.
  const machine = `chown() { :; }
systemctl() { if [ "$1" = start ]; then accession serve '${store}' --port ${port} > '${store}.log' 2>&1 & service=$!; fi; }`;
  const read = `curl -fs -H 'X-Service-Token: cur' 'http://127.0.0.1:${port}/c/curated/record?pid=${person('ada').pid}'`;
  const [, health, record] = await runBlocks([machine, restore, read, 'kill $service; wait $service'], {
    folder: bin,
    path: `${bin}:${dirname(process.execPath)}`,
    instead: {
      [backup]: join(backups, readdirSync(backups)[0]!),
      '/var/lib/accession/store': store,
      ':8000': `:${port}`,
    },
  });
  assert.match(health!, /"status":"ok"/);
  assert.equal(JSON.parse(record!).pid, person('ada').pid);
});

test('the drill fails for a damaged backup and for an empty directory', async (t) => {
  const { store, backups, run } = await world(t);
  assert.equal(run('restore-drill.sh', backups).status, 1);
  assert.equal(run('back-up.sh', store, backups).status, 0);
  const file = join(backups, readdirSync(backups)[0] as string);
  truncateSync(file, 600);
  appendFileSync(file, 'damage');
  assert.notEqual(run('restore-drill.sh', backups).status, 0);
});
