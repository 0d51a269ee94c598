/**
 * Checks of objects: which slots they have, which they need, and what holds between them.
 */
import { compareCodePoints, isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ClassDefinition } from './model.ts';
import {
  attempt,
  DEEPEST,
  either,
  inside,
  isFull,
  type Place,
  put,
  type Run,
  report,
  shown,
  slotOf,
  type ValueCheck,
  type Verdict,
} from './report.ts';
import { compileRules, type ObjectTest } from './rules.ts';
import { compileSlot } from './slots.ts';
import { nearest } from './suggestions.ts';
import type { ValueContext } from './values.ts';

/** Compiles the check of an object of exactly one class. */
export function compileObject(definition: ClassDefinition, context: ValueContext): ValueCheck {
  const checks = new Map<string, ValueCheck>();
  for (const slot of definition.slots.values())
    if (slot !== definition.typeDesignator) checks.set(slot.name, compileSlot(slot, context));
  const { typeDesignator } = definition;
  if (typeDesignator) checks.set(typeDesignator.name, designationCheck(definition));
  const expected = [...definition.slots.values()].filter(
    (slot) =>
      slot.required ||
      slot.default !== undefined ||
      slot.designatesType ||
      slot.constraints.valuePresence === 'PRESENT',
  );
  const between: ObjectTest | undefined = compileRules(definition, context);

  return (given, at, run) => {
    if (!isJsonObject(given))
      return report(
        run,
        'object_type',
        at,
        `${slotOf(at)}: found ${shown(given)}, expected an object of class ${definition.name}.`,
        given,
      );
    if (at.depth > DEEPEST)
      return report(run, 'too_deep', at, `${slotOf(at)}: nested deeper than ${DEEPEST} levels.`);
    const result: JsonObject = {};
    let complete = true;
    /** Whether every value that is given was taken: what is missing is missing then, and rules can be judged. */
    let taken = true;
    for (const key of Object.keys(given)) {
      if (!complete && isFull(run)) return undefined;
      const check = checks.get(key);
      const value = given[key] as JsonValue;
      if (check === undefined) {
        complete = refuseSlot(key, definition, at, run);
        continue;
      }
      if (value === null) {
        if (!refuseNull(key, definition, at, run)) complete = false;
        continue;
      }
      const canonical = check(value, inside(at, key), run);
      if (canonical === undefined) {
        complete = false;
        taken = false;
      } else put(result, key, canonical);
    }
    for (const slot of expected) {
      if (Object.hasOwn(given, slot.name)) continue;
      if (slot.designatesType) put(result, slot.name, definition.designation!);
      else if (slot.default !== undefined) put(result, slot.name, copyOf(slot.default));
      else complete = refuseMissing(slot.name, definition, at, run);
    }
    if (between && taken && !between(result, at, run)) complete = false;
    return complete ? sortKeys(result) : undefined;
  };
}

/** A default is shared by all records; a list must not be. */
function copyOf(value: JsonValue): JsonValue {
  return Array.isArray(value) ? [...value] : value;
}

function refuseSlot(key: string, definition: ClassDefinition, at: Place, run: Run): false {
  if (isFull(run)) return false;
  const guess = nearest(key, definition.slots.keys());
  const hint = guess === undefined ? '' : ` Is ${guess} meant?`;
  const name = key.length > 100 ? `${key.slice(0, 100)}…` : key;
  report(
    run,
    'extra_forbidden',
    inside(at, key),
    `${name}: the class ${definition.name} has no slot of this name.${hint}`,
  );
  return false;
}

/** An explicit null is no value: fine, and no default is filled in, unless a value is needed. */
function refuseNull(key: string, definition: ClassDefinition, at: Place, run: Run): boolean {
  const slot = definition.slots.get(key)!;
  if (!slot.required && !slot.designatesType && slot.constraints.valuePresence !== 'PRESENT') return true;
  const expected = slot.designatesType
    ? JSON.stringify(definition.designation)
    : 'a value, since the slot is required';
  report(
    run,
    slot.designatesType ? 'literal_error' : 'missing',
    inside(at, key),
    `${key}: found null, expected ${expected}.`,
    null,
  );
  return false;
}

function refuseMissing(name: string, definition: ClassDefinition, at: Place, run: Run): false {
  report(
    run,
    'missing',
    inside(at, name),
    `${name}: found nothing, expected a value, since the slot is required in the class ${definition.name}.`,
  );
  return false;
}

function designationCheck(definition: ClassDefinition): ValueCheck {
  return (value, at, run) => {
    if (value === definition.designation) return value;
    const expected = JSON.stringify(definition.designation);
    return report(
      run,
      'literal_error',
      at,
      `${slotOf(at)}: found ${shown(value)}, expected ${expected}, the type of the class ${definition.name}.`,
      value,
    );
  };
}

