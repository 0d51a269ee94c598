/** Lists of values or objects. */
import { isJsonObject, type JsonValue } from '../json.ts';
import type { ClassDefinition, SlotDefinition, SlotRange } from '../model.ts';
import { arrayCheck } from './arrays.ts';
import { compileConstraints } from './constraints.ts';
import { uniqueKeyCheck } from './identities.ts';
import { mappingCheck } from './mappings.ts';
import { allDiffer, type MembersTest, membersCheck, nameText } from './members.ts';
import {
  addProblem,
  inside,
  isFull,
  type RecordPath,
  type Run,
  reportProblem,
  reportUnexpected,
  shownValue,
  slotOf,
  type ValueCheck,
} from './report.ts';
import type { ValueTest } from './value-test.ts';
import { branchCompiler, compileRange, identifierCheck, type ValueContext } from './values.ts';

/** @param objects the class of the members, if they are inlined objects */
function listCheck(
  slot: SlotDefinition,
  value: ValueCheck,
  members: MembersTest,
  objects: ClassDefinition | undefined,
): ValueCheck {
  const handle = objects && (objects.identifier ?? objects.key);
  const uniqueKeys = objects && uniqueKeyCheck(objects);
  return (given, at, run) => {
    if (!Array.isArray(given))
      return reportUnexpected(
        run,
        'list_type',
        at,
        given,
        `a list${objects ? ` of ${objects.name} objects` : ''}`,
      );
    // A copy has its room at once: a list that grows leaves several copies behind.
    const canonical: JsonValue[] = given.slice();
    let count = 0;
    const place = inside(at, 0);
    for (let i = 0; i < given.length; i++) {
      place.key = i;
      const copy = value(given[i] as JsonValue, place, run);
      if (copy !== undefined) canonical[count++] = copy;
      else if (isFull(run)) return undefined;
    }
    let complete = count === given.length;
    if (!complete) canonical.length = count;
    if (!members(given.length, canonical, at, run)) complete = false;
    if (count > 1) {
      if (slot.uniqueElements && !valuesDiffer(canonical, at, run)) complete = false;
      if (handle && complete && !namesDiffer(canonical, handle.name, at, run)) complete = false;
      if (uniqueKeys && complete && !uniqueKeys(canonical, (index) => inside(at, index), run))
        complete = false;
    }
    return complete ? canonical : undefined;
  };
}

function valuesDiffer(members: readonly JsonValue[], at: RecordPath, run: Run): boolean {
  return allDiffer(members, JSON.stringify, (index, _, member) => {
    const msg = `found ${shownValue(member)} twice, expected every value only once.`;
    reportProblem(run, 'list_elements_unique', inside(at, index), msg, member);
  });
}

/** Objects in a list that have an identifier or key must have different ones. */
function namesDiffer(objects: readonly JsonValue[], handle: string, at: RecordPath, run: Run): boolean {
  const nameOf = (object: JsonValue) => (isJsonObject(object) ? nameText(object[handle]) : undefined);
  return allDiffer(objects, nameOf, (index, name) => {
    const msg = `${slotOf(at)}: two objects have the ${handle} ${JSON.stringify(name)}, expected different ones.`;
    addProblem(run, 'duplicate_key', inside(inside(at, index), handle), msg, name);
  });
}

/** Compiles the check of a slot's value, which is never null. */
export function compileSlot(slot: SlotDefinition, context: ValueContext): ValueCheck {
  const value = valueCheck(slot, context);
  const whole = slot.multivalued ? container(slot, value, context) : value;
  if (slot.constraints.valuePresence !== 'ABSENT') return whole;
  return (given, at, run) => reportUnexpected(run, 'value_presence', at, given, 'no value');
}

function valueCheck(slot: SlotDefinition, context: ValueContext): ValueCheck {
  if (slot.range.kind === 'array') {
    const { of, shape } = slot.range;
    return arrayCheck(valueCheck({ ...slot, range: of }, context), shape);
  }
  const range = slot.identifier
    ? { check: identifierCheck(slot, context) }
    : compileRange(slot.range, context);
  const constraints = compileConstraints(slot.constraints, context, branchCompiler(context));
  return constraints ? both(range.check, constraints) : range.check;
}

function both(check: ValueCheck, constraints: ValueTest): ValueCheck {
  return (value, at, run) => {
    const canonical = check(value, at, run);
    return canonical !== undefined && constraints(canonical, value, at, run) ? canonical : undefined;
  };
}

type CheckedRange = Extract<SlotRange, { kind: 'class' }>;

/** The class of inlined objects, and how they are inlined; of alternatives, the first class is used. */
function inlinedClass(range: SlotRange): CheckedRange | undefined {
  if (range.kind === 'class') return range.inlining === 'reference' ? undefined : range;
  if (range.kind !== 'union') return undefined;
  return range.alternatives.map(inlinedClass).find((found) => found !== undefined);
}

function container(slot: SlotDefinition, value: ValueCheck, context: ValueContext): ValueCheck {
  const range = inlinedClass(slot.range);
  const members = membersCheck(slot, context);
  const objects = range && context.classOf(range.className);
  if (!objects || range.inlining === 'object') return listCheck(slot, value, members, objects);
  const handle = (objects.identifier ?? objects.key)!;
  const other =
    range.inlining === 'simple-dict' ? [...objects.slots.values()].find((one) => one !== handle) : undefined;
  const short = other && { slot: other, check: compileSlot(other, context) };
  return mappingCheck(
    { objects, handle, key: identifierCheck(handle, context), object: value, short },
    members,
  );
}
