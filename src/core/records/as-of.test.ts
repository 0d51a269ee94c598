/** Former states of a zone over curated, against what was read when they were the present ones. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { isLong, propertyRuns, repeated, test } from '../../../test/support/tier.ts';
import { FormerViews } from '../collections/former-views.ts';
import { BY, put } from '../storage/contract/subject.ts';
import type { Database } from '../storage/database.ts';
import { addPolicyTag } from '../storage/policy-column.ts';
import { openPostgresqlDatabase } from '../storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import { compareKeys, type ListedRecord, type RecordStore } from '../storage/store.ts';
import { policyTag, Visibility } from '../storage/visibility.ts';
import { AsOf } from './as-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'accession-as-of-'));
const sqlite = await openSqliteDatabase(join(folder, 'accession.db'));
after(async () => {
  await sqlite.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs of each property; raise it for a long search. */
const RUNS = propertyRuns(5, 25);
const CLASSES = [undefined, ['A'], ['B', 'A'], ['C']];
const TAG = policyTag(['ex:policy']);

const anyWrite = fc.record({
  area: fc.constantFrom('zone', 'curated'),
  pid: fc.integer({ min: 0, max: 14 }).map((n) => `ex:${n}`),
  className: fc.constantFrom('A', 'B', undefined),
  policy: fc.constantFrom(undefined, undefined, 'x', 'y'),
});

let areas = 0;

type State = {
  readonly revisions: readonly [zone: number, curated: number];
  readonly records: ListedRecord[];
};

/** All records of the zone, and those of the curated area under other IRIs. */
async function present(zone: RecordStore, curated: RecordStore): Promise<State> {
  const all = (store: RecordStore) => store.list({}, { offset: 0, limit: 1000 });
  const own = await all(zone);
  const shadowed = new Set(own.map(({ iri }) => iri));
  const others = (await all(curated)).filter(({ iri }) => !shadowed.has(iri));
  return {
    revisions: [await zone.revision(), await curated.revision()],
    records: [...own, ...others].sort(compareKeys),
  };
}

async function checkProperty(
  database: Database,
  writes: readonly (typeof anyWrite extends fc.Arbitrary<infer W> ? W : never)[],
) {
  areas += 1;
  const [zone, curated] = [await database.area(`zone ${areas}`), await database.area(`curated ${areas}`)];
  for (const { area } of [zone, curated]) await addPolicyTag(database, area, TAG);
  const states: State[] = [];
  const views: AsOf[] = [];
  for (const { area, pid, className, policy } of writes) {
    const store = area === 'zone' ? zone : curated;
    const fields = {
      count: states.length,
      ...(policy !== undefined && { annotations: { 'ex:policy': policy } }),
    };
    const change =
      className === undefined
        ? { delete: `https://example.org/${pid.slice(3)}` }
        : put(pid, className, fields);
    await store.write([change], BY).catch(() => undefined);
    const state = await present(zone, curated);
    states.push(state);
    const [own, other] = state.revisions;
    views.push(
      new AsOf(database, [
        { store: zone, revision: own },
        { store: curated, revision: other },
      ]),
    );
    // Some are read while they are new, others later.
    if (states.length % 3 === 0) await showsState(views.at(-1)!, state);
  }
  for (const [at, state] of states.entries()) {
    await showsState(views[at]!, state);
    const [own, other] = state.revisions;
    await showsState(
      new AsOf(database, [{ store: curated, revision: other }]),
      await replayed(curated, other),
    );
    await hidesVersions(database, zone, curated, [own, other]);
  }
}

/** By replaying the entries. */
async function replayed(curated: RecordStore, revision: number): Promise<State> {
  const records = new Map<string, ListedRecord>();
  for (const { kind, pid, iri, className, json } of await curated.entries({
    before: revision + 1,
    limit: 1000,
  })) {
    if (kind === 'put') records.set(iri, { pid, iri, className, json: json! });
    else records.delete(iri);
  }
  return { revisions: [0, revision], records: [...records.values()].sort(compareKeys) };
}

async function showsState(view: AsOf, { records }: State): Promise<void> {
  for (const classes of CLASSES) {
    const wanted = records.filter(({ className }) => classes?.includes(className) ?? true);
    assert.equal(await view.count({ classes }), wanted.length);
    for (const [offset, limit] of [
      [0, 100],
      [1, 2],
      [3, 4],
      [wanted.length, 5],
    ] as const)
      assert.deepEqual(await view.list({ classes }, { offset, limit }), wanted.slice(offset, offset + limit));
    assert.deepEqual(await Array.fromAsync(view.scan({ classes })), wanted);
  }
  const found = await Promise.all(records.map(({ iri }) => view.get(iri)));
  assert.deepEqual(
    found.map((record) => record?.json),
    records.map(({ json }) => json),
  );
  assert.equal(await view.get('https://example.org/none'), undefined);
}

