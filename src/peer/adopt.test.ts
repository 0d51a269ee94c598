import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import {
  adopt,
  configure,
  contentsOf,
  iriOf,
  person,
  rowsOf,
  storeDirectory,
  writeLog,
  writeRecord,
  writeTable,
} from '../../test/support/peer-stores.ts';
import { CONFIGURATION_AREA, readPersistent } from '../config/record.ts';
import { initialConfiguration } from '../config/startup.ts';
import { ServiceError } from '../errors.ts';
import { type JsonObject, parseJson } from '../json.ts';
import { openSchema } from '../schema/schema.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import { adoptTables } from './collection-areas.ts';
import { exportStore } from './export.ts';
import { FileWorker } from './file-worker.ts';
import { openMirror } from './mirror.ts';

const ENTRIES = `SELECT e.revision, e.pid, e.class_name, e.deleted, e.committer, e.author FROM accession_entry e
  JOIN accession_area a ON a.area = e.area WHERE a.path = ? ORDER BY e.revision`;
const RECORDS = `SELECT r.pid, r.json FROM accession_record r JOIN accession_area a ON a.area = r.area WHERE a.path = ? ORDER BY r.pid`;
const FAULTS = `SELECT f.path, f.fault FROM accession_file f JOIN accession_area a ON a.area = f.area
  WHERE a.path = ? AND f.fault IS NOT NULL ORDER BY f.path`;

const DIR = { backend: { type: 'record_dir+stl' } };
const SQL = { backend: { type: 'sqlite' } };

async function opened(t: TestContext, root: string) {
  const database = await openSqliteDatabase(join(root, 'accession.db'));
  t.after(() => database.close());
  return database;
}

test('records are adopted with their schema_type, in the order in which their files were changed', async (t) => {
  const root = storeDirectory(t);
  configure(root, { dir: DIR, sql: SQL });
  for (const [at, name] of ['emmy', 'ada', 'lise'].entries()) {
    const path = writeRecord(join(root, 'dir/curated'), person(name));
    utimesSync(join(root, 'dir/curated', path), 1000 + at, 1000 + at);
  }
  writeTable(join(root, 'sql/incoming/student'), [
    person('grace', { schema_type: 'schema:Person' }),
    person('hedy'),
  ]);
  const before = contentsOf(root);
  assert.deepEqual(await adopt(root), { areas: 2, records: 5, faults: 0 });
  assert.deepEqual(contentsOf(root), before, 'the files that were read are left as they are');
  assert.deepEqual(
    rowsOf(root, RECORDS, 'dir/curated').map(([, json]) => parseJson(json as string)),
    [
      { name: 'ada', pid: 'ex:ada', schema_type: 'schema:Person' },
      { name: 'emmy', pid: 'ex:emmy', schema_type: 'schema:Person' },
      { name: 'lise', pid: 'ex:lise', schema_type: 'schema:Person' },
    ],
  );
  assert.deepEqual(
    rowsOf(root, ENTRIES, 'dir/curated').map(([revision, pid]) => [revision, pid]),
    [
      [1, 'ex:emmy'],
      [2, 'ex:ada'],
      [3, 'ex:lise'],
    ],
  );
  const database = await opened(t, root);
  const store = (await database.existingArea('dir/curated'))!;
  assert.deepEqual(
    (await store.entries({ limit: 9 })).map(({ time }) => time.slice(0, 19)),
    ['1970-01-01T00:16:40', '1970-01-01T00:16:41', '1970-01-01T00:16:42'],
  );
  assert.equal(await store.count({}), 3);
  assert.deepEqual(
    (await store.list({ classes: ['Person'] }, { offset: 1, limit: 1 })).map(({ pid }) => pid),
    ['ex:emmy'],
  );
  const zone = (await database.existingArea('sql/incoming/student'))!;
  assert.deepEqual(
    (await zone.list({}, { offset: 0, limit: 9 })).map(({ pid }) => pid),
    ['ex:grace', 'ex:hedy'],
  );
});

test('a store that is adopted is not adopted again, and one without anything is not at all', async (t) => {
  const root = storeDirectory(t);
  configure(root, { dir: DIR });
  assert.equal(await adopt(root), undefined);
  assert.ok(!existsSync(join(root, 'accession.db')));
  writeRecord(join(root, 'dir/curated'), person('ada'));
  assert.ok(await adopt(root));
  assert.equal(await adopt(root), undefined);
});

