/** An export has all areas of the database: those of deleted and moved collections, and of zones that are links. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#linkml/json.ts';
import { accession } from '../../../../test/cli/accession.ts';
import { ADMIN, LABORATORY, type TestService, testApp } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { lacks } from '../../../../test/support/lacks.ts';
import { databaseWithTables } from '../../../../test/support/postgresql.ts';
import { sqliteAt } from '../../../../test/support/sqlite.ts';
import { CORA } from '../../../../test/support/stores.ts';
import { openSqliteDatabase } from '../../../core/storage/sqlite/sqlite.ts';

const BACKENDS: Readonly<Record<string, object>> = {
  dir: { type: 'record_dir', mapping_method: 'digest-sha1-p3' },
  stl: { type: 'record_dir+stl', mapping_method: 'after-last-colon' },
  sql: { type: 'sqlite' },
  sqlstl: { type: 'sqlite+stl' },
};
const NAMES = Object.keys(BACKENDS);

/** A log in git, in a service that keeps such logs. */
const audit = (name: string) =>
  lacks('audit') ? {} : { audit_backends: [{ type: 'gitaudit', path: `${name}/audit` }] };
const configOf = (name: string) => ({
  schema: LABORATORY,
  default_token: 'nobody',
  curated: `${name}/curated`,
  incoming: `${name}/incoming`,
  backend: BACKENDS[name],
  ...audit(name),
});
const modes = (mode: string) => Object.fromEntries([...NAMES, 'kept'].map((name) => [name, mode]));
const CONFIGURATION = {
  collections: {
    kept: {},
    ...Object.fromEntries(NAMES.map((name) => [name, { backend: BACKENDS[name], ...audit(name) }])),
  },
  tokens: { cora: modes('CURATOR'), ann: modes('WRITE_COLLECTION') },
};
const NOTHING = { collections: { kept: {} }, tokens: CONFIGURATION.tokens };

const person = (name: string, more: object = {}) => ({
  pid: `labid:${name}`,
  name,
  family_name: name,
  ...more,
});

async function expectStatus(
  { request }: TestService,
  status: number,
  [method, path, token, json]: [method: string, path: string, token: string, json?: object],
) {
  const answer = await request(method, path, json ? { token, json } : { token });
  assert.equal(answer.status, status, `${method} ${path} ${answer.text}`);
  return answer.json<unknown>();
}

async function fill(service: TestService, names: readonly string[]) {
  for (const name of names) {
    for (const one of ['ada', 'emmy', 'gone'])
      await expectStatus(service, 200, ['POST', `/${name}/curated/record/Person`, 'cora', person(one)]);
    await expectStatus(service, 200, ['DELETE', `/${name}/curated/record?pid=labid:gone`, 'cora']);
    await expectStatus(service, 200, ['POST', `/${name}/record/Person`, 'ann', person('grace')]);
    const box = `/${name}/incoming/in box/record/Person`;
    await expectStatus(service, 200, ['POST', box, 'cora', person('ida')]);
  }
}

async function readAll(service: TestService, names: readonly string[]) {
  const found: Record<string, unknown> = {};
  for (const name of names)
    for (const area of ['curated', 'incoming/ann', 'incoming/in box'])
      found[`${name}/${area}`] = await expectStatus(service, 200, [
        'GET',
        `/${name}/${area}/records/`,
        'cora',
      ]);
  return found;
}

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'accession-exported-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return join(made, 'exported');
}

/** The names of record files and tables below a directory. */
function recordsBelow(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true }).map(String);
  return names.filter((name) => /\/.+\.yaml$|__sqlite-records\.db$/.test(name)).sort();
}

function objectsIn(area: string): JsonObject[] {
  const database = sqliteAt(join(area, '__sqlite-records.db'), { readOnly: true });
  const rows = database.prepare('SELECT object FROM thing').all();
  database.close();
  return rows.map(({ object }) => JSON.parse(String(object)) as JsonObject);
}

const writtenAreas = (stderr: string) =>
  (/^also wrote (\d+) areas? of deleted collections: (.*)$/m.exec(stderr) ?? []).slice(1);

