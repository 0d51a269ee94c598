/** Commands on stores with files, and files that do not fit the configuration. */
import assert from 'node:assert/strict';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accession, scratch } from '../../../test/cli/accession.ts';
import { ADMIN, LABORATORY, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { exportStore } from '../../../test/support/export-store.ts';
import { person } from '../../../test/support/people.ts';
import { BY_ID, started } from '../../../test/support/pids.ts';
import { sqliteAt } from '../../../test/support/sqlite.ts';
import { longTest, test } from '../../../test/support/tier.ts';

test('faults are listed by collection, area and file', async (t) => {
  const backend = { type: 'sqlite' };
  const service = await testApp(t, {
    collections: { files: {}, rows: { backend } },
    tokens: { ann: { files: 'WRITE_COLLECTION', rows: 'WRITE_COLLECTION' } },
  });
  for (const collection of ['files', 'rows']) {
    const stored = await service.request('POST', `/${collection}/record/Person`, {
      token: 'ann',
      json: person('a'),
    });
    assert.equal(stored.status, 200, stored.text);
  }
  const sound = await accession(['check', service.store]);
  assert.equal(sound.status, 0);
  assert.doesNotMatch(sound.stdout, /error/);

  const zone = join(service.store, 'files/incoming/ann');
  mkdirSync(join(zone, 'Project'), { recursive: true });
  writeFileSync(join(zone, 'Project/broken.yaml'), 'pid: [');
  await service.restart();
  const list = await service.request('GET', '/files/records/', { token: 'ann' });
  assert.equal(list.json<unknown[]>().length, 1, 'the others are served');
  const health = (await service.request('GET', '/-/health')).json<{ status: string; problems: string[] }>();
  assert.equal(health.status, 'degraded');
  assert.match(health.problems.join(), /^collection 'files': 1 fault in stored records/);
  const { status, stdout } = await accession(['check', service.store, '--json']);
  assert.equal(status, 2);
  const errors = stdout.split('\n').filter((line) => line.includes('"error"'));
  assert.equal(errors.length, 1, stdout);
  const { check, area, message } = JSON.parse(errors[0]!);
  assert.deepEqual([check, area], ['files', 'files/incoming/ann']);
  assert.match(message, /Project\/broken\.yaml: /);

  assert.ok(readdirSync(zone).includes('Project'));
});

longTest(
  'a file that is missing is called a delete, and is written again if the directory is without its description',
  async (t) => {
    const service = await testApp(t, {
      collections: { c: {} },
      tokens: { cora: { c: 'CURATOR' }, nobody: { c: 'READ_CURATED' } },
    });
    const json = person('a');
    await service.request('POST', '/c/curated/record/Person', { token: 'cora', json });
    await service.restart();
    const directory = join(service.store, 'c/curated');
    const [name] = readdirSync(join(directory, 'Person'));
    const file = join(directory, 'Person', name ?? '');
    await service.app.close();
    rmSync(file);
    const { stdout } = await accession(['check', service.store]);
    assert.match(
      stdout,
      /The record labid:a has no file .*\n +The service takes this for a delete of the record\./,
    );
    rmSync(join(directory, '.dumpthings.yaml'));
    await service.restart();
    await eventually('the file', () => existsSync(file));
    const read = await service.request('GET', '/c/record?pid=labid:a', { token: 'nobody' });
    assert.equal(read.json<{ pid: string }>().pid, 'labid:a');
  },
);

test('pids that do not resolve, and files that repeat a record, are found', async (t) => {
  const service = await testApp(t, { collections: { lab: {} }, tokens: { cur: { lab: 'CURATOR' } } });
  await service.request('POST', '/lab/curated/record/Person', {
    token: 'cur',
    json: { ...person('a'), affiliations: ['labid:x'] },
  });
  const write = (name: string, text: string) =>
    writeFileSync(join(service.store, 'lab/curated/Person', name), text);
  write('twin.yaml', 'pid: https://example.org/laboratory/id/a\nname: A\nfamily_name: A\n');
  write('nix.yaml', 'pid: nix:b\nname: B\nfamily_name: B\n');
  await service.restart();
  const { status, stdout } = await accession(['check', service.store]);
  assert.equal(status, 2);
  for (const found of [
    /^error files lab\/curated: .*twin\.yaml: it holds the same record as /m,
    /^error (files|pids) lab\/curated: .*nix/m,
  ])
    assert.match(stdout, found);
});

test('a store is validated with the files that were added to it', async (t) => {
  const service = await testApp(t, {
    collections: { files: {}, rows: { backend: { type: 'sqlite' } } },
    tokens: { ann: { files: 'CURATOR', rows: 'CURATOR' } },
  });
  for (const collection of ['files', 'rows']) {
    const stored = await service.request('POST', `/${collection}/record/Person`, {
      token: 'ann',
      json: person('a'),
    });
    assert.equal(stored.status, 200);
  }
  const folder = join(service.store, 'files/curated/Person');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'x.yaml'), 'pid: labid:x\nname: X\n');
  await service.restart();
  const { status, stdout, stderr } = await accession(['validate', service.store]);
  assert.equal(status, 2, stderr);
  assert.match(stdout, /^files\/curated\/labid:x:1:1: family_name: /m);
  assert.match(stderr, /^3 records checked, 1 problem\n$/);
});

