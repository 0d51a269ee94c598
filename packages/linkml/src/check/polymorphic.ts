/** Checks of objects whose class is in a type designator, or is the first of several classes that accepts them. */

import { lowestClass, namesInDesignator } from '../designation.ts';
import { grouped } from '../grouped.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { ClassDefinition, SlotDefinition } from '../model.ts';
import { candidatesIn, didYouMean } from '../suggestions.ts';
import { isGiven, isObjectFor } from './objects.ts';
import {
  attempt,
  compiledLate,
  either,
  inside,
  type RecordPath,
  type Run,
  reportUnexpected,
  type ValueCheck,
  type Verdict,
} from './report.ts';

/** A class of which an object may be. */
type Candidate = {
  readonly definition: ClassDefinition;
  /** The slots without which no object is valid. */
  readonly needed: readonly SlotDefinition[];
  readonly check: ValueCheck;
};

/**
 * The check of an object in a slot that allows several classes: a class with a type designator, and all
 * below it. An object with a type designator is of that class; without, of the first class that accepts it.
 */
export function compilePolymorphic(
  classes: readonly ClassDefinition[],
  exact: (className: string) => ValueCheck,
): ValueCheck {
  const candidates = classes.map((definition) => ({
    definition,
    needed: [...definition.slots.values()].filter(isNeeded),
    check: compiledLate(() => exact(definition.name)),
  }));
  const [first] = classes;
  const designator = first!.typeDesignator!.name;
  const byDesignation = grouped(candidates, ({ definition }) => definition.designation!);
  const refuse = designationRefusal([...byDesignation.keys()]);
  return (given, at, run) => {
    if (!isObjectFor(first!, given, at, run)) return undefined;
    const designated = Object.hasOwn(given, designator) ? (given[designator] as JsonValue) : undefined;
    if (designated === undefined) return firstThatTakes(candidates, given, at, run);
    const lowest =
      typeof designated === 'string'
        ? byDesignation.get(designated)
        : lowestClass(
            namesInDesignator(designated)
              .map((name) => byDesignation.get(name))
              .filter((one) => one !== undefined),
            ([candidate]) => candidate!.definition,
          );
    if (lowest)
      return lowest.length === 1 ? lowest[0]!.check(given, at, run) : firstThatTakes(lowest, given, at, run);
    return refuse(designated, inside(at, designator), run);
  };
}

/** Compiles the report of a designator that names none of some classes. */
function designationRefusal(
  known: readonly string[],
): (designated: JsonValue, at: RecordPath, run: Run) => undefined {
  const candidates = candidatesIn(() => known);
  const expected = either(known.map((name) => JSON.stringify(name)));
  return (designated, at, run) =>
    reportUnexpected(run, 'literal_error', at, designated, expected, (budget) =>
      typeof designated === 'string' ? didYouMean(designated, candidates, undefined, budget) : '',
    );
}

function firstThatTakes(
  candidates: readonly Candidate[],
  given: JsonObject,
  at: RecordPath,
  run: Run,
): JsonValue | undefined {
  const likely = likeliest(candidates, given);
  if (likely.length === 1) return likely[0]!.check(given, at, run);
  let complaint: Verdict['problems'] | undefined;
  for (const candidate of likely) {
    const verdict = verdictOf(candidate, given, at, run);
    if (verdict.value !== undefined) return verdict.value;
    if (!complaint || verdict.problems.length < complaint.length) complaint = verdict.problems;
  }
  run.problems.push(...complaint!);
  return undefined;
}

/** The candidates that know all keys of an object and miss no slot; if there are none, the one that fits best. */
function likeliest(candidates: readonly Candidate[], given: JsonObject): readonly Candidate[] {
  const keys = Object.keys(given).filter((key) => given[key] !== undefined);
  let fewest = Number.POSITIVE_INFINITY;
  let best: Candidate[] = [];
  for (const candidate of candidates) {
    const count = misfits(candidate, given, keys);
    if (count < fewest) {
      fewest = count;
      best = [candidate];
    } else if (count === 0) best.push(candidate);
  }
  return best;
}

/** How many keys of an object a class does not know, and how many slots that it needs are missing. */
function misfits({ definition, needed }: Candidate, given: JsonObject, keys: readonly string[]): number {
  let count = 0;
  for (const key of keys) if (!definition.slots.has(key)) count++;
  for (const { name } of needed) if (!isGiven(given, name)) count++;
  return count;
}

function isNeeded({ required, default: otherwise, designatesType }: SlotDefinition): boolean {
  return required && otherwise === undefined && !designatesType;
}

/** Remembers the result of checking an object by a class: without it nested objects of untold type would cost exponential time. */
function verdictOf({ definition, check }: Candidate, given: JsonObject, at: RecordPath, run: Run): Verdict {
  run.verdicts ??= new Map();
  const verdicts = run.verdicts.get(given) ?? new Map<string, Verdict>();
  run.verdicts.set(given, verdicts);
  const before = verdicts.get(definition.name);
  if (before) return before;
  const { result, problems } = attempt(run, () => check(given, at, run));
  const verdict = { value: result, problems };
  verdicts.set(definition.name, verdict);
  return verdict;
}
