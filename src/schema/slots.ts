/**
 * Checks of a slot's whole value: one value, a list of them, or a mapping from key to object.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { compileConstraints, describe, type ValueTest } from './constraints.ts';
import type { ClassDefinition, SlotDefinition, SlotExpression, SlotRange } from './model.ts';
import { numberText } from './numbers.ts';
import {
  inside,
  isFull,
  type Place,
  put,
  type Run,
  report,
  shown,
  slotOf,
  type ValueCheck,
} from './report.ts';
import { uniqueKeyCheck } from './unique-keys.ts';
import { branchCompiler, compileRange, identifierCheck, type ValueContext } from './values.ts';

/** Compiles the check of a slot's value, which is never null. */
export function compileSlot(slot: SlotDefinition, context: ValueContext): ValueCheck {
  const value = valueCheck(slot, context);
  const whole = slot.multivalued ? container(slot, value, context) : value;
  if (slot.constraints.valuePresence !== 'ABSENT') return whole;
  return (given, at, run) =>
    report(run, 'value_presence', at, `${slotOf(at)}: found ${shown(given)}, expected no value.`, given);
}

function valueCheck(slot: SlotDefinition, context: ValueContext): ValueCheck {
  const range = slot.identifier
    ? { check: identifierCheck(slot, context) }
    : compileRange(slot.range, context);
  const constraints = compileConstraints(slot.constraints, branchCompiler(context));
  return constraints ? both(range.check, constraints) : range.check;
}

function both(check: ValueCheck, constraints: ValueTest): ValueCheck {
  return (value, at, run) => {
    const canonical = check(value, at, run);
    return canonical !== undefined && constraints(canonical, value, at, run) ? canonical : undefined;
  };
}

type ClassRange = Extract<SlotRange, { kind: 'class' }>;

/** The class of inlined objects, and how they are held; the first class counts where there are alternatives. */
function inlinedClass(range: SlotRange): ClassRange | undefined {
  if (range.kind === 'class') return range.inlining === 'reference' ? undefined : range;
  if (range.kind !== 'union') return undefined;
  return range.alternatives.map(inlinedClass).find((found) => found !== undefined);
}

function container(slot: SlotDefinition, value: ValueCheck, context: ValueContext): ValueCheck {
  const range = inlinedClass(slot.range);
  const members = membersCheck(slot, context);
  if (!range || range.inlining === 'object')
    return listCheck(slot, value, members, range && context.classOf(range.className), context);
  return dictCheck(range, context.classOf(range.className), value, members, context);
}

/** Judges how many there are, and who must be among them. */
type MembersTest = (members: readonly JsonValue[], at: Place, run: Run) => boolean;

function membersCheck(slot: SlotDefinition, context: ValueContext): MembersTest {
  const {
    minimumCardinality: least = 0,
    maximumCardinality: most = Number.POSITIVE_INFINITY,
    hasMember,
    allMembers,
  } = slot.constraints;
  const needs = memberTest(hasMember, 'some', context);
  const all = memberTest(allMembers, 'every', context);
  return (members, at, run) => {
    const count = members.length;
    const say = (type: string, expected: string): boolean => {
      report(
        run,
        type,
        at,
        `${slotOf(at)}: found ${count} ${count === 1 ? 'value' : 'values'}, expected ${expected}.`,
      );
      return false;
    };
    if (count === 0 && slot.required) return say('missing', 'at least one, since the slot is required');
    if (count < least) return say('too_short', `at least ${least}`);
    if (count > most) return say('too_long', `at most ${most}`);
    return needs(members, at, run) && all(members, at, run);
  };
}

function memberTest(
  expression: SlotExpression | undefined,
  which: 'some' | 'every',
  context: ValueContext,
): MembersTest {
  if (!expression) return () => true;
  const test = branchCompiler(context)(expression);
  return (members, at, run) => {
    const before = run.problems;
    run.problems = [];
    const held = members[which]((member) => test(member, member, at, run, false));
    run.problems = before;
    if (held) return true;
    const says = describe(expression);
    report(
      run,
      which === 'some' ? 'has_member' : 'all_members',
      at,
      `${slotOf(at)}: expected ${which === 'some' ? 'at least one value to be' : 'every value to be'} ${says}.`,
    );
    return false;
  };
}

// Lists

