/**
 * One identifier stands for one object: two different objects with one identifier could not be distinguished in
 * Turtle, where both are one subject.
 */
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { inside, type Place, pathOf, ROOT, type Run, report, shown } from './report.ts';

type Found = { readonly object: JsonObject; readonly at: Place; text?: string };

/** Whether no two objects of a record that has been checked share an identifier and differ. */
export function identitiesDiffer(record: JsonValue, run: Run): boolean {
  // Nearly all records have one object with an identifier: themselves.
  if (run.identified.size < 2 || run.anyIdentifiers) return true;
  const first = new Map<string, Found>();
  const problems = run.problems.length;
  walk(record, ROOT, first, run);
  return run.problems.length === problems;
}

function walk(value: JsonValue, at: Place, first: Map<string, Found>, run: Run): void {
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) walk(member, inside(at, index), first, run);
    return;
  }
  if (!isJsonObject(value)) return;
  const identity = run.identified.get(value);
  if (identity !== undefined) compare(identity, { object: value, at }, first, run);
  for (const key of Object.keys(value)) walk(value[key]!, inside(at, key), first, run);
}

function compare({ slot, iri }: Identity, found: Found, first: Map<string, Found>, run: Run): void {
  const before = first.get(iri);
  if (!before) {
    first.set(iri, found);
    return;
  }
  before.text ??= canonicalJson(before.object);
  if (before.text === canonicalJson(found.object)) return;
  const identifier = found.object[slot]!;
  const other = pathOf(before.at).join('.') || 'the record itself';
  report(
    run,
    'identifier_repeated',
    inside(found.at, slot),
    `${slot}: found ${shown(identifier)}, which is also the identifier of a different object (${other}); expected one object for each identifier.`,
    identifier,
  );
}

/** The identifier of an object: its slot, and what it resolves to. */
export type Identity = { readonly slot: string; readonly iri: string };
