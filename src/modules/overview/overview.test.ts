/** The numbers of an overview are those of a model that reads every record of the caller, with policies, on both databases. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import fc from 'fast-check';
import { of, TAG, TOKENS } from '../../../test/policies/world.ts';
import { ADMIN, type TestService, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ofTier, propertyRuns, repeated, test } from '../../../test/support/tier.ts';
import type { ClassDescription } from '../../client/client.ts';
import { SCHEMA_TYPE } from '../../core/schema-type.ts';
import type { Overview, SlotValues, Week } from './api-types.ts';
import { cutDates, cutNumbers } from './cut.ts';

const RUNS = propertyRuns(2, 3);
const POLICIES = {
  policy_annotation_tag: TAG,
  policy_mapping: [of('ann', 'x'), of('cleo', 'x', 'y')],
};
const READERS = ['guest', 'ann', 'cleo'] as const;

type Fields = Readonly<Record<string, unknown>>;
const KINDS = ['article', 'thesis', 'dataset'];
const publication = fc.record(
  {
    publication_kind: fc.constantFrom(...KINDS),
    authors: fc.subarray(['labid:p0', 'labid:p1', 'labid:gone']).filter((all) => all.length > 0),
    published: fc.constantFrom('2019-02-03', '2021-11-30', '2024-05-06', '1990-01-01', '2024-06-01'),
    page_count: fc.integer({ min: 1, max: 400 }),
    open_access: fc.boolean(),
  },
  { requiredKeys: [] },
);
const person = fc.record({ given_name: fc.constantFrom('Ada', 'Mei') }, { requiredKeys: [] });
const change = fc.record({
  zone: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  kind: fc.constantFrom('put', 'put', 'put', 'delete'),
  key: fc.integer({ min: 0, max: 9 }),
  policy: fc.constantFrom(undefined, undefined, 'x', 'y'),
  fields: fc.oneof(
    publication.map((fields): [string, Fields] => ['Publication', fields]),
    person.map((fields): [string, Fields] => ['Person', fields]),
  ),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** A curated record from when it was made to when it was deleted. */
type Life = {
  readonly key: number;
  readonly made: string;
  /** Its class and policy now, or when it was deleted. */
  className: string;
  policy: string | undefined;
  isOver: boolean;
};

async function make(
  { request }: TestService,
  lives: Life[],
  { zone, kind, key, policy, fields }: Change,
): Promise<void> {
  const [className, given] = fields;
  const pid = `labid:p${key}`;
  const life = zone ? undefined : lives.find((one) => one.key === key && !one.isOver);
  if (kind === 'delete') {
    if (life) life.isOver = true;
    await request('DELETE', `/c/${zone ? 'incoming/ann' : 'curated'}/record?pid=${pid}`, { token: 'cleo' });
    return;
  }
  const named = className === 'Person' ? { name: 'n', family_name: 'n' } : { title: 't' };
  const json = { pid, ...named, ...given, ...(policy && { annotations: { [TAG]: policy } }) };
  const path = `/c/${zone ? 'incoming/ann' : 'curated'}/record/${className}`;
  const { status, text } = await request('POST', path, { token: 'cleo', json });
  assert.equal(status, 200, text);
  if (life) Object.assign(life, { className, policy });
  else if (!zone) lives.push({ key, made: className, className, policy, isOver: false });
}

/** Compares the weeks of a reader with what happened, which is in the last of them, or in two if a week begins meanwhile. */
async function compareWeeks(service: TestService, token: string, lives: readonly Life[]): Promise<void> {
  const granted = POLICIES.policy_mapping.find(({ user_id }) => user_id.startsWith(token))?.authorized_by;
  const seen = lives.filter(({ policy }) => policy === undefined || granted?.includes(policy));
  await eventually('the policies of former changes are read', async () => {
    const { status } = await service.request(
      'GET',
      '/-/c/overview/weeks',
      token === 'guest' ? {} : { token },
    );
    return status !== 503;
  });
  for (const name of [undefined, 'Publication']) {
    const query = name === undefined ? '' : `&class=${name}`;
    const { items } = await read<{ items: Week[] }>(service, token, `/-/c/overview/weeks?weeks=2${query}`);
    const is = (className: string) => name === undefined || className === name;
    const all = (of: 'made' | 'deleted') => items.reduce((sum, week) => sum + week[of], 0);
    const about = `${token} ${name}`;
    assert.equal(all('made'), seen.filter(({ made }) => is(made)).length, `${about}: made`);
    const over = seen.filter(({ className, isOver }) => isOver && is(className));
    assert.equal(all('deleted'), over.length, `${about}: deleted`);
    const left = seen.filter(({ className, isOver }) => !isOver && is(className));
    assert.equal(items.at(-1)!.records, left.length, `${about}: records`);
  }
}

