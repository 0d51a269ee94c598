/** Two stores on one directory, as in two processes: neither undoes what the other has committed. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BY, expand, put, schemaTypeOf } from '../contract/subject.ts';
import { SILENT_LOG } from '../log.ts';
import { stampOf } from './disk.ts';
import { filePath } from './file-names.ts';
import { AREA_FILE, openRecordDir } from './record-dir.ts';

const IRI = 'https://example.org/a';
const PATH = filePath('digest-md5', 'Person', 'ex:a');

/** Opens a store as another process does: nothing is shared with other stores on the directory. */
const open = async (directory: string) =>
  (await openRecordDir(directory, 'digest-md5', { expand, schemaTypeOf, log: SILENT_LOG })).store;

async function withDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'accession-two-'));
  try {
    await run(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Does what a write does until its commit, and leaves the file in the staging folder. */
function commitOnly(directory: string, json: string, yaml: string): void {
  const temporary = '1-1';
  const staged = join(directory, '.accession/staging', temporary);
  writeFileSync(staged, yaml);
  const stamp = stampOf(staged)!;
  const index = new DatabaseSync(join(directory, '.accession', AREA_FILE));
  index.exec('BEGIN IMMEDIATE');
  index.prepare('UPDATE thing SET object = ? WHERE iri = ?').run(json, IRI);
  index
    .prepare('INSERT OR REPLACE INTO accession_pending (path, since, temporary) VALUES (?, ?, ?)')
    .run(PATH, Date.now() + 1, temporary);
  index
    .prepare('UPDATE accession_file SET size = ?, modified = ?, inode = ? WHERE path = ?')
    .run(stamp.size, stamp.modified, stamp.inode, PATH);
  index.exec('COMMIT');
  index.close();
}

test('a write whose file is not in place yet is completed, not undone', () =>
  withDirectory(async (directory) => {
    const one = await open(directory);
    await one.write([put('ex:a', 'Person', { n: 1 })], BY);
    // The second store adopts the first one's pending file, as after a crash.
    const two = await open(directory);
    const file = join(directory, PATH);
    const text = readFileSync(file, 'utf8');
    const json = (await one.get(IRI))!.json;
    commitOnly(directory, json.replace('"n":1', '"n":2'), text.replace('n: 1', 'n: 2'));
    // The old file gets another stamp, so that both stores compare it with the index.
    utimesSync(file, 1, 1);
    for (let i = 0; i < 40 && !readFileSync(file, 'utf8').includes('n: 2'); i++) await delay(50);
    assert.match(readFileSync(file, 'utf8'), /n: 2/);
    for (const store of [one, two]) assert.match((await store.get(IRI))!.json, /"n":2/);
    await two.close();
    await one.close();
  }));

test('a write of a process that lost its turn leaves the later file alone', () =>
  withDirectory(async (directory) => {
    const [one, two] = [await open(directory), await open(directory)];
    for (let n = 1; n <= 60; n++) {
      const changes = put('ex:a', n % 3 ? 'Person' : 'Robot', { n });
      await Promise.all([one.write([changes], BY), two.write([put('ex:a', 'Person', { n: -n })], BY)]);
    }
    await Promise.all([one.close(), two.close()]);
    const store = await open(directory);
    const record = (await store.get(IRI))!;
    const text = readFileSync(join(directory, filePath('digest-md5', record.className, 'ex:a')), 'utf8');
    assert.equal(text.match(/n: (-?\d+)/)?.[1], String((JSON.parse(record.json) as { n: number }).n));
    assert.equal(await store.count({}), 1);
    assert.deepEqual(await store.faults(), []);
    await store.close();
  }));

test('a store can be opened while another process has the database locked', () =>
  withDirectory(async (directory) => {
    await (await open(directory)).close();
    const other = new DatabaseSync(join(directory, '.accession', AREA_FILE));
    other.exec('BEGIN IMMEDIATE');
    const opening = open(directory);
    const writing = opening.then((store) => store.write([put('ex:a')], BY).then(() => store));
    await delay(100);
    other.exec('COMMIT');
    other.close();
    const store = await writing;
    assert.equal(await store.count({}), 1);
    await store.close();
  }));
