/** Checks of objects whose class is in a type designator, or is the first of several classes that accepts them. */
import type { JsonObject, JsonValue } from '../../json.ts';
import { lowestClass, namesInDesignator } from '../designation.ts';
import type { ClassDefinition } from '../model.ts';
import { didYouMean } from '../suggestions.ts';
import { isGiven, isObjectFor } from './objects.ts';
import {
  attempt,
  either,
  inside,
  type RecordPath,
  type Run,
  reportUnexpected,
  type ValueCheck,
  type Verdict,
} from './report.ts';

/**
 * The check of an object in a slot that allows several classes: a class with a type designator, and all
 * below it. An object with a type designator is of that class; without, of the first class that accepts it.
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
    if (!isObjectFor(first!, given, at, run)) return undefined;
    const designated = Object.hasOwn(given, designator) ? (given[designator] as JsonValue) : undefined;
    if (designated === undefined) return firstThatTakes(classes, check, given, at, run);
    const lowest =
      typeof designated === 'string'
        ? byDesignation.get(designated)
        : lowestClass(
            namesInDesignator(designated)
              .map((name) => byDesignation.get(name))
              .filter((one) => one !== undefined),
            ([definition]) => definition!,
          );
    if (lowest)
      return lowest.length === 1
        ? check(lowest[0]!.name)(given, at, run)
        : firstThatTakes(lowest, check, given, at, run);
    return refuseDesignation(designated, [...byDesignation.keys()], inside(at, designator), run);
  };
}

function refuseDesignation(
  designated: JsonValue,
  known: readonly string[],
  at: RecordPath,
  run: Run,
): undefined {
  const hint = typeof designated === 'string' ? didYouMean(designated, known) : '';
  const expected = either(known.map((name) => JSON.stringify(name)));
  return reportUnexpected(run, 'literal_error', at, designated, expected, hint);
}

function firstThatTakes(
  classes: readonly ClassDefinition[],
  check: (className: string) => ValueCheck,
  given: JsonObject,
  at: RecordPath,
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
  for (const key of Object.keys(given)) if (!definition.slots.has(key) && given[key] !== undefined) count++;
  for (const slot of definition.slots.values())
    if (slot.required && slot.default === undefined && !slot.designatesType && !isGiven(given, slot.name))
      count++;
  return count;
}

/** Remembers the result of checking an object by a class: without it nested objects of untold type would cost exponential time. */
function verdictOf(
  className: string,
  check: (className: string) => ValueCheck,
  given: JsonObject,
  at: RecordPath,
  run: Run,
): Verdict {
  run.verdicts ??= new Map();
  const verdicts = run.verdicts.get(given) ?? new Map<string, Verdict>();
  run.verdicts.set(given, verdicts);
  const before = verdicts.get(className);
  if (before) return before;
  const { result, problems } = attempt(run, () => check(className)(given, at, run));
  const verdict = { value: result, problems };
  verdicts.set(className, verdict);
  return verdict;
}
