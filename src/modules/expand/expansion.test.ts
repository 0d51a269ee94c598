/** The limits of an expansion: what exceeds them stays a reference, and is named with what to ask next. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { canonicalJson, type JsonObject } from '#linkml/json.ts';
import type { ReferenceSource } from '../../core/records/record.ts';
import { recordText } from '../../core/records/record.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { Expansion } from './expansion.ts';
import { EXPANSION_LIMITS, parsePaths } from './paths.ts';
import { expansionTexts } from './texts.ts';

const schema = await openSchema(resolve(import.meta.dirname, '../../../examples/laboratory/schema.yaml'));

/** Organizations, each a part of the next one. */
const chain = Array.from({ length: 30 }, (_, n) =>
  recordText(schema, {
    className: 'Organization',
    record: { pid: `labid:o${n}`, name: `o${n}`, ...(n < 29 && { part_of: `labid:o${n + 1}` }) },
  }),
);
const byIri = new Map(chain.map((one) => [one.iri, one]));
const source: ReferenceSource = {
  records: async (iris) => iris.flatMap((iri) => byIri.get(iri) ?? []),
  referrers: async () => new Map(),
};

async function expanded(limits: Partial<typeof EXPANSION_LIMITS>) {
  const paths = parsePaths(schema, 'part_of+');
  assert.ok(Array.isArray(paths));
  const input = { schema, paths, fields: undefined, texts: expansionTexts(schema) };
  const expansion = await Expansion.of(input, source, [chain[0]!], { ...EXPANSION_LIMITS, ...limits });
  const { json, truncated } = await expansion.inlined(chain[0]!);
  let depth = 0;
  for (let at = JSON.parse(json); typeof at.part_of === 'object'; at = at.part_of) depth += 1;
  assert.deepEqual(truncated, expansion.truncated);
  assert.equal(canonicalJson(JSON.parse(json) as JsonObject), json);
  assert.deepEqual(JSON.parse(json)['@truncated'], truncated.length === 0 ? undefined : truncated);
  return { depth, included: expansion.included.length, truncated };
}

test('levels, records and characters are limited, and what is left out is named', async () => {
  assert.deepEqual(await expanded({}), {
    depth: 8,
    included: 8,
    truncated: [{ pid: 'labid:o8', expand: 'part_of+' }],
  });
  assert.deepEqual(await expanded({ levels: 100 }), { depth: 29, included: 29, truncated: [] });
  assert.deepEqual(await expanded({ included: 3 }), {
    depth: 3,
    included: 3,
    truncated: [{ pid: 'labid:o3', expand: 'part_of+' }],
  });
  const { depth, truncated } = await expanded({ characters: 3 * chain[1]!.json.length });
  assert.deepEqual([depth, truncated.length], [3, 1]);
});

test('of many long records, hardly more are read than are included', async () => {
  const record = (className: string, record: object) =>
    recordText(schema, { className, record: record as JsonObject });
  const many = Array.from({ length: 200 }, (_, n) =>
    record('Organization', { pid: `labid:o${n}`, name: 'o', description: 'x'.repeat(100_000) }),
  );
  const affiliations = many.map(({ pid }) => pid);
  const root = record('Person', { pid: 'labid:p', name: 'p', family_name: 'p', affiliations });
  let read = 0;
  const counting: ReferenceSource = {
    ...source,
    async records(iris) {
      read += iris.length;
      return many.filter(({ iri }) => iris.includes(iri));
    },
  };
  const paths = parsePaths(schema, 'affiliations');
  assert.ok(Array.isArray(paths));
  const limits = { ...EXPANSION_LIMITS, characters: 1_000_000 };
  const input = { schema, paths, fields: undefined, texts: expansionTexts(schema) };
  const expansion = await Expansion.of(input, counting, [root], limits);
  assert.equal(expansion.included.length, 9);
  assert.deepEqual(expansion.truncated, [{ pid: 'labid:p', expand: 'affiliations' }]);
  assert.ok(read < 30, `${read}`);
});

