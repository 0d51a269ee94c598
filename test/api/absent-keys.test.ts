/** Keys of modules in settings and configurations: checked if they are sent, kept while the module is absent. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import type { JsonObject } from '#linkml/json.ts';
import { CONFIGURATION_AREA, CONFIGURATION_PID } from '../../src/core/config/record.ts';
import { BY } from '../../src/core/storage/contract/subject.ts';
import { openSqliteDatabase } from '../../src/core/storage/sqlite/sqlite.ts';
import type { Module } from '../../src/module.ts';
import { ADMIN, testApp } from '../support/app.ts';
import { databaseWithTables } from '../support/postgresql.ts';
import { ofTier, repeated, test } from '../support/tier.ts';

const CONFIGURATION = { collections: { c: {} }, tokens: { cora: { c: 'CURATOR' } } };
const PALETTE: Module = {
  name: 'palette',
  settings: {
    color: {
      schema: { type: 'string' },
      problems: (_, value) =>
        value === 'none' ? [{ type: 'value_error', loc: ['body', 'color'], msg: 'expected a color' }] : [],
    },
    shade: { schema: { type: 'number' }, separate: true },
  },
  configuration: {
    palettes: {
      schema: {
        type: 'object',
        properties: {
          colors: { type: 'array', items: { type: 'string' }, default: [] },
          seed: { type: 'integer' },
        },
        additionalProperties: false,
      },
      replace: (sent, former) => ({ ...(former as object | undefined), ...(sent as object) }),
    },
  },
};
const WITH = [PALETTE];

/** A service that keeps its warnings; without other modules, whose keys would be among those that are shown. */
async function opened(
  t: TestContext,
  store: string | undefined,
  more: { modules?: readonly Module[]; databaseUrl?: string },
) {
  const warnings: JsonObject[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) });
  const service = await testApp(t, CONFIGURATION, {
    modules: [],
    ...more,
    ...(store !== undefined && { store }),
    logger,
  });
  const settings = async (json?: object) =>
    service.request(json ? 'PUT' : 'GET', '/-/c/settings', { token: 'cora', ...(json && { json }) });
  const noted = () => warnings.filter(({ msg }) => String(msg).includes('absent modules'));
  return Object.assign(service, { settings, noted });
}

for (const database of ofTier(['SQLite', 'PostgreSQL']))
  repeated(`${database}: settings of a module are checked, and kept while it is absent`, async (t) => {
    const more = database === 'SQLite' ? {} : { databaseUrl: await databaseWithTables() };
    const first = await opened(t, undefined, { ...more, modules: WITH });
    for (const [json, message] of [
      [{ color: 1 }, 'expected a string, found the number 1'],
      [{ color: 'none' }, 'expected a color'],
      [{ shade: 1 }, 'unknown key'],
    ] as const) {
      const refused = await first.settings(json);
      assert.equal(refused.status, 422);
      assert.match(refused.text, new RegExp(message));
    }
    const put = await first.settings({ color: 'red' });
    assert.deepEqual(put.json(), { on_delete: 'warn', color: 'red' });
    assert.deepEqual(first.noted(), []);
    await first.app.close();

    const without = await opened(t, first.store, more);
    assert.deepEqual(
      without.noted().map(({ collection, keys, msg }) => [collection, keys, msg]),
      [['c', ['color'], 'the settings have keys of absent modules, they are kept']],
    );
    assert.deepEqual((await without.settings()).json(), { on_delete: 'warn' });
    assert.equal((await without.settings({ color: 'blue' })).status, 422);
    assert.equal((await without.settings({ on_delete: 'refuse' })).status, 200);
    await without.app.close();

    const again = await opened(t, first.store, { ...more, modules: WITH });
    assert.deepEqual((await again.settings()).json(), { on_delete: 'refuse', color: 'red' });
    assert.deepEqual((await again.settings({})).json(), { on_delete: 'warn' });
    assert.deepEqual((await again.settings()).json(), { on_delete: 'warn' });
    assert.equal((await again.settings({ color: 'red' })).status, 200);
    await again.app.close();

    const last = await opened(t, first.store, more);
    const admin = (method: string, json?: object) =>
      last.request(method, '/collections/c', { token: ADMIN, ...(json && { json }) });
    const { name: _, ...shown } = (await admin('GET')).json<JsonObject>();
    assert.equal((await admin('DELETE')).status, 200);
    assert.equal((await admin('PUT', shown)).status, 201);
    await last.app.close();
    const later = await opened(t, first.store, { ...more, modules: WITH });
    assert.deepEqual((await later.settings()).json(), { on_delete: 'warn' });
  });

