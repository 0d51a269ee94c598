/** A search through the index of an area finds what a search that reads every record finds. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { ofTier } from '../../../test/support/tier.ts';
import { BY, put } from '../storage/contract/subject.ts';
import type { Database } from '../storage/database.ts';
import { openPostgresqlDatabase } from '../storage/postgresql/postgresql.ts';
import { TEXT_INDEX } from '../storage/search/text-index.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import { compareKeys, type RecordStore } from '../storage/store.ts';
import { advance } from '../work/projections.ts';
import { Overlay } from './overlay.ts';
import { matcher, queryWords, type Search, search } from './search.ts';
import { Shadows } from './shadows.ts';

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
  values: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.array(fc.oneof(short, fc.constant('Person')), { minLength: 1, maxLength: 2 }),
    },
  ),
  className: fc.option(fc.constantFrom('Person', 'Thing')),
  most: fc.constantFrom(3, 50, 10_000),
});

/** So many that candidates are fewer. */
const RECORDS = 1200;
const RUNS = Number(process.env.ACCESSION_PROPERTY_RUNS ?? 6);
const LONG = 'pad '.repeat(9000);

const DATABASES = { sqlite: inFile, postgresql: async () => openPostgresqlDatabase(await ownDatabase()) };

async function inFile(): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'accession-search-'));
  const database = await openSqliteDatabase(join(directory, 'accession.db'));
  return { ...database, close: () => database.close().finally(() => rmSync(directory, { recursive: true })) };
}

for (const [type, open] of ofTier(Object.entries(DATABASES))) {
  test(`${type}: searches find the same with an index, and while it is being filled`, async () => {
    const database = await open();
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
    const curated = await database.area('curated');
    const zone = await database.area('zone');
    try {
      await write(curated, 0, RECORDS);
      await write(zone, 200, 350, 'own');
      const views = [curated, new Overlay(new Shadows(database, zone, curated), zone, curated)];
      await compare('while they are indexed', views, 22);
      for (const one of [curated, zone]) await advance(database, TEXT_INDEX, one);
      const [some, all] = await compare('with an index', views, 21);
      assert.ok(some < 0.8 * all, `${some} of ${all} records offered`);
      await write(curated, 0, 100, 'again');
      await curated.write(
        [{ delete: 'https://example.org/10300' }, { delete: 'https://example.org/10007' }],
        BY,
      );
      await compare('after changes', views, 24);
    } finally {
      await database.close();
    }
  });
}

/** Costs less than a generator does: the test runner follows each promise. */
function toAsync<T>(items: readonly T[], taken = (_: T) => {}): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = items.values();
      return {
        next: async () => {
          const next = iterator.next();
          if (!next.done) taken(next.value);
          return next;
        },
      };
    },
  };
}

/** @returns how many records were offered to searches, and how many there are for them */
async function compare(
  when: string,
  views: readonly Pick<RecordStore, 'scan'>[],
  seed: number,
): Promise<readonly [offered: number, all: number]> {
  let hits = 0;
  let offered = 0;
  let all = 0;
  // Read once, not for each query: nothing is written meanwhile.
  const records = await Promise.all(views.map((view) => Array.fromAsync(view.scan({}))));
  for (const { words, values, className, most } of fc.sample(query, { numRuns: RUNS, seed })) {
    const wanted: Search = {
      text: { parts: words },
      slots: values === null ? [] : [values.map((one) => ({ slot: 'value', test: 'is', values: [one] }))],
      most,
    };
    const scope = { match: matcher(wanted), budget: 60_000, yieldIfDue: async () => {} };
    const classes = className === null ? undefined : [className];
    for (const [at, view] of views.entries()) {
      const ofClass = records[at]!.filter((one) => className === null || one.className === className);
      const read: string[] = [];
      const fast = await search(
        async (part) => {
          const found = await Array.fromAsync(view.scan({ classes, ...part }));
          offered += found.length;
          all += ofClass.length;
          return toAsync(found, ({ iri }) => read.push(iri));
        },
        wanted,
        scope,
      );
      const plain = await search(
        async ({ after }) => toAsync(ofClass.filter((one) => !after || compareKeys(one, after) > 0)),
        wanted,
        scope,
      );
      // The one at which it begins to read otherwise is taken twice.
      assert.ok(read.length - new Set(read).size <= 1, `${when}: ${JSON.stringify({ wanted })}`);
      assert.deepEqual(fast, plain, `${when}: ${JSON.stringify({ wanted, className })}`);
      hits += plain.records.length;
    }
  }
  assert.ok(hits > 10, `${hits} hits`);
  return [offered, all];
}