test('the audit log becomes entries, and what it does not have gets an entry without an author', async (t) => {
  const root = storeDirectory(t);
  configure(root, { dir: { ...DIR, audit_backends: [{ type: 'gitaudit', path: 'dir/audit' }] } });
  const area = join(root, 'dir/curated');
  for (const record of [
    person('ada', { note: 'second' }),
    person('late'),
    person('edited', { note: 'by hand' }),
  ])
    writeRecord(area, record);
  await writeLog(join(root, 'dir/audit'), [
    [
      { record: person('edited'), time: '2025-01-01T00:00:02.500000+00:00' },
      { record: person('ada', { note: 'first' }), time: '2025-01-01T00:00:01+00:00' },
    ],
    [
      {
        record: person('ada', { note: 'second' }),
        time: '2025-01-02T00:00:00.000001+00:00',
        author: 'somebody',
      },
      { record: person('lost'), time: '2025-01-02T00:00:00.5+00:00' },
      { record: person('gone'), time: '2025-01-02T00:00:01+00:00' },
    ],
    [{ record: person('gone'), time: '2025-01-03T00:00:00+00:00', deleted: true }],
  ]);
  assert.deepEqual(await adopt(root), { areas: 1, records: 3, faults: 0 });
  const entries = rowsOf(root, ENTRIES, 'dir/curated');
  assert.deepEqual(entries.slice(0, 6), [
    [1, 'ex:ada', 'Person', 0, 'curator', 'curator'],
    [2, 'ex:edited', 'Person', 0, 'curator', 'curator'],
    [3, 'ex:ada', 'Person', 0, 'curator', 'somebody'],
    [4, 'ex:lost', 'Person', 0, 'curator', 'curator'],
    [5, 'ex:gone', 'Person', 0, 'curator', 'curator'],
    [6, 'ex:gone', 'Person', 1, 'curator', 'curator'],
  ]);
  // Without an author: the file that was edited, the record without a log, and at last the one without a file.
  assert.deepEqual(
    entries
      .slice(6, 8)
      .map(([, pid]) => pid)
      .sort(),
    ['ex:edited', 'ex:late'],
  );
  assert.deepEqual(entries.slice(8), [[9, 'ex:lost', 'Person', 1, null, null]]);
  const store = (await (await opened(t, root)).existingArea('dir/curated'))!;
  const history = await store.entries({ iris: [iriOf('ada')], limit: 9 });
  assert.deepEqual(
    history.map(({ time, json }) => [time, (parseJson(json!) as JsonObject).note]),
    [
      ['2025-01-01T00:00:01.000000+00:00', 'first'],
      ['2025-01-02T00:00:00.000001+00:00', 'second'],
    ],
  );
});

test('what holds no record of the schema stays where it is, is listed, and is exported', async (t) => {
  const root = storeDirectory(t);
  configure(root, { dir: DIR, sql: SQL });
  const area = join(root, 'dir/curated');
  const first = writeRecord(area, person('ada'));
  utimesSync(join(area, first), 1000, 1000);
  writeRecord(area, person('ada', { note: 'again' }), 'Person/again.yaml');
  writeRecord(area, 'pid: [unclosed', 'Person/broken.yaml');
  writeRecord(area, person('emmy'), 'Stranger/emmy.yaml');
  writeRecord(area, { pid: 'nobody:knows' }, 'Person/unknown.yaml');
  writeTable(join(root, 'sql/curated'), [person('grace'), person('hedy')], 'Stranger');
  assert.deepEqual(await adopt(root), { areas: 2, records: 1, faults: 6 });
  assert.deepEqual(rowsOf(root, FAULTS, 'dir/curated'), [
    ['Person/again.yaml', `it holds the same record as '${first}'`],
    ['Person/broken.yaml', rowsOf(root, FAULTS, 'dir/curated')[1]![1]],
    ['Person/unknown.yaml', "the prefix of its pid 'nobody:knows' is unknown to the schema"],
    ['Stranger/emmy.yaml', "its folder 'Stranger' is named for no class of the schema"],
  ]);
  assert.deepEqual(rowsOf(root, FAULTS, 'sql/curated'), [
    ['__sqlite-records.db#1', "the schema has no class 'Stranger'"],
    ['__sqlite-records.db#2', "the schema has no class 'Stranger'"],
  ]);
  const to = join(root, 'exported');
  const database = await opened(t, root);
  const { configuration } = await readPersistent((await database.existingArea(CONFIGURATION_AREA))!, root);
  assert.deepEqual(await exportStore(database, configuration, to, { root }), { areas: 2, records: 1 });
  const files = contentsOf(area);
  assert.deepEqual(
    [...contentsOf(join(to, 'dir/curated'))],
    [...files, ['.dumpthings.yaml', '']]
      .sort()
      .map(([path, text]) =>
        path === '.dumpthings.yaml'
          ? [path, readFileSync(join(to, 'dir/curated', path!), 'latin1')]
          : [path, text],
      ),
  );
  const table = new DatabaseSync(join(to, 'sql/curated/__sqlite-records.db'), { readOnly: true });
  assert.deepEqual(
    table
      .prepare('SELECT iri FROM thing ORDER BY iri')
      .all()
      .map(({ iri }) => iri),
    [iriOf('grace'), iriOf('hedy')],
  );
  table.close();
});

