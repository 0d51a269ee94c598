/** What filters, sorts and facets find by the index of values is what a model finds that reads every record. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { fold, scalarsIn } from '#linkml/folding.ts';
import { compareCodePoints, isJsonObject, type JsonObject, type JsonValue, parseJson } from '#linkml/json.ts';
import { inParts } from '../../../test/support/in-parts.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { ofTier, repeated, test } from '../../../test/support/tier.ts';
import { isServiceError } from '../errors.ts';
import { BY, put, refuses } from '../storage/contract/subject.ts';
import type { Database } from '../storage/database.ts';
import { IdSet } from '../storage/id-set.ts';
import { addPolicyTag } from '../storage/policy-column.ts';
import { openPostgresqlDatabase } from '../storage/postgresql/postgresql.ts';
import { listById } from '../storage/read/records.ts';
import { type Bounds, Effort } from '../storage/search/effort.ts';
import { indexedText, type ValueCondition } from '../storage/search/indexed-values.ts';
import { TEXT_INDEX } from '../storage/search/text-index.ts';
import { VALUE_INDEX } from '../storage/search/value-index.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import { type Change, compareKeys, type RecordStore, type StoredRecord } from '../storage/store.ts';
import { policyTag, Visibility } from '../storage/visibility.ts';
import { advance } from '../work/projections.ts';
import { inAllSpellings, referenceIn } from './spellings.ts';
import { type Among, searchValues, type ValueRange, type ValueSearch } from './value-search.ts';

const RUNS = Number(process.env.ACCESSION_PROPERTY_RUNS ?? 25);
/** Worlds in one database, one after the other. */
const RUNS_OF_DATABASE = 100;

const PREFIXES = new Map([
  ['ex', 'https://example.org/'],
  ['deep', 'https://example.org/deep/'],
]);
const expand = (text: string): string | undefined => {
  if (/^https:/.test(text)) return text;
  const [, prefix = '', rest] = /^(\w+):(.*)$/s.exec(text) ?? [];
  const start = PREFIXES.get(prefix);
  return start === undefined ? undefined : start + rest;
};
const SCHEMA = { prefixes: PREFIXES, expand, expandReference: expand };

/** Few values in several spellings, so that filters find some. */
const LONG = 'a long text '.repeat(9);
const TEXTS = [
  ...['open', 'Open', 'öpen', 'closed', '', ' ', '%', 'a_b', '\\', 'ß', '😀', '\uffff', 'a\0b', 'b\nc'],
  ...['7', '07', '7.0', '-0', '0', '1e400', '12', '100', '0x10', 'NaN', 'Infinity'],
  ...['2024', '2024-05', '2024-05-06', '2024-05-06T10:00', '2023-12-31', '1999'],
  ...['ex:deep/a', 'deep:a', 'https://example.org/deep/a', 'ex:b', 'https://example.org/b', 'other:c'],
  ...[LONG, `${LONG}a`, `${LONG}b`, `${LONG.toUpperCase()}A`],
];
const scalar = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...TEXTS) },
  fc.constantFrom<JsonValue>(7, 12, -3, 0.5, true, false),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ text: scalar, language: fc.constantFrom('de', 'en') }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.record({ text: scalar, language: fc.constantFrom('de', 'en') }), { maxLength: 2 }),
  },
);
const SLOTS = ['a', 'b', 'c'];
const CLASSES = ['Person', 'Thing'];
const RANGES: readonly ValueRange[] = [
  { to: '7' },
  { from: '7', to: '12' },
  { from: '1999', to: '2024' },
  { from: '2024-05', to: '2024-05' },
  { from: 'c' },
  {},
];
const POLICIES = ['', 'secret', 'house'];
const change = fc.record({
  area: fc.constantFrom('curated', 'curated', 'zone'),
  key: fc.integer({ max: 25, min: 0 }),
  kind: fc.constantFrom('put', 'put', 'put', 'put', 'delete', 'rename'),
  className: fc.constantFrom(...CLASSES),
  policy: fc.constantFrom(...POLICIES),
  fields: fc.dictionary(fc.constantFrom(...SLOTS), value, { maxKeys: 3 }),
});
const condition = fc.record({
  slot: fc.constantFrom(...SLOTS, 'pid'),
  test: fc.constantFrom('is', 'is', 'contains', 'from', 'to', 'filled'),
  values: fc.array(fc.constantFrom(...TEXTS, 'ex:1', 'ex:2', 'e', 'TEXT a'), { minLength: 1, maxLength: 2 }),
});
const bound = fc.constantFrom(...TEXTS);
const range = fc
  .tuple(fc.constantFrom(...SLOTS), bound, bound)
  .map(([slot, from, to]) => [
    [{ slot, test: 'from', values: [from] }],
    [{ slot, test: 'to', values: [to] }],
  ]);
