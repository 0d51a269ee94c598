/**
 * Runs a conformance corpus: `npm run conformance -- <corpus> [--verbose] [schema …]`.
 *
 * One line a schema. Cases that the corpus marks `lenient` (the reference accepts what the schema forbids), and those
 * where the reference's validate and store endpoints disagree, are counted apart. The last line is
 * `N passed, N failed`; exit status 1 when any failed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type JsonObject, JsonSyntaxError, type JsonValue, parseJson } from '#linkml/json.ts';
import { extractInlined } from '../src/core/records/inlined.ts';
import { openSchema, type Schema } from '../src/core/schema/schema.ts';
import { judgeGraph, readTurtleCase } from './conformance-turtle.ts';
import { sameValue } from './conformance-values.ts';

/**
 * Cases that the reference refuses and the engine accepts by decision, or the other way round: the short forms of
 * mappings that LinkML documents, blank nodes as node identifiers, one identifier for two different objects, and one string in two
 * languages, which is one value here. They are counted as lenient.
 */
const DECIDED = new Set([
  ...['00', '03', '07', '11', '12', '15'].map((number) => `inline/entries.${number}.json`),
  ...['01', '03', '17'].map((number) => `inline/pairs.${number}.json`),
  ...['00', '03', '04', '05'].map((number) => `inline/parts_dict.${number}.json`),
  'inline/parts_dict_explicit.00.json',
  'inline/parts_dict_explicit.03.json',
  'inline/spec.post.json',
  'inline/node.child-self.json',
  'things-v1/relations.no-pid.json',
  'types/t_nodeidentifier.02.json',
  'types/ttl.m_string.02.json',
]);

/** A case that failed: its name, and why in a few words. `skipped` counts neither way. */
type Verdict = { readonly ok: boolean; readonly why: string; readonly skipped?: boolean };

const args = process.argv.slice(2);
const verbose = args.includes('--verbose');
const [corpus, ...only] = args.filter((argument) => !argument.startsWith('--'));
if (corpus === undefined) {
  console.error('usage: npm run conformance -- <corpus> [--verbose] [schema …]');
  process.exit(2);
}

let passed = 0;
let failed = 0;
for (const name of readdirSync(join(corpus, 'cases')).sort())
  if (only.length === 0 || only.includes(name)) await runSchema(corpus, name);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** What was judged, the verdict, and whether it is counted apart. */
type Result = readonly [what: string, verdict: Verdict, apart: boolean];

async function runSchema(root: string, name: string): Promise<void> {
  const counts: Record<string, number> = {};
  for (const [what, verdict, apart] of await judgeSchema(root, name)) {
    const kind = kindOf(verdict, apart);
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (kind === 'FAILED') console.log(`  ${name}/${what}: ${verdict.why}`);
    else if (verbose && apart) console.log(`  apart: ${name}/${what}: ${verdict.ok ? 'same' : verdict.why}`);
  }
  passed += counts.passed ?? 0;
  failed += counts.FAILED ?? 0;
  const summary = Object.entries(counts).map(([kind, number]) => `${number} ${kind}`);
  console.log(`${name}: ${summary.join(', ')}`);
}

async function judgeSchema(root: string, name: string): Promise<Result[]> {
  const files = readdirSync(join(root, 'cases', name)).sort();
  const schema = await openSchema(schemaAddress(root, name)).catch((error: Error) => error);
  if (schema instanceof Error) {
    const verdict = { ok: false, why: `the schema can't be opened: ${schema.message}` };
    return files.map((file) => [file, verdict, false]);
  }
  const lists: Result[] = judgeLists(root, name, schema).map(([what, verdict]) => [what, verdict, false]);
  return [
    ...lists,
    ...files.map((file) => judgeFile(join(root, 'cases', name, file), `${name}/${file}`, schema)),
  ];
}

function judgeFile(path: string, name: string, schema: Schema): Result {
  const file = basename(path);
  const one = parseJson(readFileSync(path, 'utf8')) as JsonObject;
  const expect = one.expect as JsonObject;
  const apart = one.lenient === true || expect.validate_status !== undefined || DECIDED.has(name);
  try {
    return [file, judge(one, expect, schema), apart];
  } catch (error) {
    return [file, { ok: false, why: `${error}` }, apart];
  }
}