test('a file system that takes no directories is refused to an export', async (t) => {
  const store = join(scratch(t), 'store');
  assert.equal((await accession(['init', store])).status, 0);
  for (const to of ['/proc/none/x', '/proc/none']) {
    const { status, stderr } = await accession(['export-store', store, to]);
    const refused = 'accession: No directory can be made in /proc: choose another one.';
    assert.deepEqual([status, stderr.split('\n')[0]], [1, refused], to);
  }
});

test('an area is not shared by collections that name its files differently', async (t) => {
  const { request } = await testApp(t, { collections: { lab: {} } });
  const backend = { type: 'record_dir', mapping_method: 'digest-sha1' };
  const json = {
    name: 'notes',
    schema: LABORATORY,
    default_token: 'nobody',
    curated: 'lab/curated',
    backend,
  };
  const refused = await request('POST', '/collections', { token: ADMIN, json });
  assert.deepEqual([refused.status, /digest-md5/.test(refused.text)], [422, true], refused.text);
});

longTest(
  'a first configuration whose schema has records without a pid is accepted for a directory with files',
  async (t) => {
    const store = mkdtempSync(join(tmpdir(), 'accession-pids-'));
    t.after(() => rmSync(store, { recursive: true }));
    const folder = join(store, 'c/curated');
    mkdirSync(join(folder, 'Book'), { recursive: true });
    writeFileSync(
      join(folder, '.dumpthings.yaml'),
      'type: records\nversion: 1\nschema: x\nformat: yaml\nidx: digest-md5\n',
    );
    const files = { 'a.yaml': 'id: ex:a\n', 'b.yaml': 'pid: ex:b\nid: ex:b\n' };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'Book', name), text);
    const { service } = await started(t, BY_ID, 'record_dir', store);
    const list = await service.request('GET', '/c/curated/records/', { token: 'cora' });
    assert.equal(list.status, 200, list.text);
    assert.deepEqual(list.json(), [{ pid: 'ex:b', id: 'ex:b', schema_type: 'ex:Book' }]);
    await eventually('the fault in the state of the service', async () =>
      /1 fault in stored records/.test((await service.request('GET', '/-/health')).text),
    );
    for (const [name, text] of Object.entries(files))
      assert.equal(readFileSync(join(folder, 'Book', name), 'utf8'), text);
  },
);

test('the configuration that the peer reads has none of its unknown keys, and no shared links, which would not end there', async (t) => {
  const { request, store } = await testApp(t, { collections: { c: {} } });
  const json = {
    name: 'bob',
    user_id: 'bob',
    representation: 'secret',
    collections: {},
    expires: '2999-12-31',
  };
  assert.equal((await request('PUT', '/tokens/bob', { token: ADMIN, json })).status, 201);
  const link = { ...json, name: 'link', representation: 'other', shared_link: { title: 'Ann', by: 'cora' } };
  assert.equal((await request('PUT', '/tokens/link', { token: ADMIN, json: link })).status, 201);
  const folder = join(exportStore(store), '__dump_things__/config_store/DumpThingsConfig');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const record = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join();
  assert.match(record, /bob/);
  assert.doesNotMatch(record, /expires|link/);
});

