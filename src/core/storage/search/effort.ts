/**
 * The work that one search may cause: rows that it reads, so that the same request is always answered or always refused, however
 * busy the machine is. Others have their turn in between.
 */
import { ServiceError } from '../../errors.ts';
import { yielder } from '../../yield.ts';

/** What a search may cost, and in which steps. */
export type Bounds = {
  /** Rows of an index that it may read: three million take some two seconds of a processor. */
  readonly rows: number;
  /** Rows of its first statements; those of the next ones are more, up to {@link ROWS_AT_ONCE}. */
  readonly first: number;
  /** Records that are handled as a list. */
  readonly few: number;
  /** Values of a slot whose records are counted at a time, as many as memory is for. */
  readonly values: number;
};
const BOUNDS: Bounds = { rows: 3_000_000, first: 500, few: 5000, values: 50_000 };

/** Rows of one statement at most: others wait for it. */
export const ROWS_AT_ONCE = 20_000;
/** The text of a record takes as long as this many rows, and its key as these. */
export const ROWS_OF_TEXT = 15;
export const ROWS_OF_KEY = 8;
/** A row that is counted takes a part of one that is found: the database groups it by its value, or lists its record with others. */
export const COUNTED = { grouped: 1 / 6, listed: 1 / 3 } as const;

export class Effort {
  readonly bounds: Bounds;
  #spent = 0;
  readonly #yieldIfDue = yielder();

  constructor(bounds: Partial<Bounds> = {}) {
    this.bounds = { ...BOUNDS, ...bounds };
  }

  /**
   * Counts rows that a statement has read. To be called behind each.
   *
   * @throws ServiceError `search_too_broad`
   */
  async spend(rows: number): Promise<void> {
    this.require(rows);
    this.#spent += rows;
    await this.#yieldIfDue();
  }

  /**
   * Refuses before it begins what would read more rows than are left.
   *
   * @throws ServiceError `search_too_broad`
   */
  require(rows: number, advice?: string): void {
    if (!this.has(rows)) throw tooBroad('It would read too many records.', advice);
  }

  /** Whether so many rows are left. */
  has(rows: number): boolean {
    return this.#spent + rows <= this.bounds.rows;
  }
}

/** The refusal of a search that would not be answered exactly. */
export function tooBroad(
  reason: string,
  advice = 'Narrow it with `class`, or with another filter.',
): ServiceError {
  return new ServiceError('search_too_broad', `The search is too broad. ${reason} ${advice}`);
}
