/** The boolean expressions of a slot by what they judge: for checks and for JSON Schema. */
import type { Constraints, SlotExpression } from './model.ts';

/** The boolean expressions of a slot or of one of their branches. */
export type Groups = Pick<Constraints, 'anyOf' | 'allOf' | 'exactlyOneOf' | 'noneOf'>;

/**
 * The boolean expressions that judge each value by itself, and those that judge all values of a slot together: a branch has a
 * bound on their number.
 */
export function splitGroups(constraints: Groups): { readonly each: Groups; readonly together: Groups } {
  const groups = (areTogether: boolean): Groups => {
    const of = (branches: readonly SlotExpression[] | undefined) =>
      branches?.some(hasCardinality) === areTogether ? branches : undefined;
    const { anyOf, allOf, exactlyOneOf, noneOf } = constraints;
    return { anyOf: of(anyOf), allOf: of(allOf), exactlyOneOf: of(exactlyOneOf), noneOf: of(noneOf) };
  };
  return { each: groups(false), together: groups(true) };
}

function hasCardinality({ minimumCardinality, maximumCardinality }: Constraints): boolean {
  return minimumCardinality !== undefined || maximumCardinality !== undefined;
}
