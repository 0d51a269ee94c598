/** Choices that are the same in every run. */
export type Choices = {
  /** An integer from 0 to below the limit. */
  below(limit: number): number;
  /** One of the options. */
  pick<T>(options: readonly T[]): T;
  /** True in this share of the calls. */
  chance(share: number): boolean;
};

/** Choices from a seed (mulberry32: 32 bits of state, good enough to choose test cases). */
export function choicesFrom(seed: number): Choices {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, pick: (options) => options[below(options.length)]!, chance: (share) => next() < share };
}
