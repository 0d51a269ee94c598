/**
 * Checks of objects: which slots they have, which they need, and what holds between them.
 */

import { designationOf, isDesignation } from '../designation.ts';
import { compareCodePoints, isJsonObject, type JsonObject, type JsonValue, setMember } from '../json.ts';
import type { ClassDefinition, SlotDefinition } from '../model.ts';
import { type Candidates, candidatesIn, didYouMean } from '../suggestions.ts';
import { copyAny } from './any.ts';
import { compileSlot } from './lists.ts';
import {
  type Accepted,
  DEEPEST,
  inside,
  isFull,
  type RecordPath,
  type Run,
  reportProblem,
  reportUnexpected,
  type ValueCheck,
} from './report.ts';
import { compileRules, type ObjectTest } from './rules.ts';
import { branchCompiler, type ValueContext } from './values.ts';

/** For `for…in`, which visits inherited keys, too: `JSON.stringify` does not write them. */
const isOwn = Object.prototype.hasOwnProperty;

type SlotCheck = {
  readonly slot: SlotDefinition;
  readonly check: ValueCheck;
  /** Its place among the slots by name: that of its value in the record. */
  readonly rank: number;
  /** Whether something is to be done if an object has no value of it. */
  readonly isExpected: boolean;
};

/** Compiles the check of an object of exactly one class. */
export function compileObject(definition: ClassDefinition, context: ValueContext): ValueCheck {
  const names = [...definition.slots.keys()].sort(compareCodePoints);
  const checks = new Map<string, SlotCheck>();
  for (const [rank, name] of names.entries()) {
    const slot = definition.slots.get(name)!;
    checks.set(name, {
      slot,
      check: compileSlotOf(definition, slot, context),
      rank,
      isExpected: isExpected(slot),
    });
  }
  const identifier = definition.identifier?.name;
  const expected = [...definition.slots.keys()]
    .map((name) => checks.get(name)!)
    .filter((slot) => slot.isExpected);
  const extra = extraCheck(definition, context);
  const between: ObjectTest | undefined = compileRules(definition, context);

  return (given, at, run) => {
    if (!isObjectFor(definition, given, at, run) || !isAffordable(at, run)) return undefined;
    /** The values of slots, by their rank. */
    const values: (JsonValue | undefined)[] = new Array(names.length);
    let missing = expected.length;
    let others: JsonObject | undefined;
    let complete: Accepted = true;
    /** Whether every value that is given was taken: what is missing is missing then, and rules can be judged. */
    let taken = true;
    const place = inside(at, '');
    for (const key in given) {
      if (!isOwn.call(given, key)) continue;
      if (!complete && isFull(run)) return undefined;
      const known = checks.get(key);
      const value = given[key];
      if (value === undefined) continue;
      if (known === undefined && !extra) {
        complete = refuseSlot(key, definition, at, run);
        continue;
      }
      if (known?.isExpected) missing--;
      if (value === null) {
        if (known && !refuseNull(key, definition, at, run)) complete = false;
        continue;
      }
      place.key = key;
      const canonical = (known?.check ?? extra!)(value, place, run);
      if (canonical === undefined) {
        complete = false;
        taken = false;
      } else if (known) values[known.rank] = canonical;
      else {
        others ??= {};
        setMember(others, key, canonical);
      }
    }
    if (missing > 0)
      for (const { slot, rank } of expected) {
        if (isGiven(given, slot.name)) continue;
        // As in Python's loaders a missing designator is filled in; JSON Schema refuses the object if it is required.
        const filled =
          slot.designatesType && !(run.strict && slot.required) ? designationOf(definition) : slot.default;
        if (filled !== undefined) values[rank] = copyOf(filled);
        else complete = refuseMissing(slot.name, definition, at, run);
      }
    const record = valuesInOrder(names, values, others);
    if (between && taken && !between(record, at, run)) complete = false;
    if (!complete) return undefined;
    if (identifier !== undefined && !run.anyIdentifiers) {
      run.identified ??= new Map();
      run.identified.set(record, identifier);
    }
    return record;
  };
}

function isExpected({ required, default: otherwise, designatesType, constraints }: SlotDefinition): boolean {
  return required || otherwise !== undefined || designatesType || constraints.valuePresence === 'PRESENT';
}

/** The record, its keys in the order of their code points. */
function valuesInOrder(
  names: readonly string[],
  values: readonly (JsonValue | undefined)[],
  others: JsonObject | undefined,
): JsonObject {
  const record: JsonObject = {};
  for (let rank = 0; rank < names.length; rank++) {
    const value = values[rank];
    if (value !== undefined) setMember(record, names[rank]!, value);
  }
  if (!others) return record;
  const sorted: JsonObject = {};
  for (const key of [...Object.keys(record), ...Object.keys(others)].sort(compareCodePoints))
    setMember(sorted, key, (Object.hasOwn(record, key) ? record : others)[key]!);
  return sorted;
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
  if (!isJsonObject(given)) reportUnexpected(run, 'object_type', at, given, `an object of class ${name}`);
  else if (at.depth <= DEEPEST) return true;
  else reportProblem(run, 'too_deep', at, `nested deeper than ${DEEPEST} levels.`);
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

/** Whether an expression may check one more object; without a limit, nested objects could cost exponential time. */
function isAffordable(at: RecordPath, run: Run): Accepted {
  if (run.judging === 0 || --run.recheckBudget >= 0) return true;
  return reportProblem(run, 'too_complex', at, 'too many objects under conditions of the schema.');
}

/** A default is shared by all records; a list must not be. */
function copyOf(value: JsonValue): JsonValue {
  return Array.isArray(value) ? [...value] : value;
}

/** The slots of classes, for suggestions. */
const slotNames = new WeakMap<ClassDefinition, Candidates>();

/** Reports a key that is not a slot. */
export function refuseSlot(key: string, definition: ClassDefinition, at: RecordPath, run: Run): undefined {
  if (isFull(run)) return undefined;
  const { name, slots } = definition;
  const candidates = slotNames.get(definition) ?? candidatesIn(() => slots.keys());
  slotNames.set(definition, candidates);
  const msg = `the class ${name} has no slot of this name.`;
  return reportProblem(run, 'extra_forbidden', inside(at, key), msg, undefined, undefined, (budget) =>
    didYouMean(key, candidates, undefined, budget),
  );
}

/** An explicit null is accepted unless a value is required, and suppresses the default. */
export function refuseNull(key: string, definition: ClassDefinition, at: RecordPath, run: Run): Accepted {
  const slot = definition.slots.get(key)!;
  if (!slot.required && !slot.designatesType && slot.constraints.valuePresence !== 'PRESENT') return true;
  const expected = slot.designatesType
    ? JSON.stringify(designationOf(definition))
    : 'a value, since the slot is required';
  return reportProblem(
    run,
    slot.designatesType ? 'literal_error' : 'missing',
    inside(at, key),
    `found null, expected ${expected}.`,
    null,
  );
}

function refuseMissing(name: string, definition: ClassDefinition, at: RecordPath, run: Run): undefined {
  return reportProblem(
    run,
    'missing',
    inside(at, name),
    `found nothing, expected a value, because the slot is required in the class ${definition.name}.`,
  );
}

function designationCheck(definition: ClassDefinition, context: ValueContext): ValueCheck {
  return (value, at, run) => {
    if (isDesignation(value, definition, context.classOf)) return value;
    const expected = JSON.stringify(designationOf(definition));
    return reportUnexpected(
      run,
      'literal_error',
      at,
      value,
      `${expected}, the type of the class ${definition.name}`,
    );
  };
}
