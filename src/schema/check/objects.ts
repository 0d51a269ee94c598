/**
 * Checks of objects: which slots they have, which they need, and what holds between them.
 */
import { compareCodePoints, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { designationOf, isDesignation } from '../designation.ts';
import type { ClassDefinition, SlotDefinition } from '../model.ts';
import { nearest } from '../suggestions.ts';
import { copyAny } from './any.ts';
import {
  DEEPEST,
  inside,
  isFull,
  type RecordPath,
  type Run,
  reportProblem,
  setValue,
  shownValue,
  slotOf,
  type ValueCheck,
} from './report.ts';
import { compileRules, type ObjectTest } from './rules.ts';
import { compileSlot } from './slots.ts';
import { branchCompiler, type ValueContext } from './values.ts';

/** Compiles the check of an object of exactly one class. */
export function compileObject(definition: ClassDefinition, context: ValueContext): ValueCheck {
  const checks = new Map<string, ValueCheck>();
  for (const slot of definition.slots.values())
    checks.set(slot.name, compileSlotOf(definition, slot, context));
  const identifier = definition.identifier?.name;
  const expected = [...definition.slots.values()].filter(
    (slot) =>
      slot.required ||
      slot.default !== undefined ||
      slot.designatesType ||
      slot.constraints.valuePresence === 'PRESENT',
  );
  const extra = extraCheck(definition, context);
  const between: ObjectTest | undefined = compileRules(definition, context);

  return (given, at, run) => {
    if (!isObjectFor(definition, given, at, run) || !isAffordable(at, run)) return undefined;
    const result: JsonObject = {};
    let complete = true;
    /** Whether every value that is given was taken: what is missing is missing then, and rules can be judged. */
    let taken = true;
    for (const key of Object.keys(given)) {
      if (!complete && isFull(run)) return undefined;
      const check = checks.get(key);
      const value = given[key];
      if (value === undefined) continue;
      if (check === undefined && !extra) {
        complete = refuseSlot(key, definition, at, run);
        continue;
      }
      if (value === null) {
        if (check && !refuseNull(key, definition, at, run)) complete = false;
        continue;
      }
      const canonical = (check ?? extra!)(value, inside(at, key), run);
      if (canonical === undefined) {
        complete = false;
        taken = false;
      } else setValue(result, key, canonical);
    }
    for (const slot of expected) {
      if (isGiven(given, slot.name)) continue;
      // As in Python's loaders a missing designator is filled in; JSON Schema refuses the object if it is required.
      if (slot.designatesType && !(run.strict && slot.required))
        setValue(result, slot.name, designationOf(definition));
      else if (slot.default !== undefined) setValue(result, slot.name, copyOf(slot.default));
      else complete = refuseMissing(slot.name, definition, at, run);
    }
    if (between && taken && !between(result, at, run)) complete = false;
    if (!complete) return undefined;
    const record = sortKeys(result);
    if (identifier !== undefined) noteIdentity(record, identifier, context, run);
    return record;
  };
}

/** Compiles the check of a slot's value in an object of exactly one class. */
export function compileSlotOf(
  definition: ClassDefinition,
  slot: SlotDefinition,
  context: ValueContext,
): ValueCheck {
  return slot === definition.typeDesignator
    ? designationCheck(definition, context)
    : compileSlot(slot, context);
}

/** Whether an object has a member. One that is `undefined` is absent, as in `JSON.stringify`. */
export function isGiven(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key) && object[key] !== undefined;
}

/** Whether a value is an object, and not too deep; else that is noted. */
export function isObjectFor(
  { name }: ClassDefinition,
  given: JsonValue,
  at: RecordPath,
  run: Run,
): given is JsonObject {
  const isObject = isJsonObject(given);
  if (isObject && at.depth <= DEEPEST) return true;
  const slot = slotOf(at);
  if (isObject) reportProblem(run, 'too_deep', at, `${slot}: nested deeper than ${DEEPEST} levels.`);
  else {
    const expected = `an object of class ${name}`;
    reportProblem(
      run,
      'object_type',
      at,
      `${slot}: found ${shownValue(given)}, expected ${expected}.`,
      given,
    );
  }
  return false;
}

/** The check of values whose keys are not slots; undefined if the class does not allow them. */
function extraCheck({ extraSlots }: ClassDefinition, context: ValueContext): ValueCheck | undefined {
  if (!extraSlots.allowed) return undefined;
  const test = extraSlots.value && branchCompiler(context)(extraSlots.value);
  return (value, at, run) => {
    const copy = copyAny(value, at, run);
    return copy === undefined || (test && !test(copy, value, at, run, true)) ? undefined : copy;
  };
}

function noteIdentity(record: JsonObject, slot: string, { prefixes }: ValueContext, run: Run): void {
  const name = record[slot];
  if (typeof name === 'string')
    run.identified.set(record, { slot, iri: prefixes.expandReference(name) ?? name });
}

/** Whether an expression may check one more object; without a limit, nested objects could cost exponential time. */
function isAffordable(at: RecordPath, run: Run): boolean {
  if (run.judging === 0 || --run.recheckBudget >= 0) return true;
  reportProblem(run, 'too_complex', at, `${slotOf(at)}: too many objects under conditions of the schema.`);
  return false;
}

/** A default is shared by all records; a list must not be. */
function copyOf(value: JsonValue): JsonValue {
  return Array.isArray(value) ? [...value] : value;
}

/** Reports a key that is not a slot. */
export function refuseSlot(key: string, definition: ClassDefinition, at: RecordPath, run: Run): false {
  if (isFull(run)) return false;
  const guess = nearest(key, definition.slots.keys());
  const hint = guess === undefined ? '' : ` Did you mean ${guess}?`;
  const name = key.length > 100 ? `${key.slice(0, 100)}…` : key;
  reportProblem(
    run,
    'extra_forbidden',
    inside(at, key),
    `${name}: the class ${definition.name} has no slot of this name.${hint}`,
  );
  return false;
}

/** An explicit null is accepted unless a value is required, and suppresses the default. */
export function refuseNull(key: string, definition: ClassDefinition, at: RecordPath, run: Run): boolean {
  const slot = definition.slots.get(key)!;
  if (!slot.required && !slot.designatesType && slot.constraints.valuePresence !== 'PRESENT') return true;
  const expected = slot.designatesType
    ? JSON.stringify(designationOf(definition))
    : 'a value, since the slot is required';
  reportProblem(
    run,
    slot.designatesType ? 'literal_error' : 'missing',
    inside(at, key),
    `${key}: found null, expected ${expected}.`,
    null,
  );
  return false;
}

function refuseMissing(name: string, definition: ClassDefinition, at: RecordPath, run: Run): false {
  reportProblem(
    run,
    'missing',
    inside(at, name),
    `${name}: found nothing, expected a value, because the slot is required in the class ${definition.name}.`,
  );
  return false;
}

function designationCheck(definition: ClassDefinition, context: ValueContext): ValueCheck {
  return (value, at, run) => {
    if (isDesignation(value, definition, context.classOf)) return value;
    const expected = JSON.stringify(designationOf(definition));
    return reportProblem(
      run,
      'literal_error',
      at,
      `${slotOf(at)}: found ${shownValue(value)}, expected ${expected}, the type of the class ${definition.name}.`,
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
  for (const key of keys) setValue(sorted, key, object[key] as JsonValue);
  return sorted;
}
