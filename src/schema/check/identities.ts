/**
 * One identifier stands for one object: two different objects with one identifier could not be distinguished in
 * Turtle, where both are one subject.
 */
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { inside, pathOf, type RecordPath, ROOT, type Run, reportProblem, shownValue } from './report.ts';

type FoundObject = { readonly object: JsonObject; readonly at: RecordPath; text?: string };

/** Whether no two objects of a record that has been checked share an identifier and differ. */
export function identitiesDiffer(record: JsonValue, run: Run): boolean {
  // Nearly all records have one object with an identifier: themselves.
  if (run.identified.size < 2 || run.anyIdentifiers) return true;
  const first = new Map<string, FoundObject>();
  const problems = run.problems.length;
  walk(record, ROOT, first, run);
  return run.problems.length === problems;
}

function walk(value: JsonValue, at: RecordPath, first: Map<string, FoundObject>, run: Run): void {
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) walk(member, inside(at, index), first, run);
    return;
  }
  if (!isJsonObject(value)) return;
  const identity = run.identified.get(value);
  if (identity !== undefined) compare(identity, { object: value, at }, first, run);
  for (const key of Object.keys(value)) walk(value[key]!, inside(at, key), first, run);
}

function compare(
  { slot, iri }: Identity,
  found: FoundObject,
  first: Map<string, FoundObject>,
  run: Run,
): void {
  const before = first.get(iri);
  if (!before) {
    first.set(iri, found);
    return;
  }
  before.text ??= canonicalJson(before.object);
  if (before.text === canonicalJson(found.object)) return;
  const identifier = found.object[slot]!;
  const other = pathOf(before.at).join('.') || 'the record itself';
  reportProblem(
    run,
    'identifier_repeated',
    inside(found.at, slot),
    `${slot}: found ${shownValue(identifier)}, which is also the identifier of a different object (${other}); expected one object for each identifier.`,
    identifier,
  );
}

/** The identifier of an object: its slot, and what it resolves to. */
export type Identity = { readonly slot: string; readonly iri: string };
