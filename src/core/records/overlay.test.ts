import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import fc from 'fast-check';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { propertyRuns, repeated, test } from '../../../test/support/tier.ts';
import { BY } from '../storage/contract/subject.ts';
import type { Database } from '../storage/database.ts';
import { openPostgresqlDatabase } from '../storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import { compareKeys, type ListedRecord, type RecordStore, type Selection } from '../storage/store.ts';
import { Overlay } from './overlay.ts';
import { Shadows } from './shadows.ts';

const folder = mkdtempSync(join(tmpdir(), 'accession-overlay-'));
const sqlite = await openSqliteDatabase(join(folder, 'accession.db'));
after(async () => {
  await sqlite.close();
  rmSync(folder, { recursive: true, force: true });
});
let areas = 0;

/** Runs of each property; raise it for a long search. */
const RUNS = propertyRuns(8, 25);

/** Two areas, and the overlay of one over the other. */
async function open(database: Database) {
  areas += 1;
  const [zone, curated] = [await database.area(`zone ${areas}`), await database.area(`curated ${areas}`)];
  return { zone, curated, overlay: new Overlay(new Shadows(database, zone, curated), zone, curated) };
}

/** The expected overlay, made the simple way: all records of both areas in one sorted list. */
async function merged(
  zone: RecordStore,
  curated: RecordStore,
  selection: Selection,
): Promise<ListedRecord[]> {
  const everything: Selection = {};
  const own = await all(zone, everything);
  const hidden = new Set(own.map(({ iri }) => iri));
  const selected = await all(curated, selection);
  return [...(await all(zone, selection)), ...selected.filter(({ iri }) => !hidden.has(iri))].sort(
    compareKeys,
  );
}

function all(store: RecordStore, selection: Selection): Promise<ListedRecord[]> {
  return store.list(selection, { offset: 0, limit: 10_000 });
}

/** A few pids, so that areas often hold the same ones, and two spellings of each, so that an IRI can change its place. */
const anyPid = fc
  .tuple(fc.constantFrom('ex:', 'alias:'), fc.integer({ min: 0, max: 12 }))
  .map(([p, n]) => `${p}${n}`);
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      area: fc.constantFrom('zone', 'curated'),
      put: anyPid,
      of: fc.constantFrom('A', 'B'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ area: fc.constantFrom('zone', 'curated'), remove: anyPid }) },
  { weight: 2, arbitrary: fc.record({ read: fc.boolean() }) },
);

async function apply(
  store: RecordStore,
  step: { put: string; of: string } | { remove: string },
): Promise<void> {
  if ('put' in step) {
    const { put: pid, of: className } = step;
    const json = JSON.stringify({ pid, text: `${className} ${pid.at(-1)}` });
    await store.write([{ put: { pid, iri: pid.replace(/^alias:/, 'ex:'), className, json } }], BY);
  } else {
    await store.write([{ delete: step.remove.replace(/^alias:/, 'ex:') }], BY).catch(() => undefined);
  }
}

const selections: Selection[] = [{}, { classes: ['A'] }, { classes: ['A', 'B'] }, { classes: [] }];

for (const [name, runs, openDatabase] of [
  ['SQLite', RUNS, async () => sqlite],
  ['PostgreSQL', Math.ceil(RUNS / 8), async () => openPostgresqlDatabase(await ownDatabase())],
] as const) {
  const matching = [{ matching: '%1%' }, { classes: ['B'], matching: 'B _' }];

  repeated(`an overlay in ${name} is the sorted list of both areas, the zone's records first`, async () => {
    const database = await openDatabase();
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        const { zone, curated, overlay } = await open(database);
        for (const step of [...steps, { read: true }]) {
          if (!('read' in step)) {
            await apply(step.area === 'zone' ? zone : curated, step);
            continue;
          }
          for (const selection of [...selections, ...matching]) {
            const expected = await merged(zone, curated, selection);
            for (const most of [0, 2, expected.length]) {
              const count = await overlay.count(selection, most);
              if (expected.length > most) assert.ok(count > most, `${count} of ${expected.length}, ${most}`);
              else assert.equal(count, expected.length);
            }
            assert.equal(await overlay.count(selection), expected.length);
            for (const [offset, limit] of [
              [0, 100],
              [0, 3],
              [2, 1],
              [3, 5],
              [expected.length, 2],
              [50, 5],
            ] as const) {
              const page = await overlay.list(selection, { offset, limit });
              const want = expected.slice(offset, offset + limit);
              assert.deepEqual(
                page.map(({ pid }) => pid),
                want.map(({ pid }) => pid),
                JSON.stringify({ selection, offset, limit }),
              );
              assert.deepEqual(
                page.map(({ json }) => json),
                want.map(({ json }) => json),
              );
            }
            const scanned = await Array.fromAsync(overlay.scan(selection));
            assert.deepEqual(
              scanned.map(({ pid }) => pid),
              expected.map(({ pid }) => pid),
            );
          }
        }
      }),
      { numRuns: runs },
    );
    if (database !== sqlite) await database.close();
  });
}

test('a record of the zone hides the curated one, even if it is written after the overlay was first read', async () => {
  const { zone, curated, overlay } = await open(sqlite);
  await apply(curated, { put: 'ex:1', of: 'A' });
  assert.equal(await overlay.count({}), 1);
  await apply(zone, { put: 'ex:1', of: 'B' });
  assert.equal(await overlay.count({}), 1);
  assert.equal((await overlay.get('ex:1'))?.className, 'B');
  assert.deepEqual(await overlay.list({ classes: ['A'] }, { offset: 0, limit: 10 }), []);
});

test('pages over many records are right after changes in each area, wherever they are', async () => {
  const iriOf = (pid: string) => `https://example.org/${pid}`;
  const put = (n: number, name: string) => {
    const pid = `ex:${String(n).padStart(6, '0')}`;
    return { put: { pid, iri: iriOf(pid), className: 'Person', json: JSON.stringify({ name, pid }) } };
  };
  const { zone, curated, overlay } = await open(sqlite);
  // Several blocks, with gaps for new records.
  await curated.write(
    Array.from({ length: 5000 }, (_, n) => put(10 * n, 'curated')),
    BY,
  );
  await zone.write(
    Array.from({ length: 200 }, (_, n) => put(245 * n, 'own')),
    BY,
  );
  const steps = [
    () => curated.write([put(5, 'new'), put(25_001, 'new')], BY),
    () => curated.write([{ delete: iriOf('ex:000010') }, { delete: iriOf('ex:000490') }], BY),
    () => zone.write([put(12_345, 'own'), { delete: iriOf('ex:000245') }], BY),
    () => zone.write([{ delete: iriOf('ex:024500') }], BY),
  ];
  for (const step of [async () => [], ...steps]) {
    await step();
    const expected = (await merged(zone, curated, {})).map(({ pid, json }) => pid + json);
    for (let offset = 0; offset < expected.length + 50; offset += 77) {
      const { total, records } = await overlay.page({}, { offset, limit: 50 });
      assert.equal(total, expected.length);
      assert.deepEqual(
        records.map(({ pid, json }) => pid + json),
        expected.slice(offset, offset + 50),
      );
    }
  }
});