function sortKeys(object: JsonObject): JsonObject {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++)
    if (compareCodePoints(keys[i - 1]!, keys[i]!) > 0) return inOrder(object, keys.sort(compareCodePoints));
  return object;
}

function inOrder(object: JsonObject, keys: readonly string[]): JsonObject {
  const sorted: JsonObject = {};
  for (const key of keys) put(sorted, key, object[key] as JsonValue);
  return sorted;
}

/**
 * The check of an object that stands where one of several classes is expected: a class with a type designator, and all
 * below it. Told its type, an object is of that class. Untold, it is of the first class that takes it.
 */
export function compilePolymorphic(
  classes: readonly ClassDefinition[],
  check: (className: string) => ValueCheck,
): ValueCheck {
  const [first] = classes;
  const designator = first!.typeDesignator!.name;
  const byDesignation = new Map<string, ClassDefinition[]>();
  for (const definition of classes) {
    const same = byDesignation.get(definition.designation!);
    if (same) same.push(definition);
    else byDesignation.set(definition.designation!, [definition]);
  }
  return (given, at, run) => {
    if (!isJsonObject(given))
      return report(
        run,
        'object_type',
        at,
        `${slotOf(at)}: found ${shown(given)}, expected an object of class ${first!.name}.`,
        given,
      );
    if (at.depth > DEEPEST)
      return report(run, 'too_deep', at, `${slotOf(at)}: nested deeper than ${DEEPEST} levels.`);
    const told = Object.hasOwn(given, designator) ? (given[designator] as JsonValue) : undefined;
    if (told === undefined) return firstThatTakes(classes, check, given, at, run);
    const named = typeof told === 'string' ? byDesignation.get(told) : undefined;
    if (named)
      return named.length === 1
        ? check(named[0]!.name)(given, at, run)
        : firstThatTakes(named, check, given, at, run);
    return refuseDesignation(told, [...byDesignation.keys()], inside(at, designator), run);
  };
}

function refuseDesignation(told: JsonValue, known: readonly string[], at: Place, run: Run): undefined {
  const guess = typeof told === 'string' ? nearest(told, known) : undefined;
  const hint = guess === undefined ? '' : ` Is ${guess} meant?`;
  return report(
    run,
    'literal_error',
    at,
    `${slotOf(at)}: found ${shown(told)}, expected ${either(known.map((name) => JSON.stringify(name)))}.${hint}`,
    told,
  );
}

function firstThatTakes(
  classes: readonly ClassDefinition[],
  check: (className: string) => ValueCheck,
  given: JsonObject,
  at: Place,
  run: Run,
): JsonValue | undefined {
  const ranked = classes.map((definition) => ({ definition, misfits: misfits(definition, given) }));
  const likely = ranked.filter(({ misfits }) => misfits === 0);
  const candidates =
    likely.length > 0 ? likely : [ranked.reduce((best, one) => (one.misfits < best.misfits ? one : best))];
  if (candidates.length === 1) return check(candidates[0]!.definition.name)(given, at, run);
  let complaint: readonly Verdict['problems'][number][] | undefined;
  for (const { definition } of candidates) {
    const verdict = verdictOf(definition.name, check, given, at, run);
    if (verdict.value !== undefined) return verdict.value;
    if (!complaint || verdict.problems.length < complaint.length) complaint = verdict.problems;
  }
  run.problems.push(...complaint!);
  return undefined;
}

/** How many keys of an object a class does not know, and how many slots that it needs are missing. */
function misfits(definition: ClassDefinition, given: JsonObject): number {
  let count = 0;
  for (const key of Object.keys(given)) if (!definition.slots.has(key)) count++;
  for (const slot of definition.slots.values())
    if (
      slot.required &&
      slot.default === undefined &&
      !slot.designatesType &&
      !Object.hasOwn(given, slot.name)
    )
      count++;
  return count;
}

/** What a class says of an object, remembered: without it nested objects of untold type would cost exponential time. */
function verdictOf(
  className: string,
  check: (className: string) => ValueCheck,
  given: JsonObject,
  at: Place,
  run: Run,
): Verdict {
  const verdicts = run.verdicts.get(given) ?? new Map<string, Verdict>();
  run.verdicts.set(given, verdicts);
  const before = verdicts.get(className);
  if (before) return before;
  const { result, problems } = attempt(run, () => check(className)(given, at, run));
  const verdict = { value: result, problems };
  verdicts.set(className, verdict);
  return verdict;
}