longTest('an area with two names of different backends is exported in both forms', async (t) => {
  const places = { curated: 'one/curated', incoming: 'one/incoming' };
  const { request, store } = await testApp(t, {
    collections: {
      files: { ...places, backend: 'record_dir' },
      rows: { ...places, backend: 'sqlite' },
      more: { ...places, backend: 'sqlite' },
    },
    tokens: { cur: { files: 'CURATOR' } },
  });
  const stored = await request('POST', '/files/curated/record/Person', { token: 'cur', json: person('a') });
  assert.equal(stored.status, 200, stored.text);
  const curated = join(exportStore(store), 'one/curated');
  const files = readdirSync(join(curated, 'Person'), { recursive: true }).map(String);
  assert.equal(files.filter((name) => name.endsWith('.yaml')).length, 1);
  const table = sqliteAt(join(curated, '__sqlite-records.db'), { readOnly: true });
  t.after(() => table.close());
  assert.deepEqual(
    table
      .prepare('SELECT class_name FROM thing')
      .all()
      .map((row) => row.class_name),
    ['Person'],
  );
});

test('a directory where the file of a record was does not end an export', async (t) => {
  const { app, request, store } = await testApp(t, {
    collections: { files: {} },
    tokens: { cur: { files: 'CURATOR' } },
  });
  await request('POST', '/files/curated/record/Person', { token: 'cur', json: person('a') });
  const file = () => globSync('files/curated/Person/*.yaml', { cwd: store })[0];
  await eventually('the file of the record', async () => file() !== undefined);
  await app.close();
  const path = join(store, file()!);
  rmSync(path);
  mkdirSync(path);
  const exported = `${store}-exported`;
  t.after(() => rmSync(exported, { recursive: true, force: true }));
  const { status, stderr } = await accession(['export-store', store, exported]);
  assert.deepEqual([status, /1 record written/.test(stderr)], [0, true], stderr);
  assert.doesNotMatch(stderr, /written again/);
});

test('a store is compared with its export, which stays as it is, and the export names files that are written again', async (t) => {
  const { request, store } = await testApp(t, {
    collections: { files: {}, rows: { backend: 'sqlite' } },
    tokens: { cur: { files: 'CURATOR', rows: 'CURATOR' }, ann: { files: 'WRITE_COLLECTION' } },
  });
  const put = (path: string, token: string, json: object) =>
    request('POST', `/${path}/record/Person`, { token, json });
  for (const collection of ['files', 'rows'])
    for (const name of ['a', 'b']) await put(`${collection}/curated`, 'cur', person(name));
  await put('files', 'ann', person('c'));
  const [file = ''] = globSync('files/curated/Person/*.yaml', { cwd: store }).sort();
  // As the peer writes it: with the class of the record.
  const text = readFileSync(join(store, file), 'utf8');
  writeFileSync(join(store, file), `schema_type: lab:Person\n${text}`);
  const exported = `${store}-exported`;
  t.after(() => rmSync(exported, { recursive: true, force: true }));
  const { stderr } = await accession(['export-store', store, exported]);
  assert.match(stderr, /^1 file written again: .*: files\/curated \(1\)$/m);

  const same = await accession(['diff', store, exported]);
  assert.deepEqual([same.status, same.stdout], [0, ''], same.stderr);
  const [zoneFile = ''] = globSync('files/incoming/ann/Person/*.yaml', { cwd: exported });
  rmSync(join(exported, zoneFile));
  writeFileSync(join(exported, file), text.replace(/^name: .*$/m, 'name: Other'));
  const other = await accession(['diff', store, exported]);
  assert.deepEqual([other.status, other.stderr], [2, '0 records added, 1 removed, 1 changed\n']);
  assert.match(
    other.stdout,
    /^~ files\/curated labid:[ab]\n {4}\/name: "[ab]" → "Other"\n- files\/incoming\/ann labid:c\n$/,
  );
  const one = await accession(['diff', exported, store, '--collection', 'files', '--json']);
  assert.equal(one.status, 2, one.stderr);
  assert.equal((JSON.parse(one.stdout) as { kind: string }).kind, 'changed');
  assert.equal(existsSync(join(exported, 'accession.db')), false);
});
