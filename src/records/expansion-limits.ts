/** How much a response includes of what its records refer to. */

export type ExpansionLimits = {
  /** References in a row. */
  readonly levels: number;
  /** Records beside those that are expanded. */
  readonly included: number;
  /** Of the included records, also of those that are written repeatedly. */
  readonly characters: number;
};

export const EXPANSION_LIMITS: ExpansionLimits = { levels: 8, included: 2000, characters: 4_000_000 };

/**
 * The characters that an export includes in all, beside so many times those of its own records: 60 short records that refer to
 * each other would otherwise be 240 MB, and 600 of them 2.4 GB.
 */
export const IN_EXPORT = { characters: 64_000_000, times: 100 };