for (const place of ['directory', 'database'] as const)
  test(`areas of deleted collections are exported as their last configuration had them, from a ${place}`, {
    skip: lacks('audit'),
  }, async (t) => {
    const databaseUrl = place === 'database' ? await databaseWithTables() : undefined;
    const service = await testApp(t, CONFIGURATION, { ...(databaseUrl !== undefined && { databaseUrl }) });
    await fill(service, ['kept', ...NAMES]);
    const before = await readAll(service, ['kept', ...NAMES]);
    for (const name of NAMES) await expectStatus(service, 200, ['DELETE', `/collections/${name}`, ADMIN]);
    const to = folder(t);
    const { status, stderr } = await accession(['export-store', databaseUrl ?? service.store, to]);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^20 records written to /m);
    const areas = NAMES.flatMap((name) =>
      ['curated', 'incoming/ann', 'incoming/in box'].map((area) => `${name}/${area}`),
    );
    assert.deepEqual(writtenAreas(stderr), ['12', areas.sort().join(', ')]);
    for (const name of ['sql', 'sqlstl'])
      assert.ok(existsSync(join(to, name, 'incoming/ann/__sqlite-records.db')), name);
    assert.deepEqual(recordsBelow(join(to, 'stl/curated')), ['Person/ada.yaml', 'Person/emmy.yaml']);
    assert.match(recordsBelow(join(to, 'dir/curated'))[0] ?? '', /^Person\/[0-9a-f]{3}\/[0-9a-f]{37}\.yaml$/);
    if (databaseUrl === undefined)
      for (const name of NAMES) assert.ok(existsSync(join(to, name, 'audit/HEAD')), `${name}: the audit log`);

    const again = await testApp(t, NOTHING, { store: to });
    const listed = (await expectStatus(again, 200, ['GET', '/collections', ADMIN])) as { name: string }[];
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['kept'],
      'the configuration stays without them',
    );
    for (const name of NAMES)
      await expectStatus(again, 201, ['POST', '/collections', ADMIN, { name, ...configOf(name) }]);
    // Files of a new collection are read in the background.
    await eventually(
      'files are read',
      () => readAll(again, ['kept', ...NAMES]),
      (all) => isDeepStrictEqual(all, before),
    );
  });

test('areas that a collection has moved away from, and zones that are links, are exported', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { store } = service;
  mkdirSync(join(store, 'elsewhere/zone'), { recursive: true });
  mkdirSync(join(store, 'sql/incoming'), { recursive: true });
  symlinkSync('../../elsewhere/zone', join(store, 'sql/incoming/in box'));
  await service.restart();
  await fill(service, ['sql', 'dir']);
  // The last configuration that had an area decides, not the first one.
  const renamed = { ...configOf('sql'), incoming: 'sql/other', backend: { type: 'sqlite+stl' } };
  for (const config of [{ ...configOf('sql'), backend: { type: 'sqlite+stl' } }, renamed])
    await expectStatus(service, 201, ['PUT', '/collections/sql', ADMIN, config]);
  const to = folder(t);
  const { status, stderr } = await accession(['export-store', store, to]);
  assert.equal(status, 0, stderr);
  assert.deepEqual(writtenAreas(stderr), ['2', 'elsewhere/zone, sql/incoming/ann']);
  for (const area of ['elsewhere/zone', 'sql/incoming/ann', 'sql/incoming/in box', 'sql/curated'])
    assert.deepEqual(objectsIn(join(to, area))[0]?.schema_type, undefined, `${area} is of sqlite+stl`);
});

test('an area whose form no configuration says is reported, and the export does not succeed', async (t) => {
  const service = await testApp(t, NOTHING);
  await service.app.close();
  const database = await openSqliteDatabase(join(service.store, 'accession.db'));
  const record = { pid: 'labid:lost', iri: 'https://example.org/lost', className: 'Person', links: '' };
  await (await database.area('lost/zone')).write(
    [{ put: { ...record, json: '{"pid":"labid:lost"}' } }],
    CORA,
  );
  await database.area('empty');
  await database.close();
  const to = folder(t);
  const { status, stderr } = await accession(['export-store', service.store, to]);
  assert.deepEqual(stderr.replaceAll(to, 'TO').split('\n'), [
    '0 records written to TO',
    'accession: lost/zone: expected a collection that has this area, or had it, found none. Its 1 record is not in TO. ' +
      'Create a collection with this directory, and export again.',
    '',
  ]);
  assert.equal(status, 2);
  assert.ok(!existsSync(join(to, 'lost')) && !existsSync(join(to, 'empty')));
});