/** A caller sees the versions whose policies, and those of the present record, are the caller's. */
async function hidesVersions(
  database: Database,
  zone: RecordStore,
  curated: RecordStore,
  [own, other]: readonly [number, number],
): Promise<void> {
  const visibility = new Visibility(TAG, null, ['x']);
  const stores = [zone.as(visibility), curated.as(visibility)] as const;
  const view = new AsOf(database, [
    { store: stores[0], revision: own },
    { store: stores[1], revision: other },
  ]);
  const wanted: ListedRecord[] = [];
  const covered = new Set<string>();
  for (const [store, revision] of [
    [zone, own],
    [curated, other],
  ] as const) {
    for (const record of (await replayed(store, revision)).records) {
      const entries = await store.entries({ iris: [record.iri], limit: 1000 });
      const last = entries.findLast(({ json }) => json !== null)!.json!;
      if (!visibility.seesText(record.json) || !visibility.seesText(last) || covered.has(record.iri))
        continue;
      wanted.push(record);
      covered.add(record.iri);
    }
  }
  assert.deepEqual(await view.list({}, { offset: 0, limit: 100 }), wanted.sort(compareKeys));
  assert.equal(await view.count({}), wanted.length);
}

for (const name of isLong ? (['sqlite', 'postgresql'] as const) : (['sqlite'] as const)) {
  repeated(`${name}: a former state is what was read when it was the present one`, async (t) => {
    const database =
      name === 'sqlite'
        ? sqlite
        : await openPostgresqlDatabase(await ownDatabase(), {
            log: { info() {}, warn() {}, error() {} } as never,
          });
    if (database !== sqlite) t.after(() => database.close());
    const runs = name === 'sqlite' ? RUNS : Math.ceil(RUNS / 8);
    await fc.assert(
      fc.asyncProperty(fc.array(anyWrite, { minLength: 5, maxLength: 40 }), (writes) =>
        checkProperty(database, writes),
      ),
      { numRuns: runs },
    );
  });
}

test('a former state is read while others write', async () => {
  areas += 1;
  const store = await sqlite.area(`busy ${areas}`);
  await store.write(
    Array.from({ length: 300 }, (_, n) => put(`ex:${n}`, n % 3 ? 'A' : 'B')),
    BY,
  );
  const wanted = await store.list({}, { offset: 0, limit: 1000 });
  const view = new AsOf(sqlite, [{ store, revision: await store.revision() }]);
  let isWriting = true;
  const writing = (async () => {
    for (let n = 0; isWriting; n++)
      await store.write([put(n % 4 ? `ex:${(n * 7) % 400}` : `ex:x${n}`, 'A', { n })], BY);
  })();
  while ((await store.revision()) < 350) {
    await nextTurn();
    const found: ListedRecord[] = [];
    for (let offset = 0; offset < 300; offset += 40)
      found.push(...(await view.list({}, { offset, limit: 40 })));
    assert.deepEqual(found, wanted);
  }
  isWriting = false;
  await writing;
});

test('former states are remembered up to a number of changed records, the last ones first', async () => {
  areas += 1;
  const store = await sqlite.area(`remembered ${areas}`);
  const write = (n: number) =>
    store.write(
      [...Array(20).keys()].map((at) => put(`ex:${at}`, 'A', { n })),
      BY,
    );
  await write(0);
  const first = await store.revision();
  await write(1);
  const views = new FormerViews(sqlite, { states: 8, records: 50 });
  const of = (back: number) => views.of([{ store, revision: first - back }]);
  const read = async (back: number) => {
    const view = of(back);
    await view.count({});
    return view;
  };
  const [a, b] = [await read(0), await read(1)];
  assert.deepEqual([a.remembered, b.remembered], [20, 20]);
  assert.deepEqual([of(0) === a, of(1) === b], [true, true]);
  const c = await read(2);
  // The three have 60, so the one that was asked for longest ago is read again.
  assert.deepEqual([of(2) === c, of(1) === b, of(0) === a], [true, true, false]);
});

test('a list of a moment before too many changes is refused, and single records are read', async () => {
  const store = await sqlite.area('changed often');
  for (const count of [1, 2, 3, 4]) await store.write([put('ex:a', 'A', { count })], BY);
  const before = (revision: number) => new AsOf(sqlite, [{ store, revision }], 2);
  assert.equal(await before(2).count({}), 1);
  await assert.rejects(before(1).ready(), /More than 2/);
  await assert.rejects(before(1).count({}), /More than 2 changes were made since that moment/);
  assert.match((await before(1).get('https://example.org/a'))?.json ?? '', /"count": ?1/);
});
