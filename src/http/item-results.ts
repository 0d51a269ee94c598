/** The results of the items of a batch, in a response whose size is bounded by that of the request. */
import { ServiceError } from '../errors.ts';
import { detailOf, STATUS_OF_CODE } from './reply.ts';

type Detail = ReturnType<typeof detailOf>;

/** The outcome of one item. */
export type ItemResult = {
  /** Its position in the request, from 0. */
  readonly index: number;
  /** Its line in the request, from 1; only of NDJSON. */
  readonly line?: number;
  readonly pid?: string;
  readonly status: number;
  /** The records that it became, its own first. */
  readonly pids?: readonly string[];
  /** The index of an earlier item with the same pid, which this one replaces. */
  readonly duplicate_of?: number;
  /** How many records still refer to the deleted one. */
  readonly referrers?: number;
  /** IRIs that it refers to, of which there is no record. */
  readonly dangling?: readonly string[];
  /** Curated records with the same identifier. */
  readonly duplicates?: readonly string[];
  /** Its problems. */
  readonly detail?: Detail;
};

/** All details of a response may have this many characters; the first ones are complete. */
const MOST_DETAIL = 256 * 1024;
/** One item may list this many problems. */
const MOST_PROBLEMS_PER_ITEM = 50;

/** Details of the items of one response: one that was reported before refers to it, and long ones are shortened. */
export class Details {
  readonly #known = new Map<string, number>();
  #room = MOST_DETAIL;

  /** Returns the report of a refused item. */
  of(error: ServiceError, index: number): Pick<ItemResult, 'status' | 'detail'> {
    return { status: STATUS_OF_CODE[error.code], detail: this.#shorten(detailOf(error), index) };
  }

  #shorten(detail: Detail, index: number): Detail {
    const text = JSON.stringify(detail);
    const earlier = this.#known.get(text);
    if (earlier !== undefined) return `The same as for the item with the index ${earlier}.`;
    const short = typeof detail === 'string' ? detail : firstOf(detail);
    const size = short === detail ? text.length : JSON.stringify(short).length;
    if (size > this.#room) {
      this.#room = 0;
      const count = typeof detail === 'string' ? 1 : detail.length;
      const problems = count === 1 ? 'One problem' : `${count} problems`;
      return `${problems}, not listed because the response is too long. Validate this item alone.`;
    }
    this.#room -= size;
    if (size < 4096) this.#known.set(text, index);
    return short;
  }
}

function firstOf(problems: Exclude<Detail, string>): Detail {
  if (problems.length <= MOST_PROBLEMS_PER_ITEM) return problems;
  const more = problems.length - MOST_PROBLEMS_PER_ITEM;
  const msg = `${more} more problems are not listed.`;
  return [...problems.slice(0, MOST_PROBLEMS_PER_ITEM), { type: 'more_problems', loc: [], msg }];
}

/** The result of an item that is valid, but not written since others of an atomic batch are refused. */
export const NOT_WRITTEN = {
  status: 424,
  detail: 'The item was not written, because other items of the request are refused.',
} as const;

/** An atomic batch of which nothing was written. */
export function batchRefused(refused: number, all: number): ServiceError {
  const are = refused === 1 ? 'One item' : `${refused} items`;
  return new ServiceError('batch_refused', `${are} of ${all} refused; nothing was written.`);
}
