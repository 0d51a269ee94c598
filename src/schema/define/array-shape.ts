/** The bounds of an `array` expression: of the number of dimensions, and of the values along the first ones. */
import { countOf, type Definition, mappingsOf } from '../load/definitions.ts';
import type { ArrayShape, Bounds } from '../model.ts';

/** The shape that an `array` expression asks for: any number of dimensions, if it says nothing. */
export function arrayShape(source: Definition): ArrayShape {
  const sizes = mappingsOf(source.dimensions).map((dimension) => boundsOf(dimension, 'cardinality'));
  const { least, most } = boundsOf(source, 'number_dimensions');
  // Dimensions that are listed are all there are, unless the expression counts them.
  const counted = least !== undefined || most !== undefined || source.maximum_number_dimensions === false;
  return {
    dimensions: {
      least: Math.max(least ?? 1, sizes.length, 1),
      most: counted || sizes.length === 0 ? most : sizes.length,
    },
    sizes,
  };
}

function boundsOf(source: Definition, what: string): Bounds {
  const exact = countOf(source[`exact_${what}`]);
  return {
    least: exact ?? countOf(source[`minimum_${what}`]),
    most: exact ?? countOf(source[`maximum_${what}`]),
  };
}