const query = fc.record({
  groups: fc.oneof(fc.array(fc.array(condition, { minLength: 1, maxLength: 2 }), { maxLength: 2 }), range),
  className: fc.option(fc.constantFrom(...CLASSES), { freq: 2 }),
  among: fc.option(fc.array(fc.integer({ max: 30, min: 0 }), { maxLength: 15 }), { freq: 4 }),
  slot: fc.constantFrom(...SLOTS, 'pid'),
  descending: fc.boolean(),
  alternatives: fc.boolean(),
  offset: fc.constantFrom(0, 0, 3, 20),
  limit: fc.constantFrom(1, 4, 100),
});
const world = fc.record({
  /** Batches of changes, and whether the index follows them. */
  batches: fc.array(fc.tuple(fc.array(change, { minLength: 5, maxLength: 25, size: 'max' }), fc.boolean()), {
    minLength: 1,
    maxLength: 5,
    size: 'max',
  }),
  /** The batch behind which records get policies. */
  tagged: fc.integer({ max: 6, min: -1 }),
  queries: fc.array(query, { minLength: 6, maxLength: 6 }),
  viewer: fc.option(fc.subarray(POLICIES.slice(1))),
  isOver: fc.boolean(),
  /** In small steps, every row is walked; with few values, facets leave some out. */
  bounds: fc.constantFrom({}, { few: 0, first: 2 }, { values: 2 }, { few: 0, first: 2, values: 5 }),
});

const TAG = policyTag(['ex:policy']);

const DATABASES = { sqlite: inFile, postgresql: async () => openPostgresqlDatabase(await ownDatabase()) };

async function inFile(): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'accession-values-'));
  const database = await openSqliteDatabase(join(directory, 'accession.db'));
  return { ...database, close: () => database.close().finally(() => rmSync(directory, { recursive: true })) };
}

for (const [type, open] of ofTier(Object.entries(DATABASES)))
  repeated(`${type}: filters, sorts, totals and facets are those of a model`, async () => {
    const hits = await inParts(RUNS, RUNS_OF_DATABASE, async (first, end) => {
      const database = await open();
      try {
        return await hitsOf(database, { seed: 4 + first, numRuns: end - first });
      } finally {
        await database.close();
      }
    });
    assert.ok(hits > RUNS, `${hits} hits`);
  });

async function hitsOf(database: Database, runs: { seed: number; numRuns: number }): Promise<number> {
  let worlds = 0;
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(world, async ({ batches, tagged, queries, viewer, isOver, bounds }) => {
      worlds += 1;
      const curated = await database.area(`curated${worlds}`);
      const zone = await database.area(`zone${worlds}`);
      const settle = async (at: number) => {
        if (at === tagged) for (const one of [curated, zone]) await addPolicyTag(database, one.area, TAG);
      };
      await settle(-1);
      for (const [at, [changes, isFollowed]] of batches.entries()) {
        await make(
          curated,
          changes.filter(({ area }) => area === 'curated'),
        );
        await make(
          zone,
          changes.filter(({ area }) => area === 'zone'),
        );
        for (const store of [curated, zone]) {
          if (isFollowed) await advance(database, VALUE_INDEX, store);
          // The index of texts follows by itself.
          if (isFollowed !== at % 2 > 0) await advance(database, TEXT_INDEX, store);
        }
        await settle(at);
      }
      const visibility = viewer && tagged < batches.length ? new Visibility(TAG, null, viewer) : undefined;
      const parts = (isOver ? [zone, curated] : [curated]).map((store) => store.as(visibility));
      for (const asked of queries) hits += await compare(database, parts, asked, bounds);
    }),
    runs,
  );
  return hits;
}