function kindOf(verdict: Verdict, apart: boolean): string {
  if (verdict.skipped) return 'not judged';
  if (apart) return verdict.ok ? 'lenient, as the reference' : 'lenient, decided otherwise here';
  return verdict.ok ? 'passed' : 'FAILED';
}

function schemaAddress(root: string, name: string): string {
  const single = join(root, 'schemas', `${name}.yaml`);
  return existsSync(single) ? single : join(root, 'schemas', name, 'schema.yaml');
}

/** The lists of `expect/NAME.json`: classes in order, subclasses as sets, CURIEs and prefixes. */
function judgeLists(root: string, name: string, schema: Schema): [string, Verdict][] {
  const path = join(root, 'expect', `${name}.json`);
  if (!existsSync(path)) return [];
  const expected = JSON.parse(readFileSync(path, 'utf8')) as {
    classes: string[];
    subclasses: Record<string, string[]>;
    schema_type: Record<string, string>;
    prefixes: Record<string, string>;
  };
  const subclasses = Object.fromEntries(
    Object.keys(expected.subclasses).map((one) => [one, schema.descendants(one).toSorted()]),
  );
  const wanted = Object.fromEntries(
    Object.entries(expected.subclasses).map(([one, below]) => [one, below.toSorted()]),
  );
  const types = Object.fromEntries(
    Object.keys(expected.schema_type).map((one) => [one, schema.schemaType(one)]),
  );
  const prefixes = Object.fromEntries(
    Object.keys(expected.prefixes).map((prefix) => [prefix, schema.prefixes.get(prefix)]),
  );
  const equal = (a: unknown, b: unknown): Verdict => ({
    ok: JSON.stringify(a) === JSON.stringify(b),
    why: `${JSON.stringify(a)} instead of ${JSON.stringify(b)}`,
  });
  return [
    ['classes', equal(schema.recordClasses, expected.classes)],
    ['subclasses', equal(subclasses, wanted)],
    ['schema_type', equal(types, expected.schema_type)],
    ['prefixes', equal(prefixes, expected.prefixes)],
  ];
}

function judge(one: JsonObject, expect: JsonObject, schema: Schema): Verdict {
  const className = one.class as string;
  const checked = one.format === 'ttl' ? readTurtleCase(one, schema) : check(one, className, schema);
  if (checked.valid !== expect.valid)
    return {
      ok: false,
      why: checked.valid
        ? `accepted; expected: ${expect.error_hint as string}`
        : `refused: ${checked.problem}`,
    };
  if (!checked.valid) return { ok: true, why: '' };
  return judgeStored(checked.record, className, one, expect, schema);
}

function check(
  one: JsonObject,
  className: string,
  schema: Schema,
): { valid: true; record: JsonObject } | { valid: false; problem: string } {
  let input = one.input as JsonValue;
  if (one.raw === true)
    try {
      input = parseJson(one.input as string);
    } catch (error) {
      if (error instanceof JsonSyntaxError) return { valid: false, problem: error.message };
      throw error;
    }
  const checked = schema.check(className, input);
  if (checked.valid) return checked;
  return {
    valid: false,
    problem: checked.problems.map((problem) => `${problem.loc.join('.')}: ${problem.msg}`).join(' | '),
  };
}

/** The stored records, as JSON and as Turtle: one, unless the corpus lists them. */
function judgeStored(
  record: JsonObject,
  className: string,
  one: JsonObject,
  expect: JsonObject,
  schema: Schema,
): Verdict {
  const stored = extractInlined(schema, { className, record });
  const expected = (expect.stored as JsonObject[] | undefined) ?? [
    { class: className, record: expect.canonical!, ttl: expect.ttl ?? null },
  ];
  const left = [...stored];
  for (const want of expected) {
    const index = left.findIndex(
      (have) =>
        have.className === want.class &&
        sameValue(have.record, want.record as JsonValue, one.format === 'ttl'),
    );
    if (index < 0)
      return { ok: false, why: `stored ${JSON.stringify(stored)} instead of ${JSON.stringify(expected)}` };
    const [have] = left.splice(index, 1);
    const graph = have && judgeGraph(have.record, have.className, want.ttl, schema);
    if (graph && !graph.ok) return graph;
  }
  return { ok: left.length === 0, why: `stored more than expected: ${JSON.stringify(left)}` };
}
