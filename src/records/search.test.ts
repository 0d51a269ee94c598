/** A search through the index of a store finds what a search that reads every record finds. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { ownDatabase } from '../../test/support/postgresql.ts';
import { Jobs } from '../jobs/jobs.ts';
import { openStore } from '../storage/backends.ts';
import { BY, expand, put, schemaTypeOf } from '../storage/contract/subject.ts';
import { openDatabase } from '../storage/database.ts';
import { SILENT_LOG } from '../storage/log.ts';
import { openArea } from '../storage/postgresql/area.ts';
import { openPostgresql } from '../storage/postgresql/database.ts';
import { openPostgresqlStore } from '../storage/postgresql/store.ts';
import { completeTextIndex } from '../storage/postgresql/text-index.ts';
import { SQLITE_FILE } from '../storage/sqlite.ts';
import type { RecordStore } from '../storage/store.ts';
import { TextIndex } from '../storage/text-index.ts';
import { Overlay } from './overlay.ts';
import { queryWords, type Search, search } from './search.ts';

/** Syllables with few letters, in several spellings. */
const SYLLABLES = [
  ...['an', 'na', 'li', 'sa', 'be', 'ÄN', 'ña', 'Œu', 'øre', 'ß', 'Σας', '½', '😀', 'ﬁn', 'ＡＢ'],
  ...['a', 'x', 'q', '"', '\\', '%', '\0', '7'],
];
const word = fc
  .array(fc.constantFrom(...SYLLABLES), { minLength: 1, maxLength: 4 })
  .map((some) => some.join(''));
const value = fc.oneof(
  { weight: 6, arbitrary: fc.array(word, { maxLength: 3 }).map((some) => some.join(' ')) },
  fc.integer({ max: 2000 }),
  fc.boolean(),
);
const record = fc.record({
  values: fc.array(value, { minLength: 1, maxLength: 3 }),
  className: fc.constantFrom('Person', 'Thing'),
});
const short = fc
  .array(fc.constantFrom(...SYLLABLES), { minLength: 1, maxLength: 2 })
  .map((some) => some.join(''));
const query = fc.record({
  words: fc.array(short, { minLength: 1, maxLength: 2 }).map((some) => queryWords(some.join(' '))),
  slot: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.oneof(short, fc.constant('Person')) },
  ),
  className: fc.option(fc.constantFrom('Person', 'Thing')),
  most: fc.constantFrom(3, 50, 10_000),
  sort: fc.constantFrom('pid', '-pid', 'value'),
});

const RECORDS = 600;
const RUNS = Number(process.env.ACCESSION_PROPERTY_RUNS ?? 12);
const LONG = 'pad '.repeat(9000);

/** Areas of a backend, whose indexes of texts are filled on demand. */
type World = {
  open(name: string): Promise<RecordStore>;
  index(name: string): Promise<void>;
  close(): Promise<void>;
};

function onDisk(type: 'sqlite+stl' | 'record_dir', file: string): World {
  const directory = mkdtempSync(join(tmpdir(), 'accession-search-'));
  const config = type === 'record_dir' ? ({ type, mapping_method: 'digest-md5' } as const) : { type };
  return {
    open: (name) => openStore(config, join(directory, name), { expand, schemaTypeOf }),
    async index(name) {
      const database = openDatabase(join(directory, name, file), 1000);
      const texts = new TextIndex(database);
      while (!texts.advance(100));
      database.close();
    },
    close: async () => rmSync(directory, { recursive: true }),
  };
}

async function inPostgresql(): Promise<World> {
  const database = await openPostgresql(await ownDatabase(), { log: SILENT_LOG });
  return {
    async open(name) {
      const jobs = new Jobs(SILENT_LOG);
      const { store } = await openPostgresqlStore(database, name, { jobs });
      await jobs.stopAll();
      return store;
    },
    index: async (name) => completeTextIndex(await openArea(database, name)),
    close: () => database.close(),
  };
}

const WORLDS: Readonly<Record<string, () => World | Promise<World>>> = {
  'sqlite+stl': () => onDisk('sqlite+stl', SQLITE_FILE),
  record_dir: () => onDisk('record_dir', '.accession/area.db'),
  postgresql: inPostgresql,
};

for (const [type, makeWorld] of Object.entries(WORLDS)) {
  test(`${type}: searches find the same with an index, without it, and while it is being filled`, async () => {
    const world = await makeWorld();
    const records = fc.sample(record, { numRuns: RECORDS, seed: 5 });
    const write = (store: RecordStore, from: number, to: number, suffix = '') =>
      store.write(
        records.slice(from, to).map(({ values, className }, i) => {
          const long = (from + i) % 300 === 7 ? [LONG] : [];
          const name = `ex:${10_000 + (((from + i) * 11) % RECORDS)}`;
          return put(name, className, { value: [...values, ...long, suffix], nested: { values } });
        }),
        BY,
      );
    const curated = await world.open('curated');
    const zone = await world.open('zone');
    try {
      await write(curated, 0, RECORDS);
      await write(zone, 200, 350, 'own');
      const views = [curated, new Overlay(zone, curated)];
      const all = await compare('without an index', views, 11);
      await world.index('curated');
      await compare('with an index of the curated area', views, 12);
      await world.index('zone');
      const some = await compare('with both', views, 11);
      assert.ok(some < all / 2, `${some} of ${all} records offered`);
      await write(curated, 0, 100, 'again');
      await curated.write(
        [{ delete: 'https://example.org/10300' }, { delete: 'https://example.org/10007' }],
        BY,
      );
      await compare('after changes', views, 14);
    } finally {
      await curated.close();
      await zone.close();
      await world.close();
    }
  });
}

async function* toAsync<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** @returns how many records were offered when words were asked for */
async function compare(
  when: string,
  views: readonly Pick<RecordStore, 'scan'>[],
  seed: number,
): Promise<number> {
  let hits = 0;
  let offered = 0;
  for (const { words, slot, className, most, sort } of fc.sample(query, { numRuns: RUNS, seed })) {
    const wanted: Search = {
      words,
      slots: slot === null ? [] : [['value', slot]],
      sort: { slot: sort.replace('-', ''), descending: sort.startsWith('-') },
      most,
    };
    const scope = { expand: () => undefined, budget: 60_000, breathe: async () => {} };
    const classes = className === null ? undefined : [className];
    for (const view of views) {
      const fast = await search(
        async (strings) => {
          const records = await Array.fromAsync(view.scan({ classes, words: strings }));
          if (strings) offered += records.length;
          return toAsync(records);
        },
        wanted,
        scope,
      );
      const plain = await search(async () => view.scan({ classes }), wanted, scope);
      assert.deepEqual(fast, plain, `${when}: ${JSON.stringify({ wanted, className })}`);
      hits += plain.pids.length;
    }
  }
  assert.ok(hits > 50, `${hits} hits`);
  return offered;
}
