/** A new projection is one object that is added: it runs, fails, hangs, and goes on where it was. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BY } from '../storage/contract/subject.ts';
import type { Database } from '../storage/database.ts';
import { SILENT_LOG } from '../storage/log.ts';
import { TEXT_INDEX } from '../storage/search/text-index.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import type { Change, RecordStore } from '../storage/store.ts';
import { AT_ONCE, advance, type Projection } from './projections.ts';
import { Projector, type ProjectorOptions } from './projector.ts';

const put = (name: string, text = name): Change => ({
  put: { pid: name, iri: `https://example.org/${name}`, className: 'Thing', json: JSON.stringify({ text }) },
});

/** Notes the last text of each record, in a table that takes any: settings. */
function notes(
  version: string,
  apply: (names: readonly string[]) => Promise<void> | void = () => {},
): Projection {
  return {
    name: 'notes',
    version,
    places: ['areas/'],
    reads: 'changes',
    async apply(entries, draft) {
      const puts = entries.filter(({ kind }) => kind === 'put');
      await apply(puts.map(({ pid }) => pid));
      for (const { iri, json } of puts)
        draft.run(
          `INSERT INTO accession_settings (area, collection, json) VALUES ($1, $2, $3)
           ON CONFLICT (area, collection) DO UPDATE SET json = excluded.json`,
          [draft.area.id, iri, `${version} ${json}`],
        );
    },
  };
}

const noted = async (database: Database) =>
  (await database.tuples<[string]>('SELECT json FROM accession_settings ORDER BY area, collection')).map(
    ([one]) => one,
  );

async function opened(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'accession-projections-'));
  const endings: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const end of endings) await end();
    rmSync(folder, { recursive: true });
  });
  return {
    async open(options?: ProjectorOptions) {
      const database = await openSqliteDatabase(join(folder, 'accession.db'));
      const projector = new Projector(database, SILENT_LOG, options);
      let closing: Promise<void> | undefined;
      const close = () => {
        closing ??= projector.stopAll().then(() => database.close());
        return closing;
      };
      endings.push(close);
      return { database, projector, close };
    },
  };
}

test('a projection follows the areas that concern it, while they change and after a restart', async (t) => {
  const { open } = await opened(t);
  const first = await open();
  await (await first.database.area('areas/a')).write([put('a')], BY);
  await (await first.database.area('else')).write([put('x')], BY);
  const seen: string[] = [];
  const handle = first.projector.add(notes('1', (names) => void seen.push(...names)));
  await handle.flush();
  await (await first.database.area('areas/b')).write([put('b'), put('c')], BY);
  while ((await noted(first.database)).length < 3) await delay(5);
  await first.close();
  const second = await open();
  await (await second.database.area('areas/a')).write([put('a', 'new')], BY);
  await second.projector.add(notes('1', (names) => void seen.push(...names))).flush();
  assert.deepEqual(seen, ['a', 'b', 'c', 'a'], 'each change once');
  assert.deepEqual(await noted(second.database), ['1 {"text":"new"}', '1 {"text":"b"}', '1 {"text":"c"}']);
});

test('a record that is written again while changes are read comes once in a step, and again in the next one', async (t) => {
  const { open } = await opened(t);
  const { database } = await open();
  const store = await database.area('areas/a');
  await store.write([put('a'), put('b'), put('c')], BY);
  let reads = 0;
  const changing: RecordStore = {
    ...store,
    async entries(query) {
      const found = await store.entries(query);
      if (reads++ === 0) await store.write([put('a', 'new')], BY);
      return found;
    },
  };
  const steps: (readonly string[])[] = [];
  await advance(
    database,
    notes('1', (names) => void steps.push(names)),
    changing,
  );
  assert.deepEqual(steps, [['a', 'b', 'c'], ['a']]);
});

test('another version begins again, and what is there answers until it is replaced', async (t) => {
  const { open } = await opened(t);
  const { database } = await open();
  const store = await database.area('areas/a');
  await store.write(
    Array.from({ length: AT_ONCE.changes.most + 150 }, (_, at) => put(`n${String(at).padStart(3, '0')}`)),
    BY,
  );
  assert.equal(await advance(database, notes('1'), store), 0);
  assert.equal(await advance(database, notes('2'), store, { steps: 1 }), 150);
  const versions = (await noted(database)).map((one) => one[0]);
  assert.equal(versions.filter((one) => one === '2').length, AT_ONCE.changes.most);
  assert.equal(versions.length, AT_ONCE.changes.most + 150);
  assert.equal(await advance(database, notes('2'), store), 0);
  assert.ok((await noted(database)).every((one) => one.startsWith('2 ')));
});

test('an index follows fewer records in a step beside requests, and fewer of long ones', async (t) => {
  const { open } = await opened(t);
  const { database } = await open();
  const store = await database.area('areas/a');
  const { most, characters } = AT_ONCE.spansBesideRequests;
  const long = 'x'.repeat(characters / 2);
  await store.write(
    [...Array.from({ length: most }, (_, at) => put(`n${at}`)), put('a', long), put('b', long), put('c')],
    BY,
  );
  const step = () => advance(database, TEXT_INDEX, store, { steps: 1, besideRequests: true });
  assert.deepEqual([await step(), await step(), await step()], [3, 1, 0]);
});

test('two that follow an area at once make each step once', async (t) => {
  const { open } = await opened(t);
  const { database } = await open();
  const store = await database.area('areas/a');
  await store.write(
    Array.from({ length: 250 }, (_, at) => put(`n${at}`)),
    BY,
  );
  const left = await Promise.all([
    advance(database, notes('1'), store),
    advance(database, notes('1'), store),
  ]);
  assert.deepEqual(left, [0, 0]);
  const [cursor] = await database.tuples(
    `SELECT revision, version FROM accession_cursor WHERE name = 'notes'`,
  );
  assert.deepEqual(cursor, [250, '1']);
});

