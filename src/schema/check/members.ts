/** Checks the members of a list or mapping together: their number, and that required ones are among them. */
import type { JsonValue } from '../../json.ts';
import type { SlotDefinition, SlotExpression } from '../model.ts';
import { scalarText } from '../types/numbers.ts';
import { describe } from './constraints.ts';
import type { ProblemType } from './problem.ts';
import { attempt, type RecordPath, type Run, reportProblem, slotOf } from './report.ts';
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
) => boolean;

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
  return (count, members, at, run) => {
    const say = (type: ProblemType, expected: string): boolean => {
      reportProblem(
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
    return members.length < count || (needs(members, at, run) && all(members, at, run));
  };
}

function memberTest(
  expression: SlotExpression | undefined,
  which: 'some' | 'every',
  context: ValueContext,
): (members: readonly JsonValue[], at: RecordPath, run: Run) => boolean {
  if (!expression) return () => true;
  const test = branchCompiler(context)(expression);
  return (members, at, run) => {
    const { result } = attempt(run, () => members[which]((member) => test(member, member, at, run, false)));
    if (result) return true;
    const says = describe(expression);
    reportProblem(
      run,
      which === 'some' ? 'has_member' : 'all_members',
      at,
      `${slotOf(at)}: expected ${which === 'some' ? 'at least one value to be' : 'every value to be'} ${says}.`,
    );
    return false;
  };
}

/** The identifier or key of an object as text, which is how names are compared. */
export function nameText(name: JsonValue | undefined): string | undefined {
  return name === undefined ? undefined : scalarText(name);
}
