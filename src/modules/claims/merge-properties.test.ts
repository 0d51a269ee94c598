/** What every merge has to satisfy, on records made up from the schema. Runs by `ACCESSION_PROPERTY_RUNS`. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { arbitraryRecord } from '#linkml-test/arbitrary-record.ts';
import { propertyRuns } from '../../../test/support/tier.ts';
import { openSchema, type Schema } from '../../core/schema/schema.ts';
import { type Claim, type ClaimNode, claimOf, type ObjectNode } from './claim.ts';
import { claimDifferences } from './differences.ts';
import { mergeRecords, type Side, type Take } from './merge.ts';

const RUNS = propertyRuns(20, 60);

const schemas = [
  await openSchema(join(import.meta.dirname, '../../../test/support/values.schema.yaml')),
  await openSchema(join(import.meta.dirname, '../../../examples/laboratory/schema.yaml')),
];
const worlds = schemas.flatMap((schema, index) =>
  schema.recordClasses
    .filter((name) => name !== 'Thing' && !schema.classes.get(name)!.abstract)
    .map((className) => ({ index, className })),
);

type Statement = { className: string; record: JsonObject };
/** `schema` is an index, so that a counterexample can be printed. */
type World = { schema: number; base: Statement; curated: Statement; submitted: Statement };

/**
 * Three records with one pid. Independent records have little in common, so each side is the base with values of another
 * record mixed in, at any depth.
 */
const world: fc.Arbitrary<World> = fc.constantFrom(...worlds).chain(({ index, className }) => {
  const schema = schemas[index]!;
  const related = worlds.filter((one) => one.index === index).map((one) => one.className);
  return fc
    .tuple(
      arbitraryRecord(schema, className),
      arbitraryRecord(schema, className),
      fc
        .constantFrom(className, className, className, ...related)
        .chain((other) => arbitraryRecord(schema, other).map((record) => ({ className: other, record }))),
      fc.infiniteStream(fc.nat(5)),
    )
    .map(([base, left, right, dice]) => {
      const roll = () => dice.next().value as number;
      const of = (name: string, record: JsonValue) => ({
        className: name,
        record: {
          ...withinClass(schema, name, record as JsonObject),
          pid: 'ex:p',
          schema_type: schema.schemaType(name),
        },
      });
      return {
        schema: index,
        base: of(className, base),
        curated: of(className, mixed(base, left, roll)),
        submitted: of(right.className, mixed(base, right.record, roll)),
      };
    });
});

/** The slots that a class has. */
function withinClass(schema: Schema, className: string, record: JsonObject): JsonObject {
  const { slots } = schema.classes.get(className)!;
  return Object.fromEntries(Object.entries(record).filter(([name]) => slots.has(name)));
}

function mixed(base: JsonValue, other: JsonValue, roll: () => number): JsonValue {
  if (isJsonObject(base) && isJsonObject(other)) {
    const keys = [...new Set([...Object.keys(base), ...Object.keys(other)])];
    const entries = keys.map((key) => [key, mixed(base[key] ?? null, other[key] ?? null, roll)] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== null));
  }
  if (Array.isArray(base) && Array.isArray(other)) {
    const kept = base.filter(() => roll() > 1);
    return [...kept, ...other.filter(() => roll() > 3)];
  }
  return roll() > 1 ? base : other;
}

function claims({ schema: index, base, curated, submitted }: World) {
  const schema = schemas[index]!;
  return {
    base: claimOf(schema, base),
    curated: claimOf(schema, curated),
    submitted: claimOf(schema, submitted),
  };
}

/** The claim of the merged record, with conflicts decided if there is a choice for them. */
function merged(
  { schema: index }: World,
  sides: { base: Claim | null | undefined; curated: Claim; submitted: Claim },
  choose?: Side,
): Claim | string[] {
  const open = claimDifferences(sides).filter(({ conflict }) => conflict);
  const take: Take = choose ? Object.fromEntries(open.map(({ path }) => [path, choose])) : {};
  const schema = schemas[index]!;
  const merge = mergeRecords(schema, sides, take);
  if (merge.kind === 'conflicts') return merge.differences.map(({ path }) => path).sort();
  assert.ok(merge.kind === 'merged' && merge.result);
  return claimOf(schema, merge.result);
}

function holds(name: string, predicate: (one: World) => void): void {
  test(name, () => fc.assert(fc.property(world, predicate), { numRuns: RUNS }));
}

holds('Merging what the submitter alone changed makes the submitted claim', (one) => {
  const { base, submitted } = claims(one);
  assert.deepEqual(merged(one, { base, curated: base, submitted }), submittedAs(one, base, submitted));
});

/** By digest: spelling and order are those of the curated record. */
function submittedAs(one: World, base: Claim, submitted: Claim): Claim | string[] {
  const result = merged(one, { base, curated: base, submitted });
  assert.ok(!Array.isArray(result), 'no conflict');
  assert.equal(result.digest, submitted.digest);
  return result;
}

holds('Merging a submission that changed nothing leaves the curated record as it is', (one) => {
  const { base, curated } = claims(one);
  const merge = mergeRecords(schemas[one.schema]!, { base, curated, submitted: base });
  assert.ok(merge.kind === 'merged');
  assert.deepEqual(merge.result?.record, one.curated.record);
});

