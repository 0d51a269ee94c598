/** What is repeated in the long tests: more generated inputs, more backends and more sizes of what the short ones show once. */

/** Whether this is a long test, such as `test/repeated.long.test.ts`, which runs short tests again. */
export const isLong = process.argv[1]?.endsWith('.long.test.ts') === true;

/** How many generated inputs a property has in short tests and in long ones; a variable replaces both. */
export function propertyRuns(short: number, long: number): number {
  return Number(process.env.ACCESSION_PROPERTY_RUNS ?? (isLong ? long : short));
}