type Item = Fields & { readonly schema_type: string };

async function read<T>({ request }: TestService, token: string, url: string): Promise<T> {
  const { status, text, json } = await request('GET', url, token === 'guest' ? {} : { token });
  assert.equal(status, 200, `${url}: ${text}`);
  return json<T>();
}

/** The classes of the schema, which is the same in all collections. */
const described = new Map<string, ClassDescription>();

const filled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(filled) : value !== undefined;

/** Compares all numbers of a reader with those of the records that a search returns. */
async function compare(service: TestService, token: string, filter: string): Promise<void> {
  const { items } = await read<{ items: Item[] }>(service, token, `/-/c/search?size=100&${filter}`);
  const overview = await read<Overview>(service, token, `/-/c/overview?${filter}`);
  const about = `${token} ${filter}`;
  const classOf = ({ schema_type }: Item) => (schema_type.endsWith('Person') ? 'Person' : 'Publication');
  assert.equal(overview.records, items.length, about);
  const classes = Object.fromEntries(overview.classes.map((one) => [one.class, one.records]));
  const count = (name: string) => items.filter((item) => classOf(item) === name).length;
  for (const name of ['Person', 'Publication'])
    assert.equal(classes[name] ?? 0, count(name), `${about} ${name}`);
  const slots = new Map<string, number>();
  for (const name of ['Person', 'Publication']) {
    const known =
      described.get(name) ?? (await read<ClassDescription>(service, token, `/-/c/classes/${name}`));
    described.set(name, known);
    for (const slot of known.slots)
      if (!slot.identifier && slot.name !== SCHEMA_TYPE && count(name) > 0)
        slots.set(slot.name, (slots.get(slot.name) ?? 0) + count(name));
  }
  assert.deepEqual(
    overview.slots.map((one) => [one.slot, one.records, one.of]).sort(),
    [...slots].map(([slot, all]) => [slot, items.filter((item) => filled(item[slot])).length, all]).sort(),
    `${about}: slots`,
  );
  const shares = overview.slots.map(({ records, of: all }) => records / all);
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => a - b),
    'worst first',
  );
  for (const slot of ['publication_kind', 'open_access', 'authors']) {
    const { bars } = await read<SlotValues>(service, token, `/-/c/overview/values?slot=${slot}&${filter}`);
    for (const { value, records } of bars)
      assert.equal(
        records,
        items.filter((item) => [item[slot]].flat().map(String).includes(value!)).length,
        `${about} ${slot} ${value}`,
      );
    const values = new Set(
      items.flatMap((item) => [item[slot]].flat()).filter((value) => value !== undefined),
    );
    assert.equal(bars.length, values.size, `${about} ${slot}`);
  }
  for (const slot of ['page_count', 'published']) {
    const { bars, records, kind } = await read<SlotValues>(
      service,
      token,
      `/-/c/overview/values?slot=${slot}&${filter}`,
    );
    assert.equal(kind, slot === 'published' ? 'dates' : 'numbers');
    assert.equal(records, items.filter((item) => filled(item[slot])).length);
    assert.equal(
      bars.reduce((sum, bar) => sum + bar.records, 0),
      records,
      `${about}: ranges have no gaps and do not overlap`,
    );
    // Each bar leads to as many records as it has.
    for (const { from, to, records: inBar } of bars.filter((bar) => bar.records > 0)) {
      const query = new URLSearchParams(filter);
      if (from !== undefined) query.set(`${slot}.from`, from);
      if (to !== undefined) query.set(`${slot}.to`, to);
      query.set(`${slot}.filled`, 'true');
      const { total } = await read<{ total: number }>(service, token, `/-/c/search?${query}`);
      assert.equal(total, inBar, `${about} ${slot} ${from}–${to}`);
      const values = items.flatMap((item) => item[slot] ?? []);
      const isIn = (value: unknown) =>
        typeof value === 'number'
          ? value >= Number(from ?? value) && value <= Number(to ?? value)
          : String(value) >= (from ?? '') && String(value).slice(0, to?.length) <= (to ?? '9');
      assert.equal(values.filter(isIn).length, inBar, `${about} ${slot} ${from}–${to}, of the records`);
    }
  }
}