test('a search that would read too much is refused, and says what narrows it', async () => {
  const database = await inFile();
  try {
    const store = await database.area('area');
    await store.write(
      Array.from({ length: 50 }, (_, at) => put(`ex:${at}`, 'Person', { a: `value ${at % 7}`, b: at })),
      BY,
    );
    await advance(database, VALUE_INDEX, store);
    let statements: string[] = [];
    const ask = (search: Partial<ValueSearch>, bounds: Partial<Bounds>) =>
      database.snapshot((reader) => {
        statements = [];
        const tuples: typeof reader.tuples = (sql, values) => {
          statements.push(sql);
          return reader.tuples(sql, values);
        };
        return searchValues(
          { ...reader, tuples, dialect: database.dialect },
          [store],
          {
            classes: undefined,
            groups: [],
            sort: undefined,
            range: { offset: 0, limit: 5 },
            facets: [],
            ...search,
          },
          { identity: (text) => text, effort: new Effort(bounds) },
        );
      });
    const facets = { facets: ['a'] };
    assert.deepEqual((await ask(facets, {})).facets.get('a')?.at(0), { value: 'value 0', count: 8 });
    const byB = { sort: { slot: 'b', descending: true }, range: { offset: 40, limit: 5 } };
    const contains: ValueCondition = { slot: 'a', test: 'contains', values: ['value'] };
    for (const search of [facets, byB, { groups: [[contains]] }])
      await assert.rejects(
        ask(search, { rows: 8, first: 4, few: 0 }),
        (error) =>
          isServiceError(error) && error.code === 'search_too_broad' && /`class`/.test(error.message),
        JSON.stringify(search),
      );
    // Completeness walks the rows of all slots before it reads one.
    const filled = { filled: ['a', 'b'] };
    const reads = () => statements.filter((sql) => sql.includes(database.dialect.list('v.record'))).length;
    assert.deepEqual([...(await ask(filled, { first: 4, few: 0 })).filled.values()], [50, 50]);
    assert.ok(reads() > 0);
    await refuses(ask(filled, { rows: 30, first: 4, few: 0 }), 'search_too_broad');
    assert.equal(reads(), 0);
    // The first page of a sort reads little.
    assert.equal(
      (await ask({ ...byB, range: { offset: 0, limit: 2 } }, { rows: 20, first: 4 })).ids.length,
      2,
    );
  } finally {
    await database.close();
  }
});

test('of more values than are counted at a time, those are listed that more records have than any other', async () => {
  const database = await inFile();
  try {
    const store = await database.area('area');
    const fields = (at: number) => ({ unique: `x${at}`, often: at % 2 === 0 ? `y${at % 6}` : `z${at}` });
    await store.write(
      Array.from({ length: 60 }, (_, at) => put(`ex:${at}`, 'Person', fields(at))),
      BY,
    );
    await advance(database, VALUE_INDEX, store);
    const find = (groups: ValueSearch['groups'] = []) =>
      database.snapshot((reader) =>
        searchValues(
          { ...reader, dialect: database.dialect },
          [store],
          {
            ...{ classes: undefined, sort: undefined, groups, alternatives: true },
            ...{ range: { offset: 0, limit: 0 }, facets: ['unique', 'often'] },
          },
          { identity: (text) => text, effort: new Effort({ values: 8, few: 0, first: 2 }) },
        ),
      );
    const often = ['y0', 'y2', 'y4'].map((value) => ({ value, count: 10 }));
    const { facets, cutFacets } = await find();
    assert.deepEqual(cutFacets, ['unique', 'often']);
    assert.deepEqual(Object.fromEntries(facets), { unique: [], often });
    // What is asked for is counted, too.
    const chosen = await find([[{ slot: 'often', test: 'is', values: ['z7'] }]]);
    assert.deepEqual(chosen.facets.get('often'), [...often, { value: 'z7', count: 1 }]);
    assert.equal(chosen.total, 1);
    // Values of changes that the index has not followed are counted with those in it.
    await store.write([put('ex:60', 'Person', { often: 'y2' })], BY);
    assert.equal((await find()).facets.get('often')?.[0]?.count, 11);
  } finally {
    await database.close();
  }
});

test('completeness of most records reads the index of values if their texts would take more, and leaves what classes take', async () => {
  const database = await inFile();
  try {
    const store = await database.area('area');
    await store.write(
      Array.from({ length: 400 }, (_, at) => put(`ex:${at}`, 'Person', { a: 'value', b: at })),
      BY,
    );
    await advance(database, VALUE_INDEX, store);
    const slots = ['a', 'b', ...Array.from({ length: 30 }, (_, at) => `none${at}`)];
    const { filled, byClass } = await database.snapshot((reader) =>
      searchValues(
        { ...reader, dialect: database.dialect },
        [store],
        {
          ...{ classes: undefined, sort: undefined },
          groups: [[{ slot: 'b', test: 'from', values: ['10'] }]],
          ...{ range: { offset: 0, limit: 0 }, facets: [], byClass: ['Person'], filled: slots },
        },
        // All texts would be 5,850 rows, and the filter and classes 390 each.
        { identity: (text) => text, effort: new Effort({ rows: 6400, first: 4, few: 0 }) },
      ),
    );
    assert.deepEqual([byClass.get('Person'), filled.get('a'), filled.get('none1')], [390, 390, 0]);
  } finally {
    await database.close();
  }
});

