/** Ends of ranges of doubles that exclude a number: they are the greatest double below it. */

/** The greatest double that is less. */
export function below(number: number): number {
  if (number === 0) return -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  view.setBigInt64(0, view.getBigInt64(0) + (number > 0 ? -1n : 1n));
  return view.getFloat64(0);
}

/** Digits of numbers at which people cut ranges. */
const EDGE_DIGITS = 12;

/** The number of a few digits that a double is the greatest one below: `2` of `1.9999999999999998`; undefined for others. */
export function edgeAbove(text: string): string | undefined {
  const number = Number(text);
  const edge = number === -Number.MIN_VALUE ? 0 : Number(number.toPrecision(EDGE_DIGITS));
  return String(edge) !== text && String(below(edge)) === text ? String(edge) : undefined;
}