test('the pairs in which release 6.6.4 of the peer names a submitter are read as the user id', async (t) => {
  const root = storeDirectory(t);
  configure(root, { dir: DIR, sql: SQL });
  const text =
    'annotations:\n  obo:NCIT_C54269: !!python/tuple\n  - config\n  - ada@example.org\nname: ada\npid: ex:ada\n';
  writeRecord(join(root, 'dir/incoming/ada'), text, 'Person/ada.yaml');
  const iri = 'http://purl.obolibrary.org/obo/NCIT_C54269';
  const annotations = { [iri]: ['config', 'ada@example.org'], 'ex:other': ['a', 'b'] };
  writeTable(join(root, 'sql/incoming/ada'), [person('ada', { annotations })]);
  assert.deepEqual(await adopt(root), { areas: 2, records: 2, faults: 0 });
  const annotationsIn = (area: string) =>
    (parseJson(rowsOf(root, RECORDS, area)[0]![1] as string) as JsonObject).annotations;
  assert.deepEqual(annotationsIn('dir/incoming/ada'), { 'obo:NCIT_C54269': 'ada@example.org' });
  assert.deepEqual(annotationsIn('sql/incoming/ada'), { [iri]: 'ada@example.org', 'ex:other': ['a', 'b'] });
});

test('directories that collections share, and zones that are links, are one area, and are exported so', async (t) => {
  const root = storeDirectory(t);
  configure(root, {
    one: { ...SQL, curated: 'shared' },
    two: { ...SQL, curated: './shared/', incoming: 'one/incoming' },
  });
  writeTable(join(root, 'shared'), [person('ada')]);
  mkdirSync(join(root, 'one/incoming'), { recursive: true });
  symlinkSync('../../shared', join(root, 'one/incoming/own'));
  assert.deepEqual(await adopt(root), { areas: 1, records: 1, faults: 0 });
  const database = await opened(t, root);
  const { configuration } = await readPersistent((await database.existingArea(CONFIGURATION_AREA))!, root);
  const to = join(root, 'exported');
  assert.deepEqual(await exportStore(database, configuration, to, { root }), { areas: 1, records: 1 });
  assert.equal(readlinkSync(join(to, 'one/incoming/own')), '../../shared');
  assert.ok(existsSync(join(to, 'shared/__sqlite-records.db')));
});

test('zones below a curated area are areas of their own, also for the peer that opens the export', async (t) => {
  const root = storeDirectory(t);
  configure(root, { lab: { ...DIR, curated: 'lab', incoming: 'lab/incoming' } });
  writeRecord(join(root, 'lab'), person('ada'));
  writeRecord(join(root, 'lab/incoming/student'), person('emmy'));
  for (const folder of ['lab', 'lab/incoming/student'])
    writeFileSync(
      join(root, folder, '.dumpthings.yaml'),
      'type: records\nversion: 1\nformat: yaml\nidfx: digest-md5\n',
    );
  assert.deepEqual(await adopt(root), { areas: 2, records: 2, faults: 0 });
  const database = await opened(t, root);
  const { configuration } = await readPersistent((await database.existingArea(CONFIGURATION_AREA))!, root);
  const to = join(root, 'exported');
  await exportStore(database, configuration, to, { root });
  const index = new DatabaseSync(join(to, 'lab/.directory_dir_index.db'), { readOnly: true });
  assert.deepEqual(
    index
      .prepare('SELECT sort_key FROM index_entry')
      .all()
      .map(({ sort_key }) => sort_key),
    ['ex:ada'],
  );
  index.close();
  assert.ok(!existsSync(join(to, 'lab/incoming/student/.directory_dir_index.db')));
});