/** The stored configuration, changed by `edit`. */
async function stored(store: string, edit?: (configuration: JsonObject) => void): Promise<JsonObject> {
  const database = await openSqliteDatabase(join(store, 'accession.db'));
  try {
    const area = await database.area(CONFIGURATION_AREA);
    const record = await area.get(CONFIGURATION_PID);
    const content = JSON.parse(record!.json) as JsonObject;
    if (edit) {
      edit(content);
      const { iri, pid, className } = record!;
      await area.write([{ put: { iri, pid, className, json: JSON.stringify(content), links: '' } }], BY);
    }
    return (content.collections as JsonObject).c as JsonObject;
  } finally {
    await database.close();
  }
}

test('keys of absent modules in the configuration of a collection are kept, not shown, and refused if they are sent', async (t) => {
  const PALETTES = { colors: ['red', null], none: null };
  const first = await opened(t, undefined, {});
  await first.app.close();
  await stored(first.store, ({ collections }) => {
    ((collections as JsonObject).c as JsonObject).palettes = PALETTES;
  });

  const service = await opened(t, first.store, {});
  assert.deepEqual(
    service.noted().map(({ collection, keys, msg }) => [collection, keys, msg]),
    [['c', ['palettes'], 'the configuration has keys of absent modules, they are kept']],
  );
  const request = (method: string, path: string, json?: object) =>
    service.request(method, path, { token: ADMIN, ...(json && { json }) });
  const { name: _, ...shown } = (await request('GET', '/collections/c')).json<JsonObject>();
  assert.ok(!('palettes' in shown));
  assert.equal((await request('PUT', '/collections/c', { ...shown, palettes: {} })).status, 422);
  assert.equal((await request('PUT', '/collections/c', { ...shown, use_classes: ['Person'] })).status, 201);
  await service.restart();
  assert.equal(
    (await request('PUT', '/tokens/ann', { name: 'ann', user_id: 'a', collections: {} })).status,
    201,
  );
  await service.app.close();
  const kept = await stored(first.store);
  assert.deepEqual(kept.palettes, PALETTES);
  assert.deepEqual(kept.use_classes, ['Person']);

  const last = await opened(t, first.store, {});
  assert.equal((await last.request('DELETE', '/collections/c', { token: ADMIN })).status, 200);
  assert.equal((await last.request('PUT', '/collections/c', { token: ADMIN, json: shown })).status, 201);
  await last.app.close();
  assert.ok(!('palettes' in (await stored(first.store))), 'a later collection of the name is another one');
});

for (const database of ofTier(['SQLite', 'PostgreSQL']))
  repeated(
    `${database}: the configuration of a collection has the keys of modules, and keeps them while the module is absent`,
    async (t) => {
      const more = database === 'SQLite' ? {} : { databaseUrl: await databaseWithTables() };
      const first = await opened(t, undefined, { ...more, modules: WITH });
      const requests = (service: typeof first) => ({
        read: async () =>
          (await service.request('GET', '/collections/c', { token: ADMIN })).json<JsonObject>(),
        put: async (json: JsonObject) => service.request('PUT', '/collections/c', { token: ADMIN, json }),
        describedKeys: async () => {
          const { components } = (await service.request('GET', '/openapi.json')).json<{
            components: { schemas: { Collection: { properties: object } } };
          }>();
          return Object.keys(components.schemas.Collection.properties);
        },
      });
      const { read, put, describedKeys } = requests(first);
      assert.ok((await describedKeys()).includes('palettes'));
      const shown = { ...(await read()), name: 'c' };
      for (const [palettes, message] of [
        [{ colors: 'red' }, 'expected a list, found a string'],
        [{ tints: 1 }, 'unknown key'],
      ] as const) {
        const refused = await put({ ...shown, palettes });
        assert.equal(refused.status, 422);
        assert.match(refused.text, new RegExp(message));
      }
      assert.equal((await put({ ...shown, palettes: { seed: 7 } })).status, 201);
      assert.deepEqual((await read()).palettes, { colors: [], seed: 7 });
      assert.equal((await put({ ...shown, palettes: { colors: ['red'] } })).status, 201);
      assert.deepEqual((await read()).palettes, { colors: ['red'], seed: 7 });
      assert.deepEqual(first.noted(), []);
      await first.app.close();

      const without = await opened(t, first.store, more);
      assert.deepEqual(
        without.noted().map(({ keys }) => keys),
        [['palettes']],
      );
      const absent = requests(without);
      assert.ok(!(await absent.describedKeys()).includes('palettes'));
      assert.ok(!('palettes' in (await absent.read())));
      assert.equal((await absent.put({ ...shown, palettes: {} })).status, 422);
      assert.equal((await absent.put({ ...shown, use_classes: ['Person'] })).status, 201);
      await without.app.close();

      const again = requests(await opened(t, first.store, { ...more, modules: WITH }));
      assert.deepEqual((await again.read()).palettes, { colors: ['red'], seed: 7 });
      assert.equal((await again.put(shown)).status, 201);
      assert.ok(!('palettes' in (await again.read())));
    },
  );