for (const type of ofTier(['record_dir', 'postgresql']))
  describe(`the overview of a collection in ${type}`, () => {
    repeated(
      'counts what a caller sees, with and without filters, whether or not the counts are up to date',
      async (t) => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.array(change, { minLength: 3, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
            async (batches) => {
              const ends: (() => unknown)[] = [];
              const collections = { c: { default_token: 'guest', backend: { type }, ...POLICIES } };
              const service = await testApp(
                { after: (end) => void ends.push(end as () => unknown) },
                { collections, tokens: TOKENS },
              );
              const lives: Life[] = [];
              try {
                for (const batch of batches) {
                  for (const one of batch) await make(service, lives, one);
                  for (const token of READERS) await compareWeeks(service, token, lives);
                  for (const token of READERS)
                    for (const filter of [
                      '',
                      'class=Publication',
                      'open_access=true',
                      'page_count.from=100&class=Publication',
                    ])
                      await compare(service, token, filter);
                }
                await eventually('the counts follow', async () => {
                  const { projections } = await read<{
                    projections: { name: string; state: string; behind: number }[];
                  }>(service, ADMIN, '/-/status');
                  return projections.some(
                    ({ name, state, behind }) => name === 'overview' && state === 'idle' && behind === 0,
                  );
                });
                for (const token of READERS) await compare(service, token, '');
              } finally {
                for (const end of ends.reverse()) await end();
              }
            },
          ),
          { numRuns: RUNS, seed: 7, endOnFailure: true },
        );
        t.diagnostic(`${RUNS} collections`);
      },
    );
  });

test('numbers are remembered until a record changes, and have the revision that they are of', async (t) => {
  const service = await testApp(t, { collections: { c: {} }, tokens: TOKENS });
  const urls = ['/-/c/overview', '/-/c/overview/values?slot=given_name', '/-/c/overview/weeks'];
  const seen: (readonly [revision: unknown, text: string])[][] = [];
  for (const name of ['a', 'b']) {
    const json = { pid: `labid:${name}`, name, family_name: name, given_name: 'Ada' };
    await service.request('POST', '/c/curated/record/Person', { token: 'cleo', json });
    const answers = [];
    for (const url of [...urls, ...urls]) {
      const { headers, text } = await service.request('GET', url, { token: 'cleo' });
      answers.push([headers['accession-revision'], text] as const);
    }
    assert.deepEqual(answers.slice(0, urls.length), answers.slice(urls.length));
    assert.equal(new Set(answers.map(([revision]) => revision)).size, 1);
    seen.push(answers);
  }
  const [before, after] = seen;
  assert.notEqual(before![0]![0], undefined);
  for (const [at, [revision, text]] of after!.entries()) {
    assert.notEqual(revision, before![at]![0]);
    assert.notEqual(text, before![at]![1]);
  }
});

test('numbers are cut in round steps without gaps, also at the precision of doubles', () => {
  const number = (value: number) => ({ text: String(value), number: value });
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, min: -1e12, max: 1e12 }),
      fc.double({ noNaN: true, min: 0, max: 1e9 }),
      fc.boolean(),
      (start, more, isWhole) => {
        const [least, greatest] = isWhole
          ? [Math.round(start), Math.round(start + more)]
          : [start, start + more];
        const ranges = cutNumbers(isWhole)(number(least), number(greatest));
        assert.ok(ranges.length >= 1 && ranges.length <= 42, `${ranges.length}`);
        for (const [at, { from }] of ranges.entries()) {
          if (at === 0) continue;
          const before = Number(ranges[at - 1]!.to);
          const next = Number(from);
          assert.ok(
            isWhole
              ? before + 1 === next
              : (before < next && (before + next) / 2 === before) || (before + next) / 2 === next,
          );
        }
      },
    ),
  );
});

test('dates are cut by months, years or decades', () => {
  const cut = (from: string, to: string) =>
    cutDates({ text: from, number: undefined }, { text: to, number: undefined });
  assert.deepEqual(cut('2024-11-02', '2025-01-03'), [
    { to: '2024-11' },
    { from: '2024-12', to: '2024-12' },
    { from: '2025-01' },
  ]);
  assert.deepEqual(cut('2019-11-02', '2021-01-03t10:00'), [
    { to: '2019' },
    { from: '2020', to: '2020' },
    { from: '2021' },
  ]);
  assert.deepEqual(cut('1901', '1987-01-03').length, 9);
  assert.ok(cut('0001-01-01', '9999-12-31').length <= 60);
  assert.deepEqual(cut('unknown', 'unknown'), []);
});