function listCheck(
  slot: SlotDefinition,
  value: ValueCheck,
  members: MembersTest,
  objects: ClassDefinition | undefined,
  context: ValueContext,
): ValueCheck {
  const handle = objects && (objects.identifier ?? objects.key);
  const uniqueKeys = objects && uniqueKeyCheck(objects, context);
  return (given, at, run) => {
    if (!Array.isArray(given))
      return report(
        run,
        'list_type',
        at,
        `${slotOf(at)}: found ${shown(given)}, expected a list${objects ? ` of ${objects.name} objects` : ''}.`,
        given,
      );
    const canonical: JsonValue[] = [];
    for (let i = 0; i < given.length; i++) {
      const member = given[i] as JsonValue;
      const place = inside(at, i);
      const copy = value(member, place, run);
      if (copy !== undefined) canonical.push(copy);
      else if (isFull(run)) return undefined;
    }
    let complete = canonical.length === given.length;
    if (!members(given, at, run)) complete = false;
    if (slot.uniqueElements && !allDiffer(canonical, at, run)) complete = false;
    if (handle && complete && !namesDiffer(canonical, handle.name, at, run)) complete = false;
    if (uniqueKeys && complete && !uniqueKeys(canonical, (index) => inside(at, index), run)) complete = false;
    return complete ? canonical : undefined;
  };
}

function allDiffer(members: readonly JsonValue[], at: Place, run: Run): boolean {
  const seen = new Set<string>();
  let differ = true;
  for (const [index, member] of members.entries()) {
    const text = JSON.stringify(member);
    if (seen.has(text)) {
      report(
        run,
        'list_elements_unique',
        inside(at, index),
        `${slotOf(at)}: found ${shown(member)} twice, expected every value only once.`,
        member,
      );
      differ = false;
    }
    seen.add(text);
  }
  return differ;
}

/** Objects in a list that have an identifier or key must have different ones. */
function namesDiffer(objects: readonly JsonValue[], handle: string, at: Place, run: Run): boolean {
  const seen = new Set<string>();
  let differ = true;
  for (const [index, object] of objects.entries()) {
    if (!isJsonObject(object)) continue;
    const name = nameText(object[handle]);
    if (name === undefined) continue;
    if (seen.has(name)) {
      report(
        run,
        'duplicate_key',
        inside(inside(at, index), handle),
        `${slotOf(at)}: two objects have the ${handle} ${JSON.stringify(name)}, expected different ones.`,
        name,
      );
      differ = false;
    }
    seen.add(name);
  }
  return differ;
}

function nameText(name: JsonValue | undefined): string | undefined {
  return typeof name === 'string' || name === undefined ? name : (numberText(name) ?? String(name));
}

// Mappings

/** A mapping from identifier or key to object; each object repeats its name, so that it can stand alone. */
function dictCheck(
  range: ClassRange,
  objects: ClassDefinition,
  value: ValueCheck,
  members: MembersTest,
  context: ValueContext,
): ValueCheck {
  const handle = (objects.identifier ?? objects.key)!;
  const simple =
    range.inlining === 'simple-dict'
      ? [...objects.slots.values()].find((slot) => slot !== handle)
      : undefined;
  const short = simple && compileSlot(simple, context);
  const keyCheck = identifierCheck(handle, context);
  const uniqueKeys = uniqueKeyCheck(objects, context);
  return (given, at, run) => {
    if (!isJsonObject(given))
      return report(
        run,
        'dict_type',
        at,
        `${slotOf(at)}: found ${shown(given)}, expected an object that maps each ${handle.name} to ${simple ? `its ${simple.name}` : `a ${objects.name}`}.`,
        given,
      );
    const result: JsonObject = {};
    const keys = Object.keys(given);
    let complete = true;
    for (const key of keys.length > 1 ? keys.sort() : keys) {
      const member = given[key] as JsonValue;
      const place = inside(at, key);
      const inShort = short !== undefined && !isJsonObject(member);
      if (!key.isWellFormed())
        complete =
          report(
            run,
            'string_unicode',
            place,
            `${slotOf(at)}: a key has half a surrogate pair, which is no character.`,
          ) ?? false;
      else if (inShort && member === null)
        complete =
          report(
            run,
            'missing',
            place,
            `${slotOf(at)}: found null for ${shown(key)}, expected a value for its ${simple!.name}.`,
          ) ?? false;
      else if (inShort && keyCheck(key, place, run) === undefined) complete = false;
      else {
        const copy = inShort ? short(member, place, run) : value(member, place, run);
        if (copy === undefined) complete = false;
        else if (!inShort && !sameName(copy, handle.name, key, place, run)) complete = false;
        else put(result, key, copy);
      }
    }
    if (!members(keys as JsonValue[], at, run)) complete = false;
    if (
      complete &&
      !uniqueKeys(Object.values(result), (index) => inside(at, Object.keys(result)[index]!), run)
    )
      complete = false;
    return complete ? result : undefined;
  };
}

function sameName(object: JsonValue, handle: string, key: string, at: Place, run: Run): boolean {
  if (!isJsonObject(object)) return true;
  const name = nameText(object[handle]);
  if (name === undefined || name === key) return true;
  report(
    run,
    'key_mismatch',
    inside(at, handle),
    `${handle}: found ${JSON.stringify(name)}, expected ${JSON.stringify(key)}, the key under which the object stands.`,
    name,
  );
  return false;
}
