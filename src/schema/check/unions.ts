/** Ranges as checks, and the union of several of them. */
import type { JsonValue } from '../../json.ts';
import type { CheckProblem } from './problem.ts';
import { attempt, either, reportUnexpected, type ValueCheck } from './report.ts';

/** A check, with how well an accepted value fits (2 unchanged, 0 reinterpreted). */
export type RangeCheck = {
  readonly check: ValueCheck;
  fit(value: JsonValue): number;
  readonly expects: string;
};

/** The branch that fits best, of equals the first; if none takes the value, what the likeliest one has against it. */
export function unionCheck(branches: readonly RangeCheck[]): RangeCheck {
  const expects = either(branches.map((branch) => branch.expects));
  const check: ValueCheck = (value, at, run) => {
    let best: JsonValue | undefined;
    let bestFit = -1;
    let complaint: readonly CheckProblem[] | undefined;
    for (const branch of branches) {
      const fit = branch.fit(value);
      if (fit <= bestFit) continue;
      const { result, problems } = attempt(run, () => branch.check(value, at, run));
      if (result !== undefined) {
        best = result;
        bestFit = fit;
      } else if (fit > 0 && (!complaint || problems.length < complaint.length)) complaint = problems;
    }
    if (best !== undefined) return best;
    if (!complaint) return reportUnexpected(run, 'union', at, value, expects);
    run.problems.push(...complaint);
    return undefined;
  };
  return { check, fit: (value) => Math.max(...branches.map((branch) => branch.fit(value))), expects };
}