test('a step asks once where the projection is, and returns what is left: all of it if another one was faster', async (t) => {
  const { open } = await opened(t);
  const { database } = await open();
  const store = await database.area('areas/a');
  const records = AT_ONCE.changes.most + 50;
  await store.write(
    Array.from({ length: records }, (_, at) => put(`n${at}`)),
    BY,
  );
  let asked = 0;
  const asking: Projection = {
    ...notes('1'),
    async version() {
      asked += 1;
      return '1';
    },
  };
  const step = () => advance(database, asking, store, { steps: 1 });
  const left = await Promise.all([step(), step()]);
  assert.deepEqual(left.sort(), [50, records].sort());
  assert.equal(asked, 2);
  assert.equal(await step(), 0);
});

test('an area in which it throws is retried, and the other areas go on', async (t) => {
  const { open } = await opened(t);
  const { database, projector } = await open({ retry: 5 });
  await (await database.area('areas/a')).write([put('bad')], BY);
  await (await database.area('areas/b')).write([put('b')], BY);
  let isBroken = true;
  let attempts = 0;
  const handle = projector.add(
    notes('1', (names) => {
      if (!names.includes('bad')) return;
      attempts += 1;
      if (isBroken) throw new Error('no such luck');
    }),
  );
  await assert.rejects(handle.flush(), /no such luck/);
  while (attempts < 3) await delay(1);
  assert.deepEqual(await noted(database), ['1 {"text":"b"}']);
  const { state, behind, areas } = handle.status();
  assert.deepEqual(
    [state, behind, areas.map(({ area, error }) => [area, error])],
    ['failed', 1, [['areas/a', 'no such luck']]],
  );
  isBroken = false;
  while (handle.status().state !== 'idle') await delay(1);
  assert.deepEqual(handle.status().areas, []);
  assert.equal((await noted(database)).length, 2);
});

test('a step that hangs or is slow holds up nothing: not other areas, projections, writes, or the end', async (t) => {
  const { open } = await opened(t);
  const { database, projector, close } = await open({ limit: 200, retry: 5 });
  const a = await database.area('areas/a');
  await a.write([put('stuck')], BY);
  await (await database.area('areas/b')).write([put('b')], BY);
  const cursor = async (name: string, area: number) => {
    const sql = 'SELECT revision FROM accession_cursor WHERE name = $1 AND area = $2';
    return (await database.tuples<[number]>(sql, [name, area]))[0]?.[0];
  };
  const released = Promise.withResolvers<void>();
  const hanging = projector.add(
    notes('1', (names) => (names.includes('stuck') ? released.promise : undefined)),
  );
  projector.add({ ...notes('1'), name: 'others' });
  while (hanging.status().state !== 'failed' || (await noted(database)).length < 2) await delay(5);
  assert.match(hanging.status().areas[0]?.error ?? '', /has not ended after 0.2 s/);
  await a.write([put('after')], BY);
  while ((await cursor('others', a.area.id)) !== 2) await delay(5);
  while ((await cursor('notes', a.area.id + 1)) !== 1) await delay(5);
  assert.equal(await cursor('notes', a.area.id), undefined);
  released.resolve();
  while ((await cursor('notes', a.area.id)) !== 2) await delay(5);
  projector.add({ ...notes('1', () => new Promise(() => {})), name: 'for good' });
  await close();
});

test('a projection follows the areas right below a directory, not those deeper', async (t) => {
  const { open } = await opened(t);
  const { database, projector } = await open();
  for (const path of ['areas/a', 'areas/deep/b', 'areas0'])
    await (await database.area(path)).write([put(path.replaceAll('/', '-'))], BY);
  const seen: string[] = [];
  await projector.add(notes('1', (names) => void seen.push(...names))).flush();
  assert.deepEqual(seen, ['areas-a']);
});

test('projections of many collections look at their own areas only', async (t) => {
  const { open } = await opened(t);
  const { database } = await open();
  const collections = Array.from({ length: 30 }, (_, n) => `c${n}`);
  for (const name of collections) {
    await (await database.area(`${name}/curated`)).write([put(`${name}-a`)], BY);
    await (await database.area(`${name}/incoming/ann`)).write([put(`${name}-b`)], BY);
  }
  let rows = 0;
  const counting: Database = {
    ...database,
    async tuples<Row extends readonly unknown[]>(...read: Parameters<Database['tuples']>) {
      const found = await database.tuples<Row>(...read);
      rows += found.length;
      return found;
    },
  };
  const projector = new Projector(counting, SILENT_LOG);
  t.after(() => projector.stopAll());
  const seen: string[] = [];
  const handles = collections.map((name) =>
    projector.add({
      ...notes('1', (names) => void seen.push(...names)),
      name: `notes ${name}`,
      places: [`${name}/curated`, `${name}/incoming/`],
    }),
  );
  await Promise.all(handles.map((handle) => handle.flush()));
  assert.deepEqual(seen.sort(), collections.flatMap((name) => [`${name}-a`, `${name}-b`]).sort());
  rows = 0;
  await Promise.all(handles.map((handle) => handle.flush()));
  assert.equal(rows, 0, 'nothing is behind');
  await (await database.area('c7/incoming/bob')).write([put('c7-c')], BY);
  await Promise.all(handles.map((handle) => handle.flush()));
  assert.equal(seen.at(-1), 'c7-c');
  // The area that is behind, its cursor before and in the transaction, and its revision: whatever there is besides.
  assert.ok(rows < 10, `${rows} rows for one change`);
});