test('a configuration that cannot be read is refused, and read when it is repaired', async (t) => {
  const root = storeDirectory(t);
  configure(root, { dir: DIR });
  writeRecord(join(root, 'dir/curated'), person('ada'));
  const file = join(root, CONFIGURATION_AREA, 'DumpThingsConfig/d9ca28f6354ac2307282814fc36bbe46.yaml');
  mkdirSync(join(file, '..'), { recursive: true });
  const good = readFileSync(join(root, '.dumpthings.yaml'), 'utf8').replace(
    '{',
    '{"pid": "dump_things:config",',
  );
  for (const [bad, message] of [
    ['collections: [', /config_store.*d9ca28/],
    [good.replace('"version":2', '"version":2,"stranger":1'), /stranger/],
  ] as const) {
    writeFileSync(file, bad);
    await assert.rejects(
      adopt(root),
      (error) =>
        error instanceof ServiceError && error.code === 'config_invalid' && message.test(error.message),
    );
    assert.ok(!existsSync(join(root, 'accession.db')));
  }
  writeFileSync(file, good);
  assert.deepEqual(await adopt(root), { areas: 1, records: 1, faults: 0 });
  const { configuration } = await readPersistent(
    (await (await opened(t, root)).existingArea(CONFIGURATION_AREA))!,
    root,
  );
  assert.deepEqual(Object.keys(configuration.collections), ['dir']);
});

test('a store is not adopted without the schema of each collection', async (t) => {
  const root = storeDirectory(t);
  configure(root, { dir: { ...DIR, schema: join(root, 'missing.yaml') } });
  writeRecord(join(root, 'dir/curated'), person('ada'));
  await assert.rejects(
    adopt(root),
    (error) => error instanceof ServiceError && /collection 'dir'/.test(error.message),
  );
  assert.ok(!existsSync(join(root, 'accession.db')));
});

test('the mirror of an area that was adopted finds every file as it is known', async (t) => {
  const root = storeDirectory(t);
  configure(root, { dir: DIR });
  const area = join(root, 'dir/curated');
  writeRecord(area, person('ada'));
  writeRecord(area, 'pid: [unclosed', 'Person/broken.yaml');
  await adopt(root);
  const database = await opened(t, root);
  const store = (await database.existingArea('dir/curated'))!;
  const taken: unknown[] = [];
  const mirror = openMirror({
    ...{
      database,
      worker: new FileWorker(),
      path: 'dir/curated',
      directory: area,
      mapping: 'digest-md5',
      typed: false,
    },
    schema: () => ({
      expand: (pid) => (pid.startsWith('ex:') ? iriOf(pid.slice(3)) : undefined),
      schemaTypeOf: (name) => (name === 'Person' ? 'schema:Person' : undefined),
      address: 'schema.yaml',
    }),
    takeIn: async (changes) => void taken.push(...changes),
    log: { info() {}, warn() {} },
  });
  await mirror.begin();
  await mirror.close();
  assert.deepEqual(taken, []);
  assert.equal(await store.revision(), 1);
});

test('a table under the name that the peer gave it before its release 1 is adopted', async (t) => {
  const root = storeDirectory(t);
  configure(root, { sql: SQL });
  writeTable(join(root, 'sql/curated'), [person('ada')]);
  renameSync(join(root, 'sql/curated/__sqlite-records.db'), join(root, 'sql/curated/.sqlite-records.db'));
  assert.deepEqual(await adopt(root), { areas: 1, records: 1, faults: 0 });
});

test('the tables of directories over which a collection is made are adopted once', async (t) => {
  const root = storeDirectory(t);
  configure(root, { sql: SQL });
  writeTable(join(root, 'sql/curated'), [person('ada')]);
  writeTable(join(root, 'sql/incoming/zone'), [person('emmy')]);
  const { collections } = initialConfiguration({ root });
  const schema = await openSchema(collections.sql!.schema);
  const database = await opened(t, root);
  await adoptTables(database, root, collections.sql!, schema);
  const curated = (await database.existingArea('sql/curated'))!;
  const change = {
    put: { ...person('grace'), pid: 'ex:grace', iri: iriOf('grace'), className: 'Person', json: '{}' },
  };
  await curated.write([change, { delete: iriOf('ada') }], null);
  await adoptTables(database, root, collections.sql!, schema);
  assert.deepEqual(await curated.having([iriOf('ada'), iriOf('grace')]), [iriOf('grace')]);
  assert.equal(await (await database.existingArea('sql/incoming/zone'))!.count({}), 1);
});
