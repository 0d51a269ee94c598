/** Suggestions: the same ones as a comparison of everything with everything finds, at a bounded cost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openElements } from '../test/open-schema.ts';
import { type LinkmlSchema, openLinkml } from './linkml.ts';
import { candidatesIn, didYouMean, editDistance, noSuggestions, suggestionBudget } from './suggestions.ts';
import { SnapshotBuilder } from './vocabularies/build-snapshot.ts';
import { openSnapshot } from './vocabularies/snapshot.ts';

/** Insertions, deletions, replacements and swaps of neighbors, by the whole matrix. */
function wholeDistance(a: string, b: string): number {
  const cells = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const replaced = cells[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? cells[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY;
      cells[i]![j] = Math.min(cells[i - 1]![j]! + 1, cells[i]![j - 1]! + 1, replaced, swapped);
    }
  return cells[a.length]![b.length]!;
}

test('a distance below the limit is that of the whole matrix', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 14 });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 1, max: 8 }), (a, b, limit) => {
      assert.equal(editDistance(a, b, limit, suggestionBudget()), Math.min(wholeDistance(a, b), limit));
    }),
    { numRuns: 5000 },
  );
});

/** A value of an enum: letters that are the same for no two of them. */
function lettersOf(number: number, length: number): string {
  let text = '';
  for (let seed = number + 1; text.length < length; seed = (seed * 1103515245 + 12345) % 2147483648)
    text += seed.toString(36);
  return text.slice(0, length);
}

function misspelled(value: string): string {
  return `${value.slice(0, -4)}${[...value.slice(-4)].reverse().join('')}Q`;
}

async function enumOf(count: number, length: number): Promise<{ schema: LinkmlSchema; values: string[] }> {
  const values = Array.from({ length: count }, (_, number) => lettersOf(number, length));
  const schema = await openElements(`
enums: {E: {permissible_values: {${values.map((value) => `${value}: `).join(', ')}}}}
classes: {Thing: {attributes: {pid: {identifier: true, range: uriorcurie}, es: {range: E, multivalued: true}}}}
`);
  return { schema, values };
}

function problemsOf(
  schema: LinkmlSchema,
  es: unknown,
  suggestions = suggestionBudget(),
): readonly { msg: string }[] {
  const checked = schema.check('Thing', { pid: 'ex:1', es }, { suggestions });
  return checked.valid ? [] : checked.problems;
}

const hasHint = ({ msg }: { readonly msg: string }): boolean => msg.includes('Did you mean');

test('a record gets suggestions for ten of its wrong values, and the records of a request for fifty', async () => {
  const { schema, values } = await enumOf(250, 60);
  const wrong = values.slice(0, 100).map(misspelled);
  const ofRecord = problemsOf(schema, wrong);
  assert.equal(ofRecord.length, 100);
  assert.equal(ofRecord.filter(hasHint).length, 10);
  assert.ok(ofRecord[9]!.msg.endsWith(` Did you mean "${values[9]}"?`), ofRecord[9]!.msg);
  const ofRequest = suggestionBudget();
  const all = Array.from({ length: 7 }, () => problemsOf(schema, wrong, ofRequest)).flat();
  assert.equal(all.filter(hasHint).length, 50);
});

for (const [count, length] of [
  [250, 20],
  [250, 60],
  [1000, 40],
  [1000, 100],
] as const)
  test(`200 wrong values of ${count} with ${length} characters compare at most a million letters`, async () => {
    const { schema, values } = await enumOf(count, length);
    const wrong = Array.from({ length: 200 }, (_, at) => misspelled(values[at % count]!).slice(0, 100));
    const budget = suggestionBudget();
    const { letters } = budget;
    problemsOf(schema, ['red'], budget);
    const before = process.cpuUsage();
    assert.equal(problemsOf(schema, wrong, budget).length, 200);
    const { user, system } = process.cpuUsage(before);
    // Half a second and more by a whole matrix; some milliseconds else.
    assert.ok(user + system < 250_000, `${user + system} µs`);
    assert.ok(letters - budget.letters <= 1_100_000, `${letters - budget.letters} letters`);
  });

test('nothing is suggested for a long value, or from more than 1,000 values', async () => {
  const { schema, values } = await enumOf(5000, 90);
  const budget = suggestionBudget();
  assert.equal(problemsOf(schema, [misspelled(values[0]!)], budget).filter(hasHint).length, 0);
  assert.equal(budget.letters, suggestionBudget().letters);
  const small = await enumOf(10, 90);
  const long = `${small.values[0]}${'x'.repeat(11)}`;
  assert.equal(problemsOf(small.schema, [long]).filter(hasHint).length, 0);
});

test('a branch that is not taken spends no suggestion', async () => {
  const schema = await openElements(`
enums: {E: {permissible_values: {${Array.from({ length: 20 }, (_, at) => `colour${at}: `).join(', ')}}}}
classes:
  Thing:
    attributes:
      pid: {identifier: true, range: uriorcurie}
      es: {range: string, multivalued: true, any_of: [{range: E}, {pattern: '^kolour'}]}
      one: {range: E}
`);
  const es = Array.from({ length: 60 }, (_, at) => `kolour${at}`);
  const checked = schema.check('Thing', { pid: 'ex:1', es, one: 'kolour3' });
  const problems = checked.valid ? [] : checked.problems;
  assert.deepEqual(problems.map(hasHint), [true]);
});

test('a value of many words is not a misspelled term, and terms of a request have one budget', async () => {
  const builder = new SnapshotBuilder();
  for (let at = 0; at < 20_000; at++)
    builder.add({
      id: `https://example.org/ns/${at}`,
      label: `49${at.toString(36)} 49${lettersOf(at, 8)}`,
      synonyms: [],
    });
  const terms = { words: openSnapshot(await builder.finish({ iris: [], source: '', format: '' })) };
  const schema = await openLinkml(
    `
id: https://example.org/s
name: s
prefixes: {linkml: https://w3id.org/linkml/, ex: https://example.org/ns/}
default_prefix: ex
default_range: string
imports: [linkml:types]
enums: {E: {pv_formula: LABEL, reachable_from: {source_ontology: ex:words}}}
classes: {Thing: {attributes: {pid: {identifier: true}, es: {range: E, multivalued: true}}}}
`,
    { terms },
  );
  const check = (es: string[], suggestions = suggestionBudget()) =>
    schema.check('Thing', { pid: 'ex:1', es }, { suggestions });
  const budget = suggestionBudget();
  check([Array.from({ length: 12_000 }, (_, at) => `49q${at}z`).join(' ')], budget);
  assert.equal(budget.letters, suggestionBudget().letters);
  const wrong = Array.from({ length: 200 }, (_, at) => `49q${at}z 49z${at}q`);
  const before = process.cpuUsage();
  for (let record = 0; record < 100; record++) check(wrong, budget);
  const { user, system } = process.cpuUsage(before);
  const spent = suggestionBudget().letters - budget.letters;
  assert.ok(spent > 200_000 && spent <= 10_200_000, `${spent} letters`);
  // Ten milliseconds a word without an end; half a second for the whole budget.
  assert.ok(user + system < 3_000_000, `${user + system} µs`);
});

test('a budget that is used up lists no candidates', () => {
  let listed = 0;
  const names = candidatesIn(() => {
    listed += 1;
    return ['Person'];
  });
  assert.equal(didYouMean('Persn', names, undefined, noSuggestions()), '');
  assert.equal(listed, 0);
});
