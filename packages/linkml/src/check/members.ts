/** Checks the members of a list or mapping together: their number, and that required ones are among them. */
import { splitGroups } from '../expression-groups.ts';
import type { JsonValue } from '../json.ts';
import type { SlotDefinition, SlotExpression } from '../model.ts';
import { scalarText } from '../types/numbers.ts';
import { type BranchCompiler, describe, groupTests } from './constraints.ts';
import type { ProblemType } from './problem.ts';
import { type Accepted, attempt, inside, type RecordPath, type Run, reportProblem } from './report.ts';
import { branchCompiler, type ValueContext } from './values.ts';

/**
 * Judges how many there are, and who must be among them.
 *
 * @param canonical the members in their canonical form; fewer than `count` where some are refused, and then who they are is not judged
 */
export type MembersTest = (
  count: number,
  canonical: readonly JsonValue[],
  at: RecordPath,
  run: Run,
) => Accepted;

/** Compiles what holds of the members of a slot together. */
export function membersCheck(slot: SlotDefinition, context: ValueContext): MembersTest {
  const {
    minimumCardinality: least = 0,
    maximumCardinality: most = Number.POSITIVE_INFINITY,
    hasMember,
    allMembers,
  } = slot.constraints;
  const needs = memberTest(hasMember, 'some', context);
  const all = memberTest(allMembers, 'every', context);
  const groups = groupTests(splitGroups(slot.constraints).together, togetherCompiler(context));
  const together = groups.filter((test) => test !== undefined);
  return (count, members, at, run) => {
    if (count === 0 && slot.required)
      return refuseCount('missing', count, 'at least one, since the slot is required', at, run);
    if (!countFits(count, least, most, at, run)) return undefined;
    if (members.length < count) return true;
    const isAccepted = (!needs || needs(members, at, run)) && (!all || all(members, at, run));
    if (together.length === 0) return isAccepted;
    const list = [...members];
    return together.map((test) => test(list, list, at, run)).every(Boolean) && isAccepted;
  };
}

/** Compiles a branch about all values of a slot: their number, and each of them. */
function togetherCompiler(context: ValueContext): BranchCompiler {
  const compile = branchCompiler(context);
  return (branch) => {
    const { minimumCardinality: least = 0, maximumCardinality: most = Number.POSITIVE_INFINITY } = branch;
    const test = compile(branch);
    return (values, _given, at, run, strict) => {
      const members = values as readonly JsonValue[];
      if (!countFits(members.length, least, most, at, run)) return undefined;
      return members
        .map((member, index) => test(member, member, inside(at, index), run, strict))
        .every(Boolean);
    };
  };
}

/** Whether a number of values is within its bounds. */
export function countFits(count: number, least: number, most: number, at: RecordPath, run: Run): Accepted {
  if (count < least) return refuseCount('too_short', count, `at least ${least}`, at, run);
  return count <= most || refuseCount('too_long', count, `at most ${most}`, at, run);
}

function refuseCount(
  type: ProblemType,
  count: number,
  expected: string,
  at: RecordPath,
  run: Run,
): undefined {
  const found = `${count} ${count === 1 ? 'value' : 'values'}`;
  return reportProblem(run, type, at, `found ${found}, expected ${expected}.`);
}

function memberTest(
  expression: SlotExpression | undefined,
  which: 'some' | 'every',
  context: ValueContext,
): ((members: readonly JsonValue[], at: RecordPath, run: Run) => Accepted) | undefined {
  if (!expression) return undefined;
  const test = branchCompiler(context)(expression);
  return (members, at, run) => {
    const { result } = attempt(run, () => members[which]((member) => test(member, member, at, run, false)));
    if (result) return true;
    const says = describe(expression);
    return reportProblem(
      run,
      which === 'some' ? 'has_member' : 'all_members',
      at,
      `expected ${which === 'some' ? 'at least one value to be' : 'every value to be'} ${says}.`,
    );
  };
}

/**
 * Whether members have different strings; those without one differ from all.
 *
 * @param repeats called for each member whose string an earlier one has
 */
export function allDiffer(
  members: readonly JsonValue[],
  textOf: (member: JsonValue) => string | undefined,
  repeats: (index: number, text: string, member: JsonValue) => void,
): boolean {
  const seen = new Set<string>();
  let differ = true;
  for (const [index, member] of members.entries()) {
    const text = textOf(member);
    if (text === undefined) continue;
    if (seen.has(text)) {
      repeats(index, text, member);
      differ = false;
    }
    seen.add(text);
  }
  return differ;
}

/** The identifier or key of an object as text, which is how names are compared. */
export function nameText(name: JsonValue | undefined): string | undefined {
  return name === undefined ? undefined : scalarText(name);
}
