import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aboveTest, belowTest, type Edges } from './reach.ts';

type Link = readonly [child: number, relation: number, parent: number];

function edgesOf(count: number, links: readonly Link[]): Edges {
  const edges: number[] = [];
  const ends = Array.from({ length: count }, (_, number) => {
    for (const [child, relation, parent] of links) if (child === number) edges.push(relation, parent);
    return edges.length;
  });
  return { ends: Uint32Array.from(ends), edges: Uint32Array.from(edges) };
}

/** Whether a path leads up from a number to another one. */
function isPath(links: readonly Link[], from: number, to: number): boolean {
  const seen = new Set([from]);
  for (const one of seen)
    for (const [child, relation, parent] of links)
      if (child === one && relation === 1) {
        if (parent === to) return true;
        seen.add(parent);
      }
  return false;
}

test('what is above and below is what paths lead to, in any graph and any order of questions', () => {
  const count = 8;
  const number = fc.nat(count - 1);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(number, fc.nat(1), number), { maxLength: 14 }),
      fc.uniqueArray(number, { minLength: 1, maxLength: 3 }),
      fc.array(number, { minLength: 8, maxLength: 16 }),
      (links, given, asked) => {
        const edges = edgesOf(count, links);
        const follows = [false, true];
        const [isBelow, isAbove] = [belowTest(edges, given, follows), aboveTest(edges, given, follows)];
        for (const one of asked) {
          const others = given.filter((other) => other !== one);
          assert.equal(
            isBelow(one),
            others.some((other) => isPath(links, one, other)),
          );
          assert.equal(
            isAbove(one),
            others.some((other) => isPath(links, other, one)),
          );
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('all terms of a long chain, and of a long cycle, are tested in steps that grow with their number alone', () => {
  const count = 200_000;
  const numbers = Array.from({ length: count }, (_, number) => number);
  for (const [last, below] of [
    [[], 1],
    [[0, 0], count - 1],
  ] as const) {
    const edges = numbers.slice(1).flatMap((number) => [0, number - 1]);
    const ends = numbers.map((number) => 2 * number);
    // The first one has no parent, or the last one.
    const graph = last.length
      ? {
          ends: Uint32Array.from(numbers, (number) => 2 * (number + 1)),
          edges: Uint32Array.from([0, count - 1, ...edges]),
        }
      : { ends: Uint32Array.from(ends), edges: Uint32Array.from(edges) };
    const isBelow = belowTest(graph, [last.length ? 0 : count - 2], [true]);
    // From below to above, and the other way round, each would be a walk through all that are above.
    const found = [...numbers, ...numbers.toReversed()].filter(isBelow);
    assert.equal(new Set(found).size, below);
  }
});
