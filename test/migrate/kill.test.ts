/**
 * A process that renames, merges and switches schemas is killed at any moment: each step is made wholly or not at all.
 *
 * `ACCESSION_STEWARD_KILLS` is the number of kills on each backend, `ACCESSION_STEWARD_BACKENDS=postgresql` selects some,
 * `ACCESSION_STEWARD_SEED` the moments.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN, testApp } from '../support/app.ts';
import { ownDatabase } from '../support/postgresql.ts';
import { RENAMED } from '../support/schemas.ts';

const ROUNDS = Number(process.env.ACCESSION_STEWARD_KILLS ?? 1);
const SEED = Number(process.env.ACCESSION_STEWARD_SEED ?? 1);
const PEOPLE = 30;
const BACK = RENAMED.replaceAll('Human', 'Person')
  .replace('aliases: [Person]', 'aliases: [Human]')
  .replace('email: { required: true, aliases: [mail] }', 'mail: { required: true, aliases: [email] }')
  .replace('age: { range: integer }', 'age: {}')
  .replace('living:', 'alive:');

const script = join(import.meta.dirname, '../support/steward-until-killed.ts');

type Person = { pid: string; mail?: string; email?: string; friend: string; friends?: string[] };

const BACKENDS = [
  ...(['record_dir', 'record_dir+stl', 'sqlite', 'sqlite+stl'] as const),
  ...(['postgresql', 'postgresql+stl'] as const),
];
const NAMED = process.env.ACCESSION_STEWARD_BACKENDS?.split(',');

for (const type of BACKENDS.filter((backend) => !NAMED || NAMED.includes(backend))) {
  test(`${type}: renames, merges and schema changes survive a kill wholly or not at all`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'accession-kill-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const [one, two] = [join(folder, 'one.yaml'), join(folder, 'two.yaml')];
    writeFileSync(one, BACK);
    writeFileSync(two, RENAMED);
    const databaseUrl = type.startsWith('postgresql') ? await ownDatabase() : undefined;
    const service = await testApp(
      t,
      {
        collections: { c: { schema: one, backend: { type } } },
        tokens: { cora: { c: 'CURATOR' }, ann: { c: 'WRITE_COLLECTION' } },
      },
      databaseUrl === undefined ? {} : { databaseUrl },
    );
    const post = async (area: string, json: object) => {
      const answer = await service.request('POST', `/c/${area}/record/Person`, { token: 'cora', json });
      assert.equal(answer.status, 200, answer.text);
    };
    await post('curated', { pid: 'ex:hub1', mail: 'hub@x.org', friend: 'ex:hub1' });
    for (let n = 0; n < PEOPLE; n++)
      await post('curated', { pid: `ex:p${n}`, mail: `${n}@x.org`, friend: 'ex:hub1', friends: ['ex:p1'] });
    for (let n = 0; n < 5; n++)
      await post('incoming/ann', { pid: `ex:z${n}`, mail: 'z@x.org', friend: 'ex:p0' });

    for (let round = 0; round < ROUNDS; round++) {
      await service.app.close();
      await runAndKill([service.store, one, two, databaseUrl ?? ''], join(folder, 'compiled'), round);
      await service.restart();
      const headers = { 'x-service-token': 'cora' };
      const get = async (url: string) => (await service.app.server.inject({ url, headers })).json();
      const curated = (await get('/c/curated/records/')) as Person[];
      const zone = (await get('/c/incoming/ann/records/')) as Person[];
      const { collections } = (await get('/server')) as { collections: { schema: string }[] };
      const isOne = collections[0]?.schema === one;
      const slots = [...curated, ...zone].map(({ mail, email }) => [mail !== undefined, email !== undefined]);
      assert.deepEqual(slots, Array(slots.length).fill([isOne, !isOne]), 'schema and records agree');
      assert.equal(zone.length, 5);
      const hubs = curated.filter(({ pid }) => pid.startsWith('ex:hub'));
      assert.equal(hubs.length, 1);
      const [hub] = hubs;
      assert.ok(curated.every(({ friend }) => friend === hub?.pid));
      const isMerged = !curated.some(({ pid }) => pid === 'ex:p1');
      assert.equal(curated.length, PEOPLE + (isMerged ? 0 : 1));
      const target = isMerged ? 'ex:p0' : 'ex:p1';
      const others = curated.filter(
        ({ pid, friends }) => friends !== undefined && !['ex:p0', 'ex:p1'].includes(pid),
      );
      assert.ok(others.every(({ friends }) => friends?.[0] === target));
      const faults = (await get('/-/c/faults')) as { total: number };
      assert.equal(faults.total, 0);
      assert.deepEqual(((await get('/-/c/dangling')) as { items: object[] }).items, []);
    }
  });
}

async function runAndKill(args: string[], cache: string, round: number): Promise<void> {
  const hash = createHash('sha256').update(ADMIN).digest('hex');
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ADMIN, ADMIN_HASH: hash, NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => child.once('exit', done));
  await Promise.race([new Promise((done) => child.stdout.once('data', done)), ended]);
  await delay(30 + ((round * 397 + SEED * 61) % 1200));
  child.kill('SIGKILL');
  await ended;
}
