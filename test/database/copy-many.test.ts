/**
 * Copies of many records: `ACCESSION_TEST_COPY` is their number. The command is killed on the way to the database and on the
 * way back, continues where it stopped, and compares all at the end; its memory does not grow with the records.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { numberedRecord } from '../../bench/numbered-record.ts';
import { openStore } from '../../src/storage/backends.ts';
import { SILENT_LOG } from '../../src/storage/log.ts';
import { SQLITE_FILE } from '../../src/storage/sqlite.ts';
import { scratch } from '../cli/accession.ts';
import { testApp } from '../support/app.ts';
import { startPostgresql, type TestServer } from '../support/postgresql.ts';

const RECORDS = Number(process.env.ACCESSION_TEST_COPY ?? 3000);
/** Peaks of a copy of a few thousand records and of 1,000,000 differ by less, in kilobytes. */
const MOST_MEMORY = 400_000;
const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');
const BY = { committer: 'test', author: 'test', role: 'service' } as const;

let server: TestServer;
before(async () => {
  server = await startPostgresql({ durable: RECORDS > 100_000 });
});
after(() => server.close());

/** Fills a curated area: each tenth record is replaced once, each hundredth deleted, and decisions are kept. */
async function fill(directory: string): Promise<void> {
  const naming = {
    expand: (pid: string) => pid.replace('ex:', 'https://example.org/things/'),
    schemaTypeOf: () => undefined,
  };
  const store = await openStore({ type: 'sqlite' }, directory, { ...naming, log: SILENT_LOG });
  for (let from = 0; from < RECORDS; from += 1000) {
    const numbers = Array.from({ length: Math.min(1000, RECORDS - from) }, (_, n) => from + n);
    const puts = numbers.map((n) => ({ put: numberedRecord(n, 'first') }));
    const again = numbers.filter((n) => n % 10 === 0).map((n) => ({ put: numberedRecord(n, 'second') }));
    const gone = numbers.filter((n) => n % 100 === 1).map((n) => ({ delete: numberedRecord(n, '').iri }));
    const row = { kind: 'decision', id: String(from).padStart(9, '0'), keys: ['label test'], json: '{}' };
    await store.write([...puts, ...again, ...gone], BY, [{ set: row }]);
  }
  await store.close();
}

const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Runs a copy and kills it as soon as the target has some revision. */
async function killedAt(
  args: readonly string[],
  revisionOf: () => Promise<number>,
  at: number,
): Promise<number> {
  const child = spawn(process.execPath, [COMMAND, 'copy-store', ...args], { stdio: 'ignore' });
  children.add(child);
  const ended = new Promise<string | null>((done) => child.once('close', (_, signal) => done(signal)));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  while (!isOver() && (await revisionOf().catch(() => 0)) < at) await pause(10);
  child.kill('SIGKILL');
  assert.equal(await ended, 'SIGKILL', 'the copy was not over yet');
  return revisionOf();
}

/** Runs a copy to its end. @returns what it printed, and the most memory that it had, in kilobytes */
async function copied(args: readonly string[]): Promise<{ text: string; peak: number }> {
  const child = spawn(process.execPath, [COMMAND, 'copy-store', ...args]);
  children.add(child);
  let [text, errors, peak] = ['', '', 0];
  child.stdout.on('data', (chunk) => (text += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const look = setInterval(
    () => {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
        if (process.env.ACCESSION_TEST_COPY)
          process.stderr.write(`${new Date().toISOString()} ${/VmRSS:.*/.exec(status)}\n`);
      } catch {
        // The command has ended, or the system has no such file.
      }
    },
    RECORDS > 100_000 ? 20_000 : 50,
  );
  const code = await new Promise<number | null>((done) => child.once('close', done));
  clearInterval(look);
  assert.equal(code, 0, errors);
  return { text, peak };
}

test('a copy of many records that is killed continues, is compared at the end, and leads back', async (t) => {
  const original = await testApp(t, { collections: { lab: { backend: { type: 'sqlite' } } } });
  await original.app.close();
  await fill(join(original.store, 'lab/curated'));
  const changes = RECORDS + Math.ceil(RECORDS / 10) + Math.ceil((RECORDS - 1) / 100);
  const records = RECORDS - Math.ceil((RECORDS - 1) / 100);
  const text = (n: number) => n.toLocaleString('en-US');
  const summary = `lab, curated: ${text(records)} records, ${text(changes)} entries, ${text(Math.ceil(RECORDS / 1000))} ledger rows, revision ${changes}`;

  const url = await server.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(() => client.end());
  const there = async () => {
    const { rows } = await client.query(`SELECT revision FROM accession_area WHERE path = 'lab/curated'`);
    return Number(rows[0]?.revision ?? 0);
  };
  const stopped = await killedAt([original.store, url], there, RECORDS / 3);
  assert.ok(stopped < changes, `${stopped} of ${changes} changes were copied`);
  const forth = await copied([original.store, url]);
  assert.ok(forth.text.includes(summary), forth.text);

  const back = scratch(t);
  const file = join(back, 'lab/curated', SQLITE_FILE);
  const here = async () => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const row = database.prepare('SELECT max(revision) AS revision FROM accession_entry').get();
      return Number(row?.revision ?? 0);
    } finally {
      database.close();
    }
  };
  const half = await killedAt([url, back, '--backend', 'sqlite'], here, RECORDS / 3);
  assert.ok(half < changes, `${half} of ${changes} changes were copied back`);
  const returned = await copied([url, back, '--backend', 'sqlite']);
  assert.equal(returned.text.split('\n')[0], forth.text.split('\n')[0]);
  assert.ok(Math.max(forth.peak, returned.peak) < MOST_MEMORY, `${forth.peak} and ${returned.peak} kB`);
  t.diagnostic(`killed at ${stopped} and ${half} of ${changes}; peaks ${forth.peak} and ${returned.peak} kB`);
});
