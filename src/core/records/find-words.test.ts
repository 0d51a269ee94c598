/**
 * Searches for words find what a model finds that reads every record: in collections with policies, a zone over curated records, deleted
 * and renamed ones, while they are indexed, after that, and after further changes.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold, scalarsIn } from '#linkml/folding.ts';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { inParts } from '../../../test/support/in-parts.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { ofTier } from '../../../test/support/tier.ts';
import { BY, expand, pids, put } from '../storage/contract/subject.ts';
import type { Database } from '../storage/database.ts';
import { addPolicyTag } from '../storage/policy-column.ts';
import { openPostgresqlDatabase } from '../storage/postgresql/postgresql.ts';
import { wordIndex } from '../storage/search/word-index.ts';
import { parseQuery, standingOf } from '../storage/search/word-query.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import type { ListedRecord, RecordStore } from '../storage/store.ts';
import { wordsOf } from '../storage/tokens.ts';
import { policyTag, Visibility } from '../storage/visibility.ts';
import { advance } from '../work/projections.ts';
import { findWords } from './find-words.ts';
import { Overlay } from './overlay.ts';
import { Shadows } from './shadows.ts';

const OPTIONS = { heads: { Person: ['name'], Robot: ['name', 'serial'] } };
const INDEX = wordIndex(OPTIONS);
const TAG = policyTag(['ex:policy']);

/**
 * Words with few letters, in several spellings. The model knows no other forms of words, so none has an apostrophe, and no hyphen is
 * between two.
 */
const WORDS = [
  'an',
  'anna',
  'Annas',
  'ÂNNA',
  'lisa',
  'LISA',
  'ﬁn',
  'fin',
  'Straße',
  'strasse',
  'x',
  '2024',
  'Σας',
  'ＡＢ',
  'ab',
  '東京',
  'so\u00adft',
  'Ada',
];
const SEPARATORS = [' ', ' ', ' ', '_', '\u00b7', '.', ', ', '/', ' (', '"', '\n', '😀'];
const value = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...SEPARATORS)), { maxLength: 6 })
  .map((parts) => parts.flat().join(''));
const fields = fc.record(
  {
    name: value,
    serial: value,
    note: value,
    nested: fc.record({ titles: fc.array(fc.oneof(value, fc.integer({ max: 30 })), { maxLength: 2 }) }),
    annotations: fc.constantFrom({ 'ex:policy': 'x' }, { 'ex:policy': 'y' }),
  },
  { requiredKeys: ['name'] },
);
const change = fc.record({
  number: fc.integer({ min: 0, max: 30 }),
  className: fc.constantFrom('Person', 'Robot'),
  fields,
  kind: fc.constantFrom('put', 'put', 'put', 'delete', 'rename'),
});
/** Changes of one transaction. */
const batch = fc.uniqueArray(change, { selector: ({ number }) => number, minLength: 1, maxLength: 10 });
const batches = fc.array(batch, { minLength: 5, maxLength: 5 });
type Made = typeof change extends fc.Arbitrary<infer T> ? T : never;

type Asked = {
  readonly terms: readonly { words: string[]; isPrefix: boolean }[];
  readonly isExcluded: boolean;
};
const term = fc.record({
  words: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...WORDS).map((one) => [one]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 3 }) },
  ),
  isPrefix: fc.boolean(),
});
const query: fc.Arbitrary<Asked[]> = fc.array(
  fc.record({
    terms: fc.array(term, { minLength: 1, maxLength: 2 }),
    isExcluded: fc.constantFrom(false, false, false, true),
  }),
  { minLength: 1, maxLength: 3 },
);

/** The query as somebody types it. A space behind it ends the last word. */
function typed(asked: readonly Asked[]): string {
  const parts = asked.map(({ terms, isExcluded }) => {
    const texts = terms.map(({ words, isPrefix }) =>
      words.length > 1 ? `“${words.join(' ')}”` : `${words[0]}${isPrefix ? '*' : ''}`,
    );
    return isExcluded ? `-${texts[0]}` : texts.join(' OR ');
  });
  return `${parts.join(' ')} `;
}

/** The words of a string, in the way of the model: letter by letter. */
function modelWords(text: string): string[] {
  const folded = fold(text.replaceAll('\u00ad', ''));
  const words: string[] = [];
  let isOpen = false;
  for (const letter of folded) {
    const isCharacter = /\p{sc=Han}/u.test(letter);
    if (!/[\p{L}\p{N}]/u.test(letter)) isOpen = false;
    else if (isOpen && !isCharacter) words[words.length - 1] += letter;
    else {
      words.push(letter);
      isOpen = !isCharacter;
    }
  }
  return words;
}

