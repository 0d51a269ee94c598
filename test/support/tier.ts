/** What is repeated in the long tests: more generated inputs, other backends and more sizes of what the short ones show once. */
import { type TestContext, type TestOptions, test } from 'node:test';

/** Whether this is a long test, such as those of `test/repeated`, which run short tests again. */
export const isLong = process.argv[1]?.endsWith('.long.test.ts') === true;

/** How many generated inputs a property has in short tests and in long ones; a variable replaces both. */
export function propertyRuns(short: number, long: number): number {
  return Number(process.env.ACCESSION_PROPERTY_RUNS ?? (isLong ? long : short));
}

/** Of what must do the same, such as both databases: the first in short tests, and the others in long ones. */
export function ofTier<const T>(kinds: readonly T[]): readonly T[] {
  return isLong ? kinds.slice(1) : kinds.slice(0, 1);
}

/** A test that has more in the long ones: other backends, sizes or inputs. */
export { test as repeated };

/** A test that would be the same in `test/repeated`, which leaves it out. */
const shortTest = testIf(!isLong);

export { shortTest as test };

/** A test that `test/repeated` alone has: those beside it show the same kind of thing in less time. */
export const longTest = testIf(isLong);

function testIf(isDeclared: boolean) {
  return (name: string, ...declared: [Run] | [TestOptions, Run]): void => {
    if (!isDeclared) return;
    const [options, run] = declared.length === 1 ? [{}, declared[0]] : declared;
    test(name, options, run);
  };
}

type Run = (t: TestContext) => void | Promise<void>;
