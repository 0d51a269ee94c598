/** The items of a batch, and their results, in a response whose size is bounded by that of the request. */
import { JsonText, jsonWith } from '#linkml/json.ts';
import type { Area } from '../collections/area.ts';
import { firstProblems, ServiceError } from '../errors.ts';
import type { ItemText } from '../formats/json-items.ts';
import { etagOf } from '../records/condition.ts';
import { countSchema, listOf, objectOf, textSchema } from '../shapes.ts';
import { MOST_LISTED_CHARACTERS } from '../storage/read/records.ts';
import { runIfLong } from '../work/pool.ts';
import { itemTextsIn } from '../work/tasks.ts';
import { bodyBytes } from './body.ts';
import type { Call } from './endpoint.ts';
import { detailOf, type Statuses } from './reply.ts';
import type { FromSchema } from './schema-types.ts';

type Detail = ReturnType<typeof detailOf>;

const texts = listOf(textSchema);

/** The schema of the outcome of one item of a batch. */
export const itemResultSchema = {
  title: 'The result of one item',
  ...objectOf(
    {
      index: { ...countSchema, description: 'The position in the request, from 0.' },
      status: { type: 'integer', description: '200, or the status of the refusal.' },
    },
    {
      line: { type: 'integer', minimum: 1, description: 'The line in the request, from 1; only of NDJSON.' },
      pid: textSchema,
      pids: { ...texts, description: 'The records that the item became, its own first.' },
      referrers: {
        type: 'integer',
        description: 'How many records of the area still refer to the deleted one, if any do.',
      },
      dangling: {
        description:
          'With `hints`: IRIs that the item refers to, of which neither its area nor the curated one has a record.',
        ...texts,
      },
      duplicates: {
        ...texts,
        description: 'With `hints`: curated records with the same identifier, if the token may read them.',
      },
      duplicate_of: {
        type: 'integer',
        description: 'The index of an earlier item with the same pid, which this item replaces.',
      },
      detail: { $ref: '#/components/schemas/Detail' },
      etag: {
        ...textSchema,
        description:
          'Of reads, of stores with `conditional`, and with the status 412: the entity tag of the record as it is now.',
      },
      record: {
        type: ['object', 'null'],
        description:
          'Of reads: the record. With the status 412: the record as it is now, if the token may read it; null if there is none.',
      },
    },
  ),
} as const;

export type ItemResult = Omit<FromSchema<typeof itemResultSchema>, 'detail' | 'record'> & {
  readonly detail?: Detail;
  readonly record?: JsonText | null;
};

/** The results as JSON. */
export function resultsText(results: readonly ItemResult[]): JsonText {
  return new JsonText(`[${results.map(jsonWith).join(',')}]`);
}

/** Reads records for the results of one response, until they are too long together. */
export class PresentRecords {
  readonly #area: Area;
  #room = MOST_LISTED_CHARACTERS;

  constructor(area: Area) {
    this.#area = area;
  }

  /** Whether more records are read. */
  get hasRoom(): boolean {
    return this.#room > 0;
  }

  /** The record as it is now; null if there is none. @throws ServiceError `permission_missing`, `prefix_unknown` */
  async read(pid: string): Promise<Required<Pick<ItemResult, 'etag' | 'record'>> | null> {
    const found = await this.#area.read(pid);
    if (!found) return null;
    const { record, version } = found;
    this.#room -= record.json.length;
    return { etag: etagOf(version, 'json'), record: new JsonText(record.json) };
  }
}

/** All details of a response may have this many characters; the first ones are complete. */
const MOST_DETAIL = 256 * 1024;
/** One item may list this many problems. */
const MOST_PROBLEMS_PER_ITEM = 50;

/** Details of the items of one response: one that was reported before refers to it, and long ones are shortened. */
export class Details {
  readonly #known = new Map<string, number>();
  readonly #statuses: Statuses;
  #room = MOST_DETAIL;

  constructor(statuses: Statuses) {
    this.#statuses = statuses;
  }

  /** Returns the report of a refused item. */
  of(error: ServiceError, index: number): Pick<ItemResult, 'status' | 'detail'> {
    return { status: this.#statuses[error.code], detail: this.#shorten(detailOf(error), index) };
  }

  #shorten(detail: Detail, index: number): Detail {
    const text = JSON.stringify(detail);
    const earlier = this.#known.get(text);
    if (earlier !== undefined) return `The same as for the item with the index ${earlier}.`;
    const short = typeof detail === 'string' ? detail : firstProblems(detail, MOST_PROBLEMS_PER_ITEM);
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

/** The items of the body. @throws ServiceError `body_too_large` for too many items, `body_malformed` */
export async function itemsOf(call: Call): Promise<readonly ItemText[]> {
  const bytes = await bodyBytes(call);
  return runIfLong(call.service.pool, itemTextsIn, bytes, bytes.length);
}

/** Which media types a batch may have: those of JSON and NDJSON, and what clients send if they name none. */
const TYPES =
  /^\s*(application\/([\w.!#$&^-]+\+)?json|application\/(x-)?(ndjson|jsonl|jsonlines|json-seq)|application\/(x-www-form-urlencoded|octet-stream)|text\/plain)\s*(;|$)/i;

/** Refuses a body of another type once, rather than each of its lines. @throws ServiceError `body_malformed` */
export function checkBatchType(contentType: string | undefined): void {
  if (contentType === undefined || TYPES.test(contentType)) return;
  throw new ServiceError(
    'body_malformed',
    `The request has the Content-Type '${contentType}', expected application/json or application/x-ndjson.`,
  );
}
