/**
 * What importing a store of the peer costs: the time until `accession serve` answers, and the peak of its memory, for record
 * files, for rows, and for files with an audit log; and the same for an import that is killed in the middle and started again.
 *
 *     npm run bench:adopt -- [--files 10000,100000] [--rows 100000,1000000] [--logged 10000,100000]
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { canonicalJson, type JsonObject } from '#linkml/json.ts';
import { filePath } from '../../core/formats/record-path.ts';
import { configure, type Logged, writeLog } from './stores.support.ts';
import { PeerTable } from './table.ts';

const { values: flags } = parseArgs({
  options: {
    files: { type: 'string', default: '10000,100000' },
    rows: { type: 'string', default: '100000,1000000' },
    logged: { type: 'string', default: '10000,100000' },
  },
});
const COMMAND = resolve(import.meta.dirname, '../../../bin/accession.js');
/** The changes of a commit of an audit log. */
const CHANGES_OF_COMMIT = 100;
/** How often the memory of the process is read, in milliseconds. */
const LOOK = 20;

const pidOf = (number: number) => `ex:person-${String(number).padStart(7, '0')}`;
const recordOf = (number: number) => ({
  name: `Person number ${number} of a store that is imported`,
  pid: pidOf(number),
});

function makeFiles(root: string, count: number, more: JsonObject = {}): void {
  configure(root, { c: { backend: { type: 'record_dir' }, ...more } });
  const folders = new Set<string>();
  for (let number = 0; number < count; number++) {
    const { name, pid } = recordOf(number);
    const file = join(root, 'c/curated', filePath('digest-md5', 'Person', pid));
    const folder = dirname(file);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    writeFileSync(file, `name: ${name}\npid: ${pid}\n`);
  }
}

function makeRows(root: string, count: number): void {
  configure(root, { c: { backend: { type: 'sqlite' } } });
  const directory = join(root, 'c/curated');
  mkdirSync(directory, { recursive: true });
  const table = new PeerTable(directory, true);
  for (let number = 0; number < count; number++) {
    const json = canonicalJson({ ...recordOf(number), schema_type: 'ex:Person' });
    const pid = pidOf(number);
    table.write({ pid, iri: `https://example.org/ns/${pid.slice(3)}`, className: 'Person', json });
  }
  table.close();
}

/** Record files, and an audit log that has each of them. */
async function makeLogged(root: string, count: number): Promise<void> {
  makeFiles(root, count, { audit_backends: [{ type: 'gitaudit', path: 'c/audit' }] });
  const commits: Logged[][] = [];
  for (let number = 0; number < count; number++) {
    const time = `${new Date(Date.UTC(2025, 0, 1) + number * 1000).toISOString().slice(0, 19)}.000000+00:00`;
    if (number % CHANGES_OF_COMMIT === 0) commits.push([]);
    commits.at(-1)!.push({ record: recordOf(number), time });
  }
  writeLog(join(root, 'c/audit'), commits);
}

type Run = { readonly seconds: number; readonly memory: number };

/** Serves the store until it answers, or until it is killed when the database has this many bytes. */
async function serve(root: string, killedAt = Number.POSITIVE_INFINITY): Promise<Run> {
  const began = performance.now();
  const child = spawn(process.execPath, [COMMAND, 'serve', root, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ACCESSION_ADMIN_TOKEN: 'the secret of an administrator' },
  });
  const ended = once(child, 'exit');
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  let memory = 0;
  while (!output.includes(' listens on ') && child.exitCode === null) {
    memory = Math.max(memory, peakOf(child.pid!) ?? 0);
    const draft = statSync(join(root, 'accession.db.adopting'), { throwIfNoEntry: false })?.size ?? 0;
    if (draft >= killedAt) break;
    await new Promise((done) => setTimeout(done, LOOK));
  }
  const seconds = (performance.now() - began) / 1000;
  assert.equal(child.exitCode, null, output);
  child.kill(Number.isFinite(killedAt) ? 'SIGKILL' : 'SIGTERM');
  await ended;
  return { seconds, memory };
}

/** The most memory that a process has had, in MB. */
function peakOf(pid: number): number | undefined {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return undefined;
  }
}

/** The records and entries that were imported, without times. */
function contentOf(root: string): unknown[] {
  const database = new DatabaseSync(join(root, 'accession.db'), { readOnly: true });
  try {
    const sql = `SELECT count(*), count(DISTINCT r.iri), sum(length(r.json)), min(r.pid), max(r.pid),
        (SELECT count(*) FROM accession_entry e JOIN accession_area a USING (area) WHERE a.path = 'c/curated')
      FROM accession_record r JOIN accession_area a USING (area) WHERE a.path = 'c/curated'`;
    const integrity = database.prepare('PRAGMA quick_check').all();
    return [database.prepare(sql).get(), integrity];
  } finally {
    database.close();
  }
}

console.log('| store | made in s | import s | peak MB | killed, then again s | peak MB |');
console.log('|---|---|---|---|---|---|');
for (const [name, sizes, make] of [
  ['files', flags.files, makeFiles],
  ['rows', flags.rows, makeRows],
  ['files with a log', flags.logged, makeLogged],
] as const)
  for (const size of sizes.split(',').filter(Boolean).map(Number)) {
    const root = mkdtempSync(join(tmpdir(), 'accession-bench-adopt-'));
    try {
      const began = performance.now();
      await make(root, size);
      const made = (performance.now() - began) / 1000;
      const whole = await serve(root);
      const content = contentOf(root);
      const { size: bytes } = statSync(join(root, 'accession.db'));
      for (const name of ['accession.db', 'accession.db.lock', '__dump_things__'])
        rmSync(join(root, name), { recursive: true });
      await serve(root, bytes / 2);
      assert.ok(!existsSync(join(root, 'accession.db')), 'it was killed in the middle');
      const again = await serve(root);
      assert.deepEqual(contentOf(root), content, 'the result is the same');
      const numbers = [made, whole.seconds, whole.memory, again.seconds, again.memory].map((one) =>
        one.toFixed(one < 100 ? 1 : 0),
      );
      console.log(`| ${size} ${name} | ${numbers.join(' | ')} |`);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
