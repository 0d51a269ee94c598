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
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { BY, expand, pids, put } from '../storage/contract/subject.ts';
import type { Database } from '../storage/database.ts';
import { addPolicyTag } from '../storage/policy-column.ts';
import { openPostgresqlDatabase } from '../storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import type { ListedRecord, RecordStore } from '../storage/store.ts';
import { wordsOf } from '../storage/tokens.ts';
import { policyTag, Visibility } from '../storage/visibility.ts';
import { wordIndex } from '../storage/word-index.ts';
import { parseQuery, standingOf } from '../storage/word-query.ts';
import { advance } from '../work/projections.ts';
import { findWords } from './find-words.ts';
import { Overlay } from './overlay.ts';
import { Shadows } from './shadows.ts';

const OPTIONS = { heads: { Person: ['name'], Robot: ['name', 'serial'] } };
const INDEX = wordIndex(OPTIONS);
const TAG = policyTag(['ex:policy']);

/** Words with few letters, in several spellings. The model knows no other forms of words, so none has an apostrophe. */
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
const SEPARATORS = [' ', ' ', ' ', '-', '\u2010', '.', ', ', '/', ' (', '"', '\n', '😀'];
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

function modelHas(values: readonly string[][], { words, isPrefix }: Asked['terms'][number]): boolean {
  const sought = words.flatMap(modelWords);
  const mayGoOn = isPrefix && words.length === 1 && sought.at(-1)!.length >= 3;
  return values.some((value) =>
    value.some((_, at) =>
      sought.every((word, next) => {
        const found = value[at + next];
        return found === word || (mayGoOn && next === sought.length - 1 && found?.startsWith(word));
      }),
    ),
  );
}

/** Whether the model finds a record: at its head, or elsewhere. */
function modelStanding({ json, className }: ListedRecord, asked: readonly Asked[]) {
  const { schema_type: _, ...record } = parseJson(json) as JsonObject;
  const wordsIn = (slots: JsonObject) => Object.values(slots).flatMap(scalarsIn).map(modelWords);
  const all = wordsIn(record);
  const slots = ['pid', ...OPTIONS.heads[className as 'Person' | 'Robot']];
  const head = wordsIn(
    Object.fromEntries(slots.flatMap((slot) => (slot in record ? [[slot, record[slot]!]] : []))),
  );
  const wanted = asked.filter(({ isExcluded }) => !isExcluded);
  const meets = (values: string[][]) =>
    wanted.every(({ terms }) => terms.some((one) => modelHas(values, one)));
  if (!meets(all)) return undefined;
  const isRefused = asked.some(({ isExcluded, terms: [one] }) => isExcluded && modelHas(all, one!));
  return isRefused ? undefined : wanted.length > 0 && meets(head) ? 'head' : 'body';
}

const RUNS = Number(process.env.ACCESSION_PROPERTY_RUNS ?? 2);
const QUERIES = 9;

const DATABASES = { sqlite: inFile, postgresql: async () => openPostgresqlDatabase(await ownDatabase()) };

async function inFile(): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'accession-words-'));
  const database = await openSqliteDatabase(join(directory, 'accession.db'));
  return { ...database, close: () => database.close().finally(() => rmSync(directory, { recursive: true })) };
}

for (const [type, open] of Object.entries(DATABASES)) {
  test(`${type}: searches for words find what a model finds`, async () => {
    const database = await open();
    let hits = 0;
    try {
      for (let run = 0; run < RUNS; run++) {
        const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, seed: number) =>
          fc.sample(arbitrary, { numRuns, seed: 100 * run + seed });
        const curated = await database.area(`curated${run}`);
        const zone = await database.area(`zone${run}`);
        for (const { area } of [curated, zone]) await addPolicyTag(database, area, TAG);
        const queries = sample(query, QUERIES, 1);
        const changes = async (seed: number) => {
          for (const one of sample(change, 25, seed)) await make(curated, one);
          for (const one of sample(change, 6, seed + 1)) await make(zone, one);
        };
        await changes(2);
        hits += await compare(database, curated, zone, queries, 'before it is indexed');
        for (const one of [curated, zone]) await advance(database, INDEX, one);
        hits += await compare(database, curated, zone, queries, 'when it is indexed');
        await changes(4);
        hits += await compare(database, curated, zone, queries, 'after changes');
        await advance(database, INDEX, curated);
        hits += await compare(database, curated, zone, queries, 'with one area indexed again');
      }
      assert.ok(hits > 20 * RUNS, `${hits} hits`);
    } finally {
      await database.close();
    }
  });
}

async function make(
  store: RecordStore,
  {
    number,
    className,
    fields,
    kind,
  }: { number: number; className: string; fields: JsonObject; kind: string },
): Promise<void> {
  const pid = `ex:${100 + number}`;
  const present = await store.get(expand(pid)!);
  if (kind === 'put' || !present) await store.write([put(pid, className, fields)], BY);
  else if (kind === 'delete') await store.write([{ delete: present.iri }], BY);
  else {
    const record = parseJson(present.json) as JsonObject;
    await store.write([{ delete: present.iri }, put(`${pid}b`, present.className, record)], BY);
  }
}

/** @returns how many records were found */
async function compare(
  database: Database,
  curated: RecordStore,
  zone: RecordStore,
  queries: readonly Asked[][],
  when: string,
): Promise<number> {
  let hits = 0;
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
    for (const { view, layers } of views)
      for (const [at, asked] of queries.entries()) {
        const classes = at % 3 === 0 ? ['Robot'] : undefined;
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
        assert.equal(new Set(await found.ids()).size, all.length, message);
        const records = (await Array.fromAsync(view.scan({}))).filter(
          ({ className }) => classes?.includes(className) ?? true,
        );
        const expected = records.filter((record) => modelStanding(record, asked));
        assert.deepEqual(pids(all).sort(), pids(expected).sort(), message);
        const standings = all.map((record) => modelStanding(record, asked));
        assert.deepEqual(standings, [...standings].sort().reverse(), `${message}: heads come first`);
        hits += all.length;
        if (at % 4 > 0) continue;
        const pages: ListedRecord[] = [];
        for (let offset = 0; offset <= all.length; offset += 3) {
          const page: { total: number; records: readonly ListedRecord[] } = await found.page(offset, 3);
          assert.equal(page.total, all.length, message);
          pages.push(...page.records);
        }
        assert.deepEqual(pids(pages), pids(all), `${message}: page by page`);
      }
  }
  return hits;
}
