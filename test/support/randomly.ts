import type { TestContext } from 'node:test';

/** Numbers that look random, and are the same for the same seed. @returns a function whose result is below its argument */
export function randomly(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Random numbers of a test, whose report has their seed. `ACCESSION_SEED` repeats what it chooses, not how long that takes. */
export function randomOf(t: Pick<TestContext, 'diagnostic'>): (below: number) => number {
  const seed = Number(process.env.ACCESSION_SEED ?? Date.now() % 1_000_000);
  t.diagnostic(`ACCESSION_SEED=${seed}`);
  return randomly(seed);
}
