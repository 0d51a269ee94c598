/** A service adopts a store in a process of its own, whose end, and whose errors, are not the end of the store. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { eventually } from '../../../test/support/eventually.ts';
import { type App, type AppOptions, openApp } from '../../app.ts';
import { isServiceError } from '../../core/errors.ts';
import {
  configure,
  person,
  rowsOf,
  SCHEMA,
  storeDirectory,
  writeRecord,
  writeTable,
} from './stores.support.ts';

const COMMAND = resolve(import.meta.dirname, '../../../bin/accession.js');
/** More than the service follows itself, in several transactions. */
const RECORDS = 6000;
const COUNT = "SELECT records FROM accession_area WHERE path = 'c/curated'";

const appsOf = new Map<string, App[]>();

function storeToAdopt(t: TestContext, { records = RECORDS, schema = SCHEMA } = {}): string {
  // Hooks run in their order: services are closed before their store is removed.
  const apps: App[] = [];
  t.after(() => Promise.all(apps.map((app) => app.close())));
  const root = storeDirectory(t);
  appsOf.set(root, apps);
  configure(root, { c: { schema, backend: { type: 'sqlite+stl' } }, files: {} });
  const people = Array.from({ length: records }, (_, n) => person(`number-${n}`));
  writeTable(join(root, 'c/curated'), people);
  writeRecord(join(root, 'files/curated'), 'no record', 'Person/broken.yaml');
  return root;
}

/** The service, and the messages of its log. */
async function open(store: string, more: Partial<AppOptions> = {}) {
  const lines: { readonly msg: string; readonly path?: string }[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const app: App = await openApp({
    store,
    version: '0.0.0-test',
    bootstrap: 'a'.repeat(64),
    logger,
    ...more,
  });
  appsOf.get(store)?.push(app);
  return { app, lines };
}

/** The processes that this one has started to adopt stores. */
function adopting(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))!;
      const isOurs = Number(parent) === process.pid;
      return isOurs && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('adopt-store')
        ? Number(name)
        : [];
    } catch {
      return [];
    }
  });
}

test('a store is adopted in another process, which reports faults and is gone afterwards', async (t) => {
  const root = storeToAdopt(t, { records: 3 });
  const seen: number[] = [];
  const { lines } = await open(root, { adopting: () => void seen.push(...adopting()) });
  assert.deepEqual(rowsOf(root, COUNT), [[3]]);
  assert.ok(seen.length > 0 && !seen.includes(process.pid));
  assert.deepEqual(adopting(), []);
  const faults = lines.filter(({ path }) => path === 'Person/broken.yaml');
  assert.ok(faults.length > 0);
});

const needsProc = { skip: existsSync('/proc/self/stat') ? false : 'the system has no /proc' };

test('a process that is killed is followed by one that continues', needsProc, async (t) => {
  const root = storeToAdopt(t);
  const killed = new Set<number>();
  const { lines } = await open(root, {
    adopting() {
      for (const pid of killed.size < 2 ? adopting() : []) {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
    },
  });
  const continued = lines.filter(({ msg }) => msg.includes('another one continues'));
  assert.equal(continued.length, 2);
  assert.deepEqual(rowsOf(root, COUNT), [[RECORDS]]);
});

test(
  'the process makes what follows from many records, and the service what is left',
  needsProc,
  async (t) => {
    const indexed = `SELECT c.revision FROM accession_cursor c JOIN accession_area a USING (area)
    WHERE c.name = 'text' AND a.path = 'c/curated'`;
    const whole = storeToAdopt(t);
    await open(whole);
    assert.equal(adopting().length, 1);
    await eventually('the process has ended', () => adopting().length === 0);
    assert.deepEqual(rowsOf(whole, indexed), [[RECORDS]]);

    const killed = storeToAdopt(t);
    const { app } = await open(killed);
    for (const pid of adopting()) process.kill(pid, 'SIGKILL');
    await eventually('the service has made them', () => String(rowsOf(killed, indexed)) === String(RECORDS));
    await eventually('nothing is behind', () => app.projector.list().every(({ behind }) => behind === 0));
  },
);

test('errors of the process are those of the service: a missing schema', async (t) => {
  const root = storeToAdopt(t, { records: 1, schema: 'no-such.yaml' });
  await assert.rejects(open(root), (error) => {
    assert.ok(isServiceError(error) && error.code === 'schema_invalid', String(error));
    return /collection 'c'.*no-such\.yaml/.test(error.message);
  });
  assert.ok(!existsSync(join(root, 'accession.db')));
});

test('a process that cannot run is reported, and the next start adopts the store', async (t) => {
  const root = storeToAdopt(t, { records: 3 });
  const { NODE_OPTIONS } = process.env;
  process.env.NODE_OPTIONS = '--require=/no-such-file.cjs';
  try {
    await assert.rejects(open(root), { code: 'storage_failed', message: /has ended \(status 1\)/ });
  } finally {
    if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = NODE_OPTIONS;
  }
  await open(root);
  assert.deepEqual(rowsOf(root, COUNT), [[3]]);
});

test('the process ends with the service, and the next start continues', async (t) => {
  const root = storeToAdopt(t);
  const command = [COMMAND, 'serve', root, '--port', '0'];
  const service = spawn(process.execPath, command, { stdio: 'ignore' });
  const ended = once(service, 'exit');
  await eventually('the import has begun', () => existsSync(join(root, 'accession.db.adopting')));
  service.kill('SIGKILL');
  await ended;
  // Until the process has ended, too, the store is in use.
  await eventually('the store can be opened', () => open(root).catch(() => undefined));
  assert.deepEqual(rowsOf(root, COUNT), [[RECORDS]]);
});