test('records that all refer to each other are written to the eighth level, however many ways lead there', async () => {
  const people = await openSchema(resolve(import.meta.dirname, '../../../scripts/stalls/schema.yaml'));
  const pids = Array.from({ length: 40 }, (_, n) => `ex:p${n}`);
  const all = pids.map((pid) => recordText(people, { className: 'Person', record: { pid, knows: pids } }));
  const known = new Map(all.map((one) => [one.iri, one]));
  const referring: ReferenceSource = {
    ...source,
    records: async (iris) => iris.map((iri) => known.get(iri)!),
  };
  for (const path of ['knows+', Array(8).fill('knows+').join('.')]) {
    const paths = parsePaths(people, path);
    assert.ok(Array.isArray(paths));
    const input = { schema: people, paths, fields: undefined, texts: expansionTexts(people) };
    const expansion = await Expansion.of(input, referring, [all[0]!]);
    const { json, truncated } = await expansion.inlined(all[0]!);
    let depth = 0;
    type Person = { readonly knows: readonly (string | Person)[] };
    const inner = ({ knows }: Person) => knows.find((one) => typeof one === 'object');
    for (let at = inner(JSON.parse(json)); at; at = inner(at)) depth += 1;
    assert.equal(depth, 8);
    assert.ok(json.length < 1.5 * EXPANSION_LIMITS.characters);
    assert.ok(truncated.length > 0);
  }
});

test('of many long referrers, those that are included are kept and no others', async () => {
  const record = (className: string, record: object) =>
    recordText(schema, { className, record: record as JsonObject });
  const hub = record('Organization', { pid: 'labid:hub', name: 'hub' });
  const description = 'x'.repeat(100_000);
  const referring = Array.from({ length: 300 }, (_, n) => `labid:o${String(n).padStart(3, '0')}`);
  let most = 0;
  const long: ReferenceSource = {
    async records(iris) {
      const read = iris.map((iri) => {
        const pid = schema.compact(iri);
        return record('Organization', { pid, name: pid, part_of: 'labid:hub', description });
      });
      most = Math.max(most, read.length);
      return read;
    },
    referrers: async () => {
      const iris = new Set(referring.map((pid) => schema.expand(pid)!));
      return new Map([[hub.iri, { iris, isComplete: true }]]);
    },
  };
  const paths = parsePaths(schema, '^part_of');
  assert.ok(Array.isArray(paths));
  const limits = { ...EXPANSION_LIMITS, characters: 1_000_000 };
  const input = { schema, paths, fields: undefined, texts: expansionTexts(schema) };
  const expansion = await Expansion.of(input, long, [hub], limits);
  const { json, truncated } = await expansion.inlined(hub);
  const found = JSON.parse(json)['^part_of'] as readonly (string | { readonly pid: string })[];
  assert.deepEqual(
    found.map((one) => (typeof one === 'string' ? one : one.pid)),
    referring,
  );
  assert.equal(found.filter((one) => typeof one === 'object').length, 9);
  assert.deepEqual(truncated, [{ pid: 'labid:hub', expand: '^part_of' }]);
  assert.ok(most <= 32, `${most} were read together`);
});

test('records that refer to many others are read up to a limit, and steps back that were not followed to their end are listed', async () => {
  const hubs = chain.slice(0, 5);
  const person = (n: number) => `labid:p${n}`;
  let read = 0;
  const popular: ReferenceSource = {
    async records(iris) {
      read += iris.length;
      return iris.map((iri) =>
        recordText(schema, {
          className: 'Person',
          record: {
            pid: schema.compact(iri),
            name: 'p',
            family_name: 'p',
            affiliations: hubs.map(({ pid }) => pid),
          },
        }),
      );
    },
    referrers: async ([first = '']) => {
      const iris = new Set(Array.from({ length: 10 }, (_, n) => schema.expand(person(n))!));
      return new Map([[first, { iris, isComplete: first !== hubs[1]!.iri }]]);
    },
  };
  const paths = parsePaths(schema, '^affiliations(Organization)');
  assert.ok(Array.isArray(paths));
  const input = { schema, paths, fields: ['name'], texts: expansionTexts(schema) };
  const limits = { ...EXPANSION_LIMITS, referring: 25 };
  const expansion = await Expansion.of(input, popular, hubs, limits);
  // The class of the step has none of those that were read.
  const cut = ['labid:o1', 'labid:o3', 'labid:o4'].map((pid) => ({
    pid,
    expand: '^affiliations(Organization)',
  }));
  assert.deepEqual(expansion.truncated, cut);
  assert.ok(read <= 30, String(read));
  const inlined = await Promise.all(hubs.map((hub) => expansion.inlined(hub)));
  assert.deepEqual(
    inlined.flatMap(({ truncated }) => truncated),
    cut,
  );
  assert.deepEqual(JSON.parse(inlined[3]!.json)['^affiliations(Organization)'], []);
});
