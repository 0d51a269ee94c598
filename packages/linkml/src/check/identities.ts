/**
 * One identifier stands for one object: two different objects with one identifier could not be distinguished in
 * Turtle, where both are one subject. Also `unique_keys`, whose values together differ.
 */

import type { Prefixes } from '../curie.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ClassDefinition, UniqueKey } from '../model.ts';
import { allDiffer } from './members.ts';
import { inside, pathOf, type RecordPath, ROOT, type Run, reportProblem, shownValue } from './report.ts';

type FoundObject = { readonly object: JsonObject; readonly at: RecordPath; text?: string };

/** Whether no two objects of a record that has been checked share an identifier and differ. */
export function identitiesDiffer(record: JsonValue, run: Run, { expandReference }: Prefixes): boolean {
  // Nearly all records have one object with an identifier: themselves.
  if (!run.identified || run.identified.size < 2) return true;
  const first = new Map<string, FoundObject>();
  const problems = run.problems.length;
  walk(record, ROOT, first, run, expandReference);
  return run.problems.length === problems;
}

function walk(
  value: JsonValue,
  at: RecordPath,
  first: Map<string, FoundObject>,
  run: Run,
  expand: Prefixes['expandReference'],
): void {
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) walk(member, inside(at, index), first, run, expand);
    return;
  }
  if (!isJsonObject(value)) return;
  const slot = run.identified?.get(value);
  const name = slot === undefined ? undefined : value[slot];
  if (slot !== undefined && typeof name === 'string')
    compare(slot, expand(name) ?? name, { object: value, at }, first, run);
  for (const key of Object.keys(value)) walk(value[key]!, inside(at, key), first, run, expand);
}

function compare(
  slot: string,
  iri: string,
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
    `found ${shownValue(identifier)}, which is also the identifier of a different object (${other}); expected one object for each identifier.`,
    identifier,
  );
}

type ObjectsTest = (objects: readonly JsonValue[], place: (index: number) => RecordPath, run: Run) => boolean;

/** The unique keys of a class, its own and inherited ones. */
export function uniqueKeyCheck(objects: ClassDefinition): ObjectsTest | undefined {
  const keys = objects.uniqueKeys;
  if (keys.length === 0) return undefined;
  return (members, place, run) => keys.map((key) => differIn(key, members, place, run)).every(Boolean);
}

function differIn(
  key: UniqueKey,
  members: readonly JsonValue[],
  place: (index: number) => RecordPath,
  run: Run,
): boolean {
  const textOf = (member: JsonValue) => (isJsonObject(member) ? valuesOf(key, member) : undefined);
  return allDiffer(members, textOf, (index) => {
    const at = inside(place(index), key.slots[0]!);
    const msg = `another object has the same ${key.slots.join(', ')}, expected different ones (unique key ${key.name}).`;
    reportProblem(run, 'unique_key', at, msg);
  });
}

/** The values as one text; undefined if they cannot be equal to others. */
function valuesOf(key: UniqueKey, member: JsonObject): string | undefined {
  const values = key.slots.map((slot) => (Object.hasOwn(member, slot) ? member[slot] : null));
  const missing = values.some((value) => value === null);
  if (missing && (key.considerNullsInequal || values.every((value) => value === null))) return undefined;
  return JSON.stringify(values);
}