holds('Swapping the sides changes nothing but names', (one) => {
  const { base, curated, submitted } = claims(one);
  for (const known of [base, null, undefined]) {
    const there = merged(one, { base: known, curated, submitted });
    const back = merged(one, { base: known, curated: submitted, submitted: curated });
    assert.deepEqual(Array.isArray(there) ? there : there.digest, Array.isArray(back) ? back : back.digest);
    const paths = (sides: Parameters<typeof claimDifferences>[0]) =>
      claimDifferences(sides)
        .map(({ path, conflict }) => `${path} ${conflict}`)
        .sort();
    assert.deepEqual(
      paths({ base: known, curated, submitted }),
      paths({ base: known, curated: submitted, submitted: curated }),
    );
  }
});

holds('No change that one side alone made is lost', (one) => {
  const { base, curated, submitted } = claims(one);
  for (const choose of ['curated', 'submitted', 'base'] as const) {
    const result = merged(one, { base, curated, submitted }, choose);
    assert.ok(!Array.isArray(result));
    if (!isWithinClass(one, result)) continue;
    for (const name of allSlots([base, curated, submitted])) {
      const slotOf = ({ root }: Claim): ClaimNode | undefined => root.slots.get(name);
      const b: ClaimNode | undefined = slotOf(base);
      const c: ClaimNode | undefined = slotOf(curated);
      const s: ClaimNode | undefined = slotOf(submitted);
      const r: ClaimNode | undefined = slotOf(result);
      if (b?.text === c?.text) assert.equal(r?.text, s?.text, `${name}: the submitter's change`);
      else if (b?.text === s?.text) assert.equal(r?.text, c?.text, `${name}: the curator's change`);
      else if (b?.kind === 'set' && c?.kind === 'set' && s?.kind === 'set' && r?.kind === 'set') {
        const open = claimDifferences({ base, curated, submitted }).some(
          ({ path, conflict }) => conflict && path === `/${name}`,
        );
        if (open) continue;
        for (const member of new Set([...c.members.keys(), ...s.members.keys()]))
          if (member.startsWith('#'))
            assert.equal(
              r.members.has(member),
              b.members.has(member) ? c.members.has(member) && s.members.has(member) : true,
              `${name}: ${member}`,
            );
      }
    }
  }
});

holds('No value of a merged record is invented', (one) => {
  const { base, curated, submitted } = claims(one);
  const known = new Set([base, curated, submitted].flatMap(({ root }) => [...leaves(root)]));
  for (const choose of ['curated', 'submitted', 'base'] as const) {
    const result = merged(one, { base, curated, submitted }, choose);
    assert.ok(!Array.isArray(result));
    if (!isWithinClass(one, result)) continue;
    for (const text of leaves(result.root)) assert.ok(known.has(text), text);
  }
});

holds('Digests are equal if and only if there are no differences', (one) => {
  const { base, curated, submitted } = claims(one);
  for (const known of [base, null, undefined]) {
    const found = claimDifferences({ base: known, curated, submitted });
    assert.equal(curated.digest === submitted.digest, found.length === 0);
    assert.deepEqual(claimDifferences({ base: known, curated, submitted: curated }), []);
  }
});

test('Another spelling or order makes the same claim', () => {
  const reordered = world.chain(({ schema, curated }) =>
    fc.infiniteStream(fc.nat()).map((dice) => ({ index: schema, curated, dice })),
  );
  fc.assert(
    fc.property(reordered, ({ index, curated, dice }) => {
      const schema = schemas[index]!;
      const { root } = claimOf(schema, curated);
      const record = respelled(schema, root, () => dice.next().value as number);
      const again = claimOf(schema, { className: curated.className, record });
      assert.equal(again.digest, claimOf(schema, curated).digest);
    }),
    { numRuns: RUNS },
  );
});

/** The record with its sets in another order, repeated values, and IRIs spelled out. */
function respelled(schema: Schema, root: ObjectNode, roll: () => number): JsonObject {
  const result: JsonObject = { ...root.json };
  for (const [name, node] of root.slots) {
    if (node.kind === 'leaf' && typeof node.json === 'string' && isIriText(schema, node))
      result[name] = JSON.parse(node.text) as string;
    if (node.kind !== 'set' || !Array.isArray(node.json)) continue;
    const values = [...node.members.values()].map((member) => member.node.json);
    const shuffled = values.map((value) => ({ value, at: roll() })).sort((a, b) => a.at - b.at);
    const isPlain = [...node.members.keys()].every((key) => key.startsWith('#'));
    result[name] = [...shuffled.map(({ value }) => value), ...(isPlain ? values.slice(0, 1) : [])];
  }
  return result;
}

function isIriText(schema: Schema, node: ClaimNode): boolean {
  return node.text === JSON.stringify(schema.expand(String(node.json)));
}

/** A merge by name may leave slots that the class of one side does not have: such a record is refused, and says nothing. */
function isWithinClass({ schema }: World, { root }: Claim): boolean {
  const { slots } = schemas[schema]!.classes.get(root.className)!;
  return [...root.slots.keys()].every((name) => slots.has(name));
}

function allSlots(sides: readonly Claim[]): Set<string> {
  return new Set(sides.flatMap(({ root }) => [...root.slots.keys()]));
}

/** The normal forms of all values of a claim; objects without identity are values, too. */
function* leaves(node: ClaimNode): Iterable<string> {
  if (node.kind === 'leaf') yield node.text;
  else if (node.kind === 'object') for (const slot of node.slots.values()) yield* leaves(slot);
  else for (const { node: member } of node.members.values()) yield* leaves(member);
}