test('of long values, those are read that the index of texts offers, and all for strings that it does not have, up to a bound', async () => {
  const database = await inFile();
  try {
    const store = await database.area('area');
    const others = await database.area('others');
    const long = (at: number) => put(`ex:${at}`, 'Person', { a: `${LONG}${at === 40 ? 'needle' : at}` });
    for (const area of [store, others])
      await area.write(
        Array.from({ length: 100 }, (_, at) => long(at)),
        BY,
      );
    for (const index of [VALUE_INDEX, TEXT_INDEX]) await advance(database, index, store);
    const find = (sought = 'Needle') =>
      database.snapshot((reader) =>
        searchValues(
          { ...reader, dialect: database.dialect },
          [store],
          {
            ...{ classes: undefined, sort: undefined },
            groups: [[{ slot: 'a', test: 'contains', values: [sought] }]],
            ...{ range: { offset: 0, limit: 5 }, facets: [] },
          },
          // All texts would be 1,500 rows.
          { identity: (text) => text, effort: new Effort({ rows: 500 }) },
        ),
      );
    assert.equal((await find()).total, 1);
    await store.write([{ delete: 'https://example.org/40' }, { delete: 'https://example.org/41' }], BY);
    await store.write([put('ex:41', 'Person', { a: `${LONG}needles` })], BY);
    assert.equal((await find()).total, 1);
    await assert.rejects(find('ne'), /fewer than three characters/);
    await assert.rejects(find('long text'), /search for a longer or rarer one/);
  } finally {
    await database.close();
  }
});

type Made = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Makes changes in one transaction. */
async function make(store: RecordStore, made: readonly Made[]): Promise<void> {
  const iris = new Set(await store.having(made.map(iriOf)));
  const changes: Change[] = [];
  for (const { key, kind, className, policy, fields } of made) {
    const annotations: JsonObject = policy === '' ? {} : { annotations: { 'ex:policy': policy } };
    const place = (under: number) => {
      changes.push(put(`ex:${under}`, className, { ...fields, ...annotations }));
      iris.add(iriOf({ key: under }));
    };
    if (kind === 'put') place(key);
    else if (iris.delete(iriOf({ key }))) changes.push({ delete: iriOf({ key }) });
    // Under another IRI, as a rename does.
    if (kind === 'rename') place(key + 3);
  }
  await store.write(changes, BY);
}

const iriOf = ({ key }: Pick<Made, 'key'>) => `https://example.org/${key}`;

type Asked = typeof query extends fc.Arbitrary<infer T> ? T : never;

