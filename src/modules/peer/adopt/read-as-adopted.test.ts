/** Files are read in one way: the import, `accession check` and `accession diff` find the same faults in them, or none. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession } from '../../../../test/cli/accession.ts';
import { writeDirectoryConfig } from '../../../core/formats/directory-config.ts';
import { filePath } from '../../../core/formats/record-path.ts';
import { openSqliteDatabase } from '../../../core/storage/sqlite/sqlite.ts';
import { tablesOf } from '../../../module.ts';
import { MODULES } from '../../../modules.ts';
import { adopt, configure, person, rowsOf, SCHEMA, storeDirectory, writeRecord } from './stores.support.ts';

const SUBMITTER = 'http://purl.obolibrary.org/obo/NCIT_C54269';
const TIME = 'http://semanticscience.org/resource/SIO_001083';

/** A record as release 6.6.4 writes a submission: who has submitted it is a tuple. */
const submission = (name: string, tag = SUBMITTER) =>
  `annotations:\n  ${tag}: !!python/tuple\n  - config\n  - ann\n  ${TIME}: '2026-11-28T09:36:53'\n` +
  `name: ${name}\npid: ex:${name}\nschema_type: ex:Person\n`;

/** As a service does when it starts: commands refuse a store without the tables of modules. */
async function adoptStore(root: string) {
  const adoption = await adopt(root);
  await (await openSqliteDatabase(join(root, 'accession.db'), { tables: tablesOf(MODULES) })).close();
  return adoption;
}

async function findings(root: string) {
  const { stdout, stderr } = await accession(['check', root, '--json']);
  assert.match(stderr, /areas? checked/);
  const all = stdout.split('\n').filter((line) => line !== '');
  return all
    .map((line) => JSON.parse(line) as { severity: string; check: string; area: string; message: string })
    .filter(({ check }) => check === 'files');
}

test('a store that was adopted without a fault has none in a check, wherever its files are', async (t) => {
  for (const mapping_method of ['digest-sha1-p3', 'after-last-colon'] as const) {
    const root = storeDirectory(t);
    const stl = { backend: { type: 'record_dir+stl', mapping_method } };
    configure(root, {
      apart: { backend: { type: 'record_dir', mapping_method } },
      // Zones below the curated area.
      below: { ...stl, curated: 'below', incoming: 'below/zones' },
      shared: { ...stl, curated: 'below', incoming: 'below/zones' },
    });
    for (const area of ['apart/curated', 'apart/incoming/ann', 'below', 'below/zones/ann']) {
      const directory = join(root, area);
      for (const name of ['ada', 'emmy'])
        writeRecord(directory, submission(name), filePath(mapping_method, 'Person', `ex:${name}`));
      // The peer reads whatever lies in the folder of a class.
      writeRecord(directory, person('grace'), 'Person/by/hand/grace.yaml');
      // It reads the last of repeated keys, as Python does.
      writeRecord(directory, 'name: ida\npid: ex:other\npid: ex:ida\n', 'Person/by/hand/ida.yaml');
      writeDirectoryConfig(directory, mapping_method, SCHEMA);
    }
    assert.deepEqual(await adoptStore(root), { areas: 4, records: 16, faults: 0 });
    const objects = rowsOf(
      root,
      "SELECT json FROM accession_record WHERE pid LIKE 'ex:%' AND json LIKE '%config%'",
    );
    assert.deepEqual(objects, [], 'submitters are mended');
    assert.deepEqual(await findings(root), []);
    const { status, stdout } = await accession([
      ...['diff', root, join(root, 'apart/curated'), '--collection', 'apart'],
    ]);
    assert.deepEqual([status, stdout], [0, '']);
  }
});

test('a record whose adopted file is removed is found', async (t) => {
  const root = storeDirectory(t);
  configure(root, { c: { backend: { type: 'record_dir' } } });
  const directory = join(root, 'c/curated');
  writeRecord(directory, person('grace'), 'Person/by-hand.yaml');
  writeDirectoryConfig(directory, 'digest-md5', SCHEMA);
  await adoptStore(root);
  assert.deepEqual(await findings(root), []);
  renameSync(join(directory, 'Person/by-hand.yaml'), join(root, 'elsewhere'));
  assert.match((await findings(root))[0]?.message ?? '', /^The record ex:grace has no file /);
});

/** Files that hold no record, by their paths. */
const BROKEN: Readonly<Record<string, string | Buffer>> = {
  'Person/syntax.yaml': 'pid: [',
  'Person/bytes.yaml': Buffer.from('name: B\xf6den\npid: ex:b\n', 'latin1'),
  'Person/list.yaml': '- pid: ex:list\n',
  'Person/empty.yaml': '',
  'Person/no-pid.yaml': 'name: nobody\n',
  'Person/number.yaml': 'pid: 1\n',
  'Person/prefix.yaml': 'pid: unknown:x\n',
  'Person/tag.yaml': 'pid: ex:tag\nname: !!python/object:os.system x\n',
  'Person/repeated.yaml': 'pid: ex:ada\nname: again\n',
  'Nothing/of-no-class.yaml': 'pid: ex:other\n',
  'beside.yaml': 'pid: ex:beside\n',
};

test('a check finds the files that were left out, and says the same of them before they are adopted', async (t) => {
  for (const type of ['record_dir', 'record_dir+stl']) {
    const root = storeDirectory(t);
    configure(root, { c: { backend: { type } } });
    const directory = join(root, 'c/curated');
    writeRecord(directory, person('ada'));
    writeDirectoryConfig(directory, 'digest-md5', SCHEMA);
    const sound = storeDirectory(t);
    configure(sound, { c: { backend: { type } } });
    writeRecord(join(sound, 'c/curated'), person('ada'));
    writeDirectoryConfig(join(sound, 'c/curated'), 'digest-md5', SCHEMA);
    await adoptStore(sound);
    for (const area of [directory, join(sound, 'c/curated')]) {
      for (const [path, content] of Object.entries(BROKEN)) {
        mkdirSync(join(area, path, '..'), { recursive: true });
        writeFileSync(join(area, path), content);
      }
    }
    const adopted = await adoptStore(root);
    assert.equal(adopted?.faults, Object.keys(BROKEN).length);
    const wanted = rowsOf(
      root,
      'SELECT path, fault FROM accession_file WHERE fault IS NOT NULL ORDER BY path',
    );
    const messages = (at: string, all: Awaited<ReturnType<typeof findings>>) =>
      all.map(({ message }) => message.replace(`${join(at, 'c/curated')}/`, '')).sort();
    const said = wanted.map(([path, fault]) => `${path}: ${fault}`);
    assert.deepEqual(messages(root, await findings(root)), said);
    // A file that repeats a record is found by the import alone.
    const alone = said.filter((line) => !line.startsWith('Person/repeated.yaml'));
    assert.deepEqual(messages(sound, await findings(sound)), alone);
  }
});
