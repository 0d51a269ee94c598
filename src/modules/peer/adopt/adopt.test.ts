/** Stores of the peer and of earlier releases are taken into databases. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lacks } from '../../../../test/support/lacks.ts';
import { ownDatabase } from '../../../../test/support/postgresql.ts';
import { longTest, test } from '../../../../test/support/tier.ts';
import { mapEntries } from '../../../core/config/config.ts';
import { openPostgresqlDatabase } from '../../../core/storage/postgresql/postgresql.ts';
import { TABLES } from '../tables.ts';
import { adoptIntoPostgresql } from './adopt.ts';
import {
  adopt,
  adoptOptions,
  configure,
  person,
  rowsOf,
  SCHEMA,
  storeDirectory,
  writeFormer,
  writeLog,
  writeRecord,
  writeTable,
} from './stores.support.ts';

const STATE = `SELECT a.path, a.revision, a.records, e.revision, e.iri, e.deleted, e.committer, e.former, r.json
  FROM accession_area a JOIN accession_entry e ON e.area = a.area
  LEFT JOIN accession_record r ON r.area = e.area AND r.iri = e.iri AND r.revision = e.revision
  WHERE a.path NOT LIKE '\\_\\_%' ESCAPE '\\' ORDER BY a.path, e.revision`;
const FILES = `SELECT a.path, f.path, f.iri, f.revision, f.fault FROM accession_area a JOIN accession_file f ON f.area = a.area
  WHERE a.path <> 'table/curated' ORDER BY a.path, f.path`;

longTest('a database has what a file would have', { skip: lacks('audit') }, async (t) => {
  const root = storeDirectory(t);
  configure(root, {
    table: { backend: { type: 'sqlite' } },
    files: {
      backend: { type: 'record_dir+stl' },
      audit_backends: [{ type: 'gitaudit', path: 'files/audit' }],
    },
  });
  const people = Array.from({ length: 3000 }, (_, n) => person(`number-${n}`));
  writeTable(join(root, 'table/curated'), people);
  for (const one of people.slice(0, 700)) writeRecord(join(root, 'files/curated'), one);
  writeRecord(join(root, 'files/incoming/zone'), person('ada'));
  writeRecord(join(root, 'files/incoming/zone'), 'no record', 'Person/broken.yaml');
  const changes = people.slice(600, 800).map((record) => ({ record, time: '2025-01-01T00:00:00+00:00' }));
  writeLog(join(root, 'files/audit'), [changes]);

  const database = await openPostgresqlDatabase(await ownDatabase(), { tables: TABLES });
  t.after(() => database.close());
  const adopted = await adoptIntoPostgresql(database, adoptOptions(root));
  assert.deepEqual(adopted, { areas: 3, records: 3701, faults: 1 });
  assert.equal(await adoptIntoPostgresql(database, adoptOptions(root)), undefined);

  assert.deepEqual(await adopt(root), adopted);
  for (const sql of [STATE, FILES]) assert.deepEqual(await database.tuples(sql), rowsOf(root, sql));
  const table = (await database.existingArea('table/curated'))!;
  assert.equal(await table.count({}), 3000);
  const [last] = await table.list({}, { offset: 2999, limit: 9 });
  assert.equal(last?.pid, 'ex:number-999');
});

test('a schema of a store that was moved is the one in the store, and named relative to it', async (t) => {
  const root = storeDirectory(t);
  const switched = '__dump_things__/schemas/switched/one.yaml';
  const paths = { top: 'schema.yaml', deep: switched, url: switched };
  const address = (path: string) => `/gone/store/${path}`;
  for (const path of Object.values(paths)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(SCHEMA, join(root, path));
  }
  const collections = mapEntries(paths, (path) => ({
    schema: address(path),
    backend: { type: 'record_dir' },
  }));
  configure(root, { ...collections, url: { ...collections.url, schema: `file://${address(switched)}` } });
  for (const name of Object.keys(paths)) writeRecord(join(root, name, 'curated'), person('ada'));
  const lines: object[] = [];
  const log = { info: () => {}, warn: (line: object) => lines.push(line) };
  assert.deepEqual(await adopt(root, { log }), { areas: 3, records: 3, faults: 0 });
  assert.equal(lines.length, 3, JSON.stringify(lines));
  const [[json]] = rowsOf(root, "SELECT json FROM accession_record WHERE json LIKE '%schema.yaml%'") as [
    [string],
  ];
  assert.deepEqual(
    mapEntries(JSON.parse(json).collections, ({ schema }: { schema: string }) => schema),
    paths,
  );
});

test('a pid that is too long for the database is a fault, and stays in its file', async (t) => {
  const root = storeDirectory(t);
  configure(root, { files: { backend: { type: 'record_dir' } } });
  writeRecord(join(root, 'files/curated'), person('ada'));
  writeRecord(join(root, 'files/curated'), person('x'.repeat(1001)));
  const database = await openPostgresqlDatabase(await ownDatabase(), { tables: TABLES });
  t.after(() => database.close());
  const adopted = await adoptIntoPostgresql(database, adoptOptions(root));
  assert.deepEqual(adopted, { areas: 1, records: 1, faults: 1 });
});

test('files and folders that are not read are faults, and stop no adoption', async (t) => {
  const root = storeDirectory(t);
  configure(root, { files: { backend: { type: 'record_dir+stl' } } });
  const directory = join(root, 'files/curated');
  writeRecord(directory, person('ada'));
  writeRecord(directory, person('deep'), 'Person/a/b/deep.yaml');
  writeRecord(directory, person('hidden'), 'Person/.old/hidden.yaml');
  writeRecord(directory, person('beside'), '.git/Person/beside.yaml');
  writeRecord(directory, person('long'), 'Person/long.yaml');
  truncateSync(join(directory, 'Person/long.yaml'), 600 * 2 ** 20);
  const folder = join(directory, 'Person');
  for (const [name, target] of [
    ['linked', root],
    ['notes.txt', 'ada.yaml'],
    ['gone.yaml', 'nowhere'],
    ['self.yaml', 'self.yaml'],
    ['device.yaml', '/dev/zero'],
  ] as const)
    symlinkSync(target, join(folder, name));
  const faults: string[] = [];
  const warn = ({ path, reason }: { path?: string; reason?: string }) => faults.push(`${path}: ${reason}`);
  const adopted = await adopt(root, { log: { info: () => {}, warn } });
  assert.deepEqual(adopted, { areas: 1, records: 2, faults: 6 });
  assert.deepEqual(faults, [
    'Person/.old: it is a hidden or linked folder: records in it are not read',
    'Person/device.yaml: it is not a file, or a link that leads to none',
    'Person/gone.yaml: it is not a file, or a link that leads to none',
    'Person/linked: it is a hidden or linked folder: records in it are not read',
    'Person/long.yaml: it is too long for a record',
    'Person/self.yaml: it is not a file, or a link that leads to none',
  ]);
});

test('the statements that an adoption prepares do not grow with the records that have a log', {
  skip: lacks('audit'),
}, async (t) => {
  const counts: number[] = [];
  const begin = '2026-01-01T00:00:00Z';
  for (const size of [50, 500]) {
    const root = storeDirectory(t);
    const log = { audit_backends: [{ type: 'gitaudit', path: 'c/audit' }] };
    configure(root, { c: { backend: { type: 'record_dir' }, ...log } });
    const people = Array.from({ length: size }, (_, n) => person(`number-${n}`));
    for (const one of people) writeRecord(join(root, 'c/curated'), one);
    writeFormer(join(root, 'c/curated'), people, Date.parse(begin) * 1000);
    writeLog(join(root, 'c/audit'), [people.map((record) => ({ record, time: begin }))]);
    const { mock } = t.mock.method(DatabaseSync.prototype, 'prepare');
    assert.equal((await adopt(root))?.records, size);
    counts.push(mock.callCount());
    mock.restore();
  }
  assert.ok(counts[1]! < counts[0]! + 10, `${counts.join(' and ')} statements`);
});