/** @returns how many records are found */
async function compare(
  database: Database,
  parts: readonly RecordStore[],
  asked: Asked,
  bounds: Partial<Bounds>,
): Promise<number> {
  const groups = (asked.groups as ValueCondition[][]).map((group) =>
    group.map((one) => ({
      ...one,
      ...(one.test === 'filled' && {
        values: [...new Set(one.values.map((text) => String(text.length > 3)))],
      }),
    })),
  ) as ValueCondition[][];
  const iris = asked.among?.map((key) => `https://example.org/${key}`);
  const { slot, descending, alternatives, offset, limit } = asked;
  const reads = { ...database };
  const { records, facets, cutFacets, total, byClass, filled, histograms } = await database.snapshot(
    async (reader) => {
      const frozen = { ...reader, dialect: database.dialect };
      const classes = asked.className === null ? undefined : [asked.className];
      const search: ValueSearch = {
        classes,
        groups: inAllSpellings(SCHEMA, groups),
        ...(iris && { among: await recordsUnder(frozen, parts, classes, new Set(iris)) }),
        ...{ sort: { slot, descending }, range: { offset, limit }, facets: SLOTS, alternatives },
        ...{ byClass: CLASSES, filled: SLOTS },
        histograms: SLOTS.map((slot) => ({ slot, cut: () => RANGES })),
      };
      const options = { identity: (text: string) => referenceIn(SCHEMA, text), effort: new Effort(bounds) };
      const found = await searchValues(frozen, parts, search, options);
      return { ...found, records: await listById(frozen, found.ids, undefined) };
    },
  );
  const expected = await model(reads, parts, { ...asked, groups, iris });
  const message = JSON.stringify({ asked, parts: parts.length });
  assert.equal(total, expected.all.length, message);
  assert.deepEqual(
    records.map(({ pid, json }) => `${pid} ${json}`),
    expected.all.slice(offset, offset + limit).map(({ pid, json }) => `${pid} ${json}`),
    message,
  );
  assert.deepEqual(byClass, expected.byClass(), message);
  for (const name of SLOTS) {
    assert.equal(filled.get(name), expected.filled(name), `${name}: ${message}`);
    const counted = RANGES.map((one) => ({ ...one, count: expected.inRange(name, one) }));
    const isEmpty = histograms.get(name)!.length === 0;
    assert.deepEqual(isEmpty ? [] : histograms.get(name), isEmpty ? [] : counted, `${name}: ${message}`);
    assert.equal(isEmpty, !expected.hasFirst(name), `${name}: ${message}`);
  }
  for (const [name, values] of facets) {
    const counts = new Map(values.map(({ value, count }) => [identity(value), count]));
    assert.equal(counts.size, values.length, message);
    const all = expected.facets(name);
    if (cutFacets.includes(name)) {
      const asked = alternatives ? askedIn(groups, name) : new Set<string>();
      const listed = [...counts].filter(([value]) => !asked.has(value));
      const least = Math.min(...listed.map(([, count]) => count));
      for (const [value, count] of all) {
        const found = counts.get(value);
        assert.equal(found ?? count, count, `${name}, ${value}: ${message}`);
        const mayLack = !asked.has(value) && (listed.length === 0 || count < least);
        assert.ok(found !== undefined || mayLack, `${name}, ${value}: ${message}`);
      }
      assert.equal(counts.size, [...counts.keys()].filter((value) => all.has(value)).length, message);
    } else assert.deepEqual(counts, all, `${name}: ${message}`);
    const sorted = [...values].sort((a, b) => b.count - a.count);
    assert.deepEqual(
      values.map(({ count }) => count),
      sorted.map(({ count }) => count),
    );
  }
  return total;
}

/** The values that are asked for in a slot alone. */
function askedIn(groups: readonly ValueCondition[][], slot: string): Set<string> {
  const own = groups.filter(
    ([one, ...others]) => others.length === 0 && one?.slot === slot && one.test === 'is',
  );
  return new Set(own.flatMap(([one]) => one!.values.map(identity)));
}

async function recordsUnder(
  reads: Pick<Database, 'tuples'>,
  parts: readonly RecordStore[],
  classes: readonly string[] | undefined,
  iris: ReadonlySet<string>,
): Promise<Among> {
  const ids = new IdSet();
  for (const { area, visibility } of parts) {
    const rows = await reads.tuples<[id: number, iri: string, className: string, policy: string]>(
      'SELECT id, iri, class_name, policy FROM accession_record WHERE area = $1',
      [area.id],
    );
    for (const [id, iri, className, policy] of rows)
      if (iris.has(iri) && (classes?.includes(className) ?? true) && (visibility?.sees(policy) ?? true))
        ids.add(id);
  }
  return { ids, best: async (end, isIn) => [...ids].filter(isIn).slice(0, end) };
}

type Found = StoredRecord & { readonly id: number };