/** A term in the words of the model. */
type Sought = { readonly words: readonly string[]; readonly mayGoOn: boolean };
type ModelQuery = readonly { readonly terms: readonly Sought[]; readonly isExcluded: boolean }[];

function modelQuery(asked: readonly Asked[]): ModelQuery {
  return asked.map(({ terms, isExcluded }) => ({
    terms: terms.map(({ words, isPrefix }) => {
      const sought = words.flatMap(modelWords);
      return { words: sought, mayGoOn: isPrefix && words.length === 1 && sought.at(-1)!.length >= 3 };
    }),
    isExcluded,
  }));
}

function modelHas(values: readonly string[][], { words, mayGoOn }: Sought): boolean {
  return values.some((value) =>
    value.some((_, at) =>
      words.every((word, next) => {
        const found = value[at + next];
        return found === word || (mayGoOn && next === words.length - 1 && found?.startsWith(word));
      }),
    ),
  );
}

/** The words of each value of a record, and of its head. */
type ModelRecord = { readonly all: string[][]; readonly head: string[][] };

function modelRecord({ json, className }: ListedRecord): ModelRecord {
  const { schema_type: _, ...record } = parseJson(json) as JsonObject;
  const wordsIn = (slots: JsonObject) => Object.values(slots).flatMap(scalarsIn).map(modelWords);
  const slots = ['pid', ...OPTIONS.heads[className as 'Person' | 'Robot']];
  const head = Object.fromEntries(slots.flatMap((slot) => (slot in record ? [[slot, record[slot]!]] : [])));
  return { all: wordsIn(record), head: wordsIn(head) };
}

/** Whether the model finds a record: at its head, or elsewhere. */
function modelStanding({ all, head }: ModelRecord, asked: ModelQuery): 'head' | 'body' | undefined {
  const wanted = asked.filter(({ isExcluded }) => !isExcluded);
  const meets = (values: string[][]) =>
    wanted.every(({ terms }) => terms.some((one) => modelHas(values, one)));
  if (!meets(all)) return undefined;
  const isRefused = asked.some(({ isExcluded, terms: [one] }) => isExcluded && modelHas(all, one!));
  return isRefused ? undefined : wanted.length > 0 && meets(head) ? 'head' : 'body';
}

const RUNS = Number(process.env.ACCESSION_PROPERTY_RUNS ?? 6);
const QUERIES = 9;
/** Runs in one database, one after the other: the ranks of each read what all of them have. */
const RUNS_OF_DATABASE = 25;

const DATABASES = { sqlite: inFile, postgresql: async () => openPostgresqlDatabase(await ownDatabase()) };

async function inFile(): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'accession-words-'));
  const database = await openSqliteDatabase(join(directory, 'accession.db'));
  return { ...database, close: () => database.close().finally(() => rmSync(directory, { recursive: true })) };
}

for (const [type, open] of ofTier(Object.entries(DATABASES))) {
  test(`${type}: searches for words find what a model finds`, async () => {
    const hits = await inParts(RUNS, RUNS_OF_DATABASE, async (first, end) => {
      const database = await open();
      try {
        let some = 0;
        for (let run = first; run < end; run++) some += await hitsOf(database, run);
        return some;
      } finally {
        await database.close();
      }
    });
    assert.ok(hits > 7 * RUNS, `${hits} hits`);
  });
}

async function hitsOf(database: Database, run: number): Promise<number> {
  const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, seed: number) =>
    fc.sample(arbitrary, { numRuns, seed: 100 * run + seed });
  const curated = await database.area(`curated${run}`);
  const zone = await database.area(`zone${run}`);
  for (const { area } of [curated, zone]) await addPolicyTag(database, area, TAG);
  const queries = sample(query, QUERIES, 1);
  const change = async (seed: number) => {
    for (const some of sample(batches, 1, seed).flat()) await make(curated, some);
    for (const some of sample(batch, 2, seed + 1)) await make(zone, some);
  };
  await change(2);
  let hits = await compare(database, curated, zone, queries, 'before it is indexed');
  for (const one of [curated, zone]) await advance(database, INDEX, one);
  hits += await compare(database, curated, zone, queries, 'when it is indexed');
  await change(4);
  hits += await compare(database, curated, zone, queries, 'after changes');
  await advance(database, INDEX, curated);
  return hits + (await compare(database, curated, zone, queries, 'with one area indexed again'));
}

