/**
 * `array`: values with dimensions, as lists in lists. `[[1, 2], [3, 4]]` has two dimensions of two values each.
 *
 * A schema bounds the number of dimensions, and the number of values along the first ones (LinkML, "Arrays"). All
 * values are at the same depth; how long the lists within one dimension are may differ.
 */
import type { JsonValue } from '../json.ts';
import type { ArrayShape } from '../model.ts';
import {
  DEEPEST,
  inside,
  type RecordPath,
  type Run,
  reportProblem,
  reportUnexpected,
  type ValueCheck,
} from './report.ts';

/** A shape in words, for messages. */
export function describeShape({ dimensions: { least = 1, most } }: ArrayShape): string {
  const number =
    most === undefined ? `at least ${least}` : most === least ? `${least}` : `${least} to ${most}`;
  return `an array of ${number} ${number === '1' || number === 'at least 1' ? 'dimension' : 'dimensions'}`;
}

/** @param element the check of the values at the bottom */
export function arrayCheck(element: ValueCheck, shape: ArrayShape): ValueCheck {
  const { least = 1, most = DEEPEST } = shape.dimensions;

  /** @param bottom the depth of values, once one is found */
  function level(
    value: JsonValue,
    depth: number,
    bottom: { at?: number },
    at: RecordPath,
    run: Run,
  ): JsonValue | undefined {
    if (!Array.isArray(value)) {
      bottom.at ??= depth;
      return depth >= least && depth === bottom.at ? element(value, at, run) : misshapen(value, at, run);
    }
    if (depth >= Math.min(most, bottom.at ?? most)) return misshapen(value, at, run);
    const { least: fewest = 0, most: greatest = Number.POSITIVE_INFINITY } = shape.sizes[depth] ?? {};
    if (value.length < fewest || value.length > greatest)
      return reportProblem(
        run,
        value.length < fewest ? 'too_short' : 'too_long',
        at,
        `found ${value.length} values along dimension ${depth + 1}, expected ${value.length < fewest ? `at least ${fewest}` : `at most ${greatest}`}.`,
      );
    const members = value.map((member, index) => level(member, depth + 1, bottom, inside(at, index), run));
    return members.includes(undefined) ? undefined : (members as JsonValue[]);
  }

  const misshapen = (value: JsonValue, at: RecordPath, run: Run): undefined =>
    reportUnexpected(run, 'array_shape', at, value, describeShape(shape));

  return (value, at, run) => level(value, 0, {}, at, run);
}