/** Reads every record, and knows no index. */
async function model(
  database: Pick<Database, 'tuples'>,
  parts: readonly RecordStore[],
  asked: Omit<Asked, 'groups'> & { groups: ValueCondition[][]; iris: readonly string[] | undefined },
) {
  const visible: Found[] = [];
  const above = new Set<string>();
  for (const part of parts) {
    const ids = new Map(
      await database.tuples<[string, number]>('SELECT iri, id FROM accession_record WHERE area = $1', [
        part.area.id,
      ]),
    );
    for (const record of await Array.fromAsync(part.scan({})))
      if (!above.has(record.iri)) visible.push({ ...record, id: ids.get(record.iri)! });
    for (const { iri } of visible) above.add(iri);
  }
  const satisfying = (groups: typeof asked.groups) =>
    visible.filter(({ iri, className, json }) => {
      const record = parseJson(json) as JsonObject;
      return (
        (asked.className === null || className === asked.className) &&
        (asked.iris?.includes(iri) ?? true) &&
        groups.every((group) => group.some((one) => satisfies(record, one)))
      );
    });
  const found = satisfying(asked.groups);
  const direction = asked.descending ? -1 : 1;
  const byPid = (a: Found, b: Found) => compareKeys(a, b);
  // Ids would tell in which order records were stored that a policy has hidden then.
  const inTies = parts.some(({ visibility }) => visibility) ? byPid : (a: Found, b: Found) => a.id - b.id;
  const key = ({ json }: Found) => firstOf((parseJson(json) as JsonObject)[asked.slot]);
  const all =
    asked.slot === 'pid'
      ? found.sort((a, b) => direction * byPid(a, b))
      : [
          ...found
            .filter((one) => key(one) !== undefined)
            .sort((a, b) => direction * (compareKeyTexts(key(a)!, key(b)!) || inTies(a, b))),
          ...found.filter((one) => key(one) === undefined).sort(byPid),
        ];
  const facets = (slot: string) => {
    const counts = new Map<string, number>();
    const isOwn = ([first, ...others]: ValueCondition[]) =>
      others.length === 0 && first?.slot === slot && first.test === 'is';
    const counted = asked.alternatives ? satisfying(asked.groups.filter((group) => !isOwn(group))) : found;
    for (const { json } of counted)
      for (const name of new Set(textsOf(parseJson(json) as JsonObject, slot).map(identity)))
        counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  };
  const recordsOf = found.map(({ json }) => parseJson(json) as JsonObject);
  return {
    ...{ all, facets },
    byClass: () =>
      new Map(CLASSES.map((name) => [name, found.filter(({ className }) => className === name).length])),
    filled: (slot: string) => recordsOf.filter((record) => textsOf(record, slot).length > 0).length,
    hasFirst: (slot: string) => recordsOf.some((record) => firstOf(record[slot]) !== undefined),
    inRange: (slot: string, { from, to }: ValueRange) =>
      recordsOf.filter((record) =>
        textsOf(record, slot).some((text) =>
          [
            ...(from === undefined ? [] : [{ slot, test: 'from', values: [from] } as const]),
            ...(to === undefined ? [] : [{ slot, test: 'to', values: [to] } as const]),
          ].every((one) => satisfies({ [slot]: text }, one)),
        ),
      ).length,
  };
}

/** No database stores NUL here. */
const foldedText = (text: string) => fold(text).replaceAll('\0', '\n');
const identity = (text: string) => foldedText(expand(foldedText(text)) ?? text);
const textsOf = (record: JsonObject, slot: string) => scalarsIn(record[slot] ?? null);

function firstOf(value: JsonValue | undefined): string | undefined {
  if (Array.isArray(value)) return firstOf(value[0]);
  return value === undefined || value === null || isJsonObject(value) ? undefined : foldedText(String(value));
}

function numberOf(text: string): number | undefined {
  return text.trim() === '' || !(Math.abs(Number(text)) < 1e300) ? undefined : Number(text);
}

/** Numbers first. Of long texts, the first hundred characters decide; the order of equal ones is that of their digests. */
function compareKeyTexts(a: string, b: string): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined && x !== y) return x - y;
  if ((x === undefined) !== (y === undefined)) return x === undefined ? 1 : -1;
  return compareCodePoints(indexedText(a), indexedText(b));
}

function satisfies(record: JsonObject, { slot, test, values }: ValueCondition): boolean {
  const texts = textsOf(record, slot).map(foldedText);
  const compare = (text: string, bound: string) => {
    const [x, y] = [numberOf(text), numberOf(bound)];
    return x !== undefined && y !== undefined
      ? x - y
      : compareCodePoints(indexedText(text), indexedText(bound));
  };
  const tests: Record<ValueCondition['test'], (bound: string, value: string) => boolean> = {
    is: (bound, value) =>
      texts.some(
        (text) => text === bound || (expand(value) !== undefined && identity(text) === identity(value)),
      ),
    contains: (bound) => texts.some((text) => text.includes(bound)),
    from: (bound) => texts.some((text) => compare(text, bound) >= 0),
    to: (bound) =>
      texts.some(
        (text) =>
          compare(text, bound) <= 0 ||
          (/^\d{4}(-\d\d)*$/.test(bound) && new RegExp(`^${bound}[-t]`).test(text)),
      ),
    filled: (bound) => texts.length > 0 === (bound === 'true'),
  };
  return values.some((value) => tests[test](foldedText(value), value));
}