/** Makes changes in one transaction. */
async function make(store: RecordStore, changes: readonly Made[]): Promise<void> {
  const made = await Promise.all(
    changes.map(async ({ number, className, fields, kind }) => {
      const pid = `ex:${100 + number}`;
      const present = await store.get(expand(pid)!);
      if (kind === 'put' || !present) return [put(pid, className, fields)];
      if (kind === 'delete') return [{ delete: present.iri }];
      const record = parseJson(present.json) as JsonObject;
      return [{ delete: present.iri }, put(`${pid}b`, present.className, record)];
    }),
  );
  await store.write(made.flat(), BY);
}

const byNumber = (a: number, b: number) => a - b;

/** @returns how many records were found */
async function compare(
  database: Database,
  curated: RecordStore,
  zone: RecordStore,
  queries: readonly Asked[][],
  when: string,
): Promise<number> {
  let hits = 0;
  /** Each viewer of each view asks a third of the queries. */
  let turn = 0;
  const models = new Map<string, ModelRecord>();
  const modelOf = (record: ListedRecord) => {
    const key = `${record.className} ${record.json}`;
    const model = models.get(key) ?? modelRecord(record);
    models.set(key, model);
    return model;
  };
  for (const visibility of [undefined, new Visibility(TAG, null, ['x']), new Visibility(TAG, null, [])]) {
    const [own, under] = [zone.as(visibility), curated.as(visibility)];
    const overlay = new Overlay(new Shadows(database, own, under), own, under);
    const shadowed = await overlay.shadowed();
    const views = [
      { view: under, layers: [{ words: under.words, hidden: [] }] },
      {
        view: overlay,
        layers: [
          { words: own.words, hidden: [] },
          { words: under.words, hidden: shadowed },
        ],
      },
    ];
    for (const { view, layers } of views) {
      const records = await Array.fromAsync(view.scan({}));
      turn += 1;
      for (const [at, asked] of queries.entries()) {
        if ((at + turn) % 3 > 0) continue;
        const classes = turn % 2 === 0 ? ['Robot'] : undefined;
        const text = typed(asked);
        const parsed = parseQuery(text);
        const message = `${when}: ${text} of ${classes ?? 'all classes'}`;
        const found = await findWords(layers, {
          query: parsed,
          version: INDEX.version,
          classes,
          judge: ({ json, className }) => standingOf(parsed, wordsOf(json, className, OPTIONS)),
          yieldIfDue: async () => {},
        });
        assert.ok(found, message);
        const all = (await found.page(0, 1_000_000)).records;
        const wanted = modelQuery(asked);
        const expected = records.filter(
          (record) => (classes?.includes(record.className) ?? true) && modelStanding(modelOf(record), wanted),
        );
        assert.deepEqual(pids(all).sort(), pids(expected).sort(), message);
        const standings = all.map((record) => modelStanding(modelOf(record), wanted));
        assert.deepEqual(standings, [...standings].sort().reverse(), `${message}: heads come first`);
        hits += all.length;
        if (at % 4 > 0) continue;
        const ids = await found.ids();
        const best = await found.best(all.length, () => true);
        assert.deepEqual([...ids], [...best].sort(byNumber), message);
        const pidsOf = new Map<number, string>();
        for (const { words } of layers)
          for await (const { id, pid } of words.records(best, await words.filter(undefined)))
            pidsOf.set(id, pid);
        assert.deepEqual(
          best.map((id) => pidsOf.get(id)),
          pids(all),
          message,
        );
        const isIn = (id: number) => id % 3 > 0;
        assert.deepEqual(await found.best(4, isIn), best.filter(isIn).slice(0, 4), message);
        const pages: ListedRecord[] = [];
        const size = Math.max(1, Math.ceil(all.length / 3));
        for (let offset = 0; offset <= all.length; offset += size) {
          const page: { total: number; records: readonly ListedRecord[] } = await found.page(offset, size);
          assert.equal(page.total, all.length, message);
          pages.push(...page.records);
        }
        assert.deepEqual(pids(pages), pids(all), `${message}: page by page`);
      }
    }
  }
  return hits;
}
