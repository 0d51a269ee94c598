/** Tests of how the cost of functions grows with the length of what they read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exponentOf, MOST_EXPONENT, MOST_ROUNDS, type Point, sizesUpTo } from './measure.ts';

/** As long as a URL and its headers may be. */
const LONGEST = 64 * 1024;

/** Declares a test for each function of a length. */
export function costsOf(readers: Readonly<Record<string, (n: number) => unknown>>): void {
  for (const [name, read] of Object.entries(readers)) {
    test(`${name}: the cost grows with the length`, () => {
      // The first time, code is compiled.
      read(LONGEST / 2);
      let points: Point[] = [];
      const exponent = () => {
        points = sizesUpTo(LONGEST, LONGEST / 2, 2).map((size) => {
          const before = process.threadCpuUsage();
          read(size);
          const { user, system } = process.threadCpuUsage(before);
          return { size, cpu: (user + system) / 1000, turn: 0, memory: 0 };
        });
        return exponentOf(points) ?? 0;
      };
      let round = 1;
      while (exponent() >= MOST_EXPONENT) assert.ok(round++ < MOST_ROUNDS, JSON.stringify(points));
    });
  }
}
