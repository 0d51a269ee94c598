/**
 * The three-way merge of a curated and a submitted record over the base of the submission.
 *
 * Each unit takes the side that changed it; what both changed differently is a conflict, until `take` names a side. The
 * merge never invents: every value of the result is in one of the three records. Equal claims keep the curated spelling
 * and order, and additions to a set follow, in the submitter's order.
 */
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import type { CheckedRecord } from '../../core/records/record.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { classNamedIn, SCHEMA_TYPE, schemaTypeIn, withTypeOf } from '../../core/schema-type.ts';
import type { ClaimNode, ObjectNode, SetNode } from './claim.ts';
import {
  type ClaimDifference,
  claimDifferences,
  isConflict,
  type Sides,
  type Unit,
  unitsOf,
} from './differences.ts';

export type Side = 'submitted' | 'curated' | 'base';

/** Path → the side that everything at or below it takes; the longest path applies, `""` is the whole record. */
export type Take = Readonly<Record<string, Side>>;

type Merge =
  /** The merged record, not validated. `null` if the side that was taken has no record. */
  | { readonly kind: 'merged'; readonly result: CheckedRecord | null }
  /** Conflicts that `take` does not resolve. */
  | { readonly kind: 'conflicts'; readonly differences: readonly ClaimDifference[] }
  /** Paths of `take` with nothing to choose at or below them. */
  | { readonly kind: 'unknown_paths'; readonly paths: readonly string[] };

/** The most paths that a refusal names. */
const MOST_PATHS_NAMED = 100;

/** The first of the paths that `take` should not have, and how many more there are, in words. */
export function namedPaths(paths: readonly string[]): {
  readonly named: readonly string[];
  readonly more: string;
} {
  const named = paths.slice(0, MOST_PATHS_NAMED);
  return { named, more: named.length < paths.length ? ` and ${paths.length - named.length} more` : '' };
}

/** Merges three claims. Which record a conflict is decided for is up to `take`. */
export function mergeRecords(schema: Schema, sides: Sides, take: Take = {}): Merge {
  const root = unitsOf(sides);
  const units = new Map<string, Unit>();
  noteUnits(root, units);
  const unknown = Object.keys(take).filter((path) => !isChoice(units.get(path)));
  if (unknown.length > 0) return { kind: 'unknown_paths', paths: unknown };
  const open = claimDifferences(sides).filter(({ path, conflict }) => conflict && !isTaken(take, path));
  if (open.length > 0) return { kind: 'conflicts', differences: open };
  const json = resolve(root, { take, above: new Set(Object.keys(take).flatMap(pathsAbove)) }, undefined);
  if (!isJsonObject(json)) return { kind: 'merged', result: null };
  return { kind: 'merged', result: withClass(schema, json, classTaken(sides, root, take)) };
}

/** Sides to take, and the paths above them. */
type Choices = { readonly take: Take; readonly above: ReadonlySet<string> };

/** Whether a path or one above it is decided. */
function isTaken(take: Take, path: string): boolean {
  return [path, ...pathsAbove(path)].some((one) => Object.hasOwn(take, one));
}

/** The paths above a path of a unit, the nearest first. */
function pathsAbove(path: string): string[] {
  const end = path.lastIndexOf('/');
  if (end < 0) return [];
  const above = path.slice(0, end);
  return [above, ...pathsAbove(above)];
}

function noteUnits(unit: Unit, units: Map<string, Unit>): void {
  if (!units.has(unit.path)) units.set(unit.path, unit);
  for (const part of unit.parts?.values() ?? []) noteUnits(part, units);
}

/** Whether the sides of a unit differ at or below it, if only in their spelling or order. */
function isChoice(unit: Unit | undefined): boolean {
  if (!unit) return false;
  const sides = [unit.base, unit.curated, unit.submitted].map((node) => node && canonicalJson(node.json));
  return new Set(sides).size > 1;
}

function nodeOf(unit: Unit, side: Side): ClaimNode | undefined {
  return unit[side];
}

/** The value of a unit in the result; undefined if it has none. */
function resolve(unit: Unit, choices: Choices, inherited: Side | undefined): JsonValue | undefined {
  const { take, above } = choices;
  const side = Object.hasOwn(take, unit.path) ? take[unit.path] : inherited;
  if (!unit.parts || (side && !above.has(unit.path))) {
    return nodeOf(unit, side ?? changedSide(unit))?.json;
  }
  const first = side && nodeOf(unit, side);
  const frame = first ?? unit.curated ?? unit.submitted ?? unit.base;
  if (frame?.kind === 'set') return resolveSet(unit, frame, choices, side);
  return resolveObject(unit, frame as ObjectNode, choices, side);
}

/** The side that changed a unit; the curated one if none did. */
function changedSide(unit: Unit): Side {
  if (unit.curated?.text === unit.submitted?.text || isConflict(unit)) return 'curated';
  return unit.base?.text === unit.curated?.text ? 'submitted' : 'curated';
}

function resolveObject(unit: Unit, frame: ObjectNode, choices: Choices, side: Side | undefined): JsonObject {
  const result: JsonObject = { ...frame.json };
  let isFrame = true;
  for (const [name, part] of unit.parts!) {
    if (unit.path === '' && name === SCHEMA_TYPE) continue;
    const value = resolve(part, choices, side);
    if (value === frame.slots.get(name)?.json) continue;
    isFrame = false;
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return isFrame ? frame.json : result;
}

function resolveSet(
  unit: Unit,
  frame: SetNode,
  choices: Choices,
  side: Side | undefined,
): JsonValue | undefined {
  const nodes = [frame, unit.submitted, unit.curated, unit.base].filter((node) => node?.kind === 'set');
  const entries: [key: string | undefined, value: JsonValue][] = [];
  let isFrame = true;
  for (const name of new Set(nodes.flatMap((node) => [...node.members.keys()]))) {
    const value = resolve(unit.parts!.get(name)!, choices, side);
    if (value !== frame.members.get(name)?.node.json) isFrame = false;
    if (value === undefined) continue;
    const members = nodes.map((node) => node.members.get(name)).filter((member) => member !== undefined);
    // An object repeats its key, so the key has the spelling of the side that the object is from.
    const { key } = members.find(({ node }) => node.json === value) ?? members[0]!;
    entries.push([key, value]);
  }
  if (isFrame) return frame.json;
  if (entries.length === 0) return undefined;
  return Array.isArray(frame.json) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

/** The class of the result: that of the side that the slot of the class takes. */
function classTaken({ base, curated, submitted }: Sides, root: Unit, take: Take): string {
  const sides = { base, curated, submitted };
  const part = root.parts?.get(SCHEMA_TYPE);
  const whole = Object.hasOwn(take, '') ? take[''] : undefined;
  const own = part && Object.hasOwn(take, part.path) ? take[part.path] : whole;
  const side = own ?? changedSide(part ?? root);
  return (sides[side] ?? curated ?? submitted)!.root.className;
}

/** The record with its class in its type designator, if that is another one now. */
function withClass(schema: Schema, record: JsonObject, className: string): CheckedRecord {
  if (schemaTypeIn(record) === undefined || classNamedIn(schema, record) === className)
    return { className, record };
  return { className, record: withTypeOf(schema, className, record) };
}
