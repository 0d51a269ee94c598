/**
 * Checks of a slot's whole value: one value, a list of them, or a mapping from key to object.
 */
import type { SlotDefinition, SlotRange } from '../model.ts';
import { arrayCheck } from './arrays.ts';
import { compileConstraints, type ValueTest } from './constraints.ts';
import { listCheck } from './lists.ts';
import { mappingCheck } from './mappings.ts';
import { membersCheck } from './members.ts';
import { reportUnexpected, type ValueCheck } from './report.ts';
import { branchCompiler, compileRange, identifierCheck, type ValueContext } from './values.ts';

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
