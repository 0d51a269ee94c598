/**
 * Kills a process that takes a store in, again and again: it goes on where it was, and the result is that of a taking in
 * without interruption.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sqliteAt } from '../../../../test/support/sqlite.ts';
import {
  configure,
  type Logged,
  person,
  storeDirectory,
  writeLog,
  writeRecord,
  writeTable,
} from './stores.support.ts';

const RECORDS = 5000;
/** More kills would mean that it begins again each time. */
const MOST_KILLS = 60;

test('a taking in that is killed goes on, and comes to the same result', async (t) => {
  const root = storeDirectory(t);
  const files = { backend: { type: 'record_dir' } };
  const logged = { ...files, audit_backends: [{ type: 'gitaudit', path: 'logged/audit' }] };
  configure(root, { files, logged, table: { backend: { type: 'sqlite+stl' } } });
  const people = Array.from({ length: RECORDS }, (_, n) => person(`number-${n}`));
  for (const one of people) writeRecord(join(root, 'files/curated'), one);
  writeRecord(join(root, 'files/curated'), person('number-1'), 'Person/repeated.yaml');
  writeRecord(join(root, 'files/curated'), 'no record', 'Person/broken.yaml');
  writeTable(join(root, 'table/incoming/zone'), people);
  for (const one of people.slice(0, RECORDS / 2)) writeRecord(join(root, 'logged/curated'), one);
  const changes = people.slice(RECORDS / 4).map((record, n): Logged => {
    const time = `2025-01-01T${new Date(n * 1000).toISOString().slice(11, 19)}.000000+00:00`;
    return { record, time };
  });
  writeLog(join(root, 'logged/audit'), [changes.slice(0, 1000), changes.slice(1000), changes.slice(0, 100)]);

  await run(root, join(root, 'whole.db'));
  let kills = 0;
  while (!existsSync(join(root, 'killed.db'))) {
    assert.ok(kills <= MOST_KILLS);
    kills += 1;
    await run(root, join(root, 'killed.db'), (kills * 37) % 300);
  }
  assert.ok(kills > 3, `${kills} kills`);
  t.diagnostic(`killed ${kills - 1} times`);
  const [whole, killed] = ['whole.db', 'killed.db'].map((name) => stateOf(join(root, name)));
  // Each database begins a generation of its own.
  const withoutGeneration = (rows: unknown) =>
    (rows as { readonly key?: string }[]).filter(({ key }) => key !== 'generation');
  for (const part of Object.keys(whole!))
    assert.deepEqual(withoutGeneration(killed![part]), withoutGeneration(whole![part]), part);
  assert.ok(!existsSync(join(root, 'killed.db.adopting')));
});

/** Runs a process, which is killed so many milliseconds after its first step. */
async function run(root: string, file: string, life?: number): Promise<void> {
  const script = join(import.meta.dirname, 'adopter.support.ts');
  const child = spawn(process.execPath, [script, root, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  if (life !== undefined) {
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), life));
  }
  child.stdout.resume();
  await ended;
}

/** What a database has; what is without a time has that of the taking in. */
function stateOf(file: string): Record<string, unknown[]> {
  const database = sqliteAt(file, { readOnly: true });
  const ofArea = 'JOIN accession_area a USING (area)';
  const sql = {
    areas: 'SELECT path, revision, records, links_since FROM accession_area ORDER BY path',
    records: `SELECT path, iri, pid, class_name, r.revision, json FROM accession_record r ${ofArea} ORDER BY path, pid`,
    entries: `SELECT path, e.revision, iri, deleted, committer, author, former,
      CASE WHEN path LIKE 'files/%' OR committer = 'curator' THEN e.time END AS time FROM accession_entry e ${ofArea} ORDER BY path, e.revision`,
    files: `SELECT a.path AS area, f.path, iri, f.revision, size, modified, inode, digest, fault
      FROM accession_file f ${ofArea} ORDER BY a.path, f.path`,
    blocks: `SELECT path, start_pid, counts FROM accession_block ${ofArea} ORDER BY path, start_pid`,
    cursors: `SELECT path, name, c.revision FROM accession_cursor c ${ofArea} ORDER BY path, name`,
    meta: 'SELECT * FROM accession_meta ORDER BY key',
    indexes: "SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name",
    integrity: 'PRAGMA integrity_check',
  };
  const state = Object.entries(sql).map(([part, one]) => [part, database.prepare(one).all()]);
  database.close();
  return Object.fromEntries(state);
}
