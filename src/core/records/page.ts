/** Pages and limits of list reads (specification 2.2 and 8). */
import { ServiceError } from '../errors.ts';
import type { ListedRecord, Range, Selection } from '../storage/store.ts';
import type { RecordView } from './record.ts';

/** Pages count from here; how many records one has unless asked, and at most (specification 8). */
export const FIRST_PAGE = 1;
export const DEFAULT_SIZE = 50;
export const LARGEST_PAGE = 100;

/** A page of records; `pages` is 0 if there are none, and a page beyond the last one is empty. */
export type Page = {
  readonly records: readonly ListedRecord[];
  readonly total: number;
  readonly page: number;
  readonly size: number;
  readonly pages: number;
};

/**
 * One page.
 *
 * @param lastInstead whether a page beyond the end holds the last records, instead of none
 */
export async function readPage(
  view: RecordView,
  selection: Selection,
  page: number,
  size: number,
  lastInstead = false,
): Promise<Page> {
  const offset = (page - FIRST_PAGE) * size;
  const range = { offset, limit: size };
  const { total, records: found } = await (view.page?.(selection, range) ?? listed(view, selection, range));
  const records =
    lastInstead && offset >= total
      ? await view.list(selection, { offset: Math.max(0, total - size), limit: size })
      : found;
  return { records, total, page, size, pages: Math.ceil(total / size) };
}

async function listed(view: RecordView, selection: Selection, range: Range) {
  const [total, records] = await Promise.all([view.count(selection), view.list(selection, range)]);
  return { total, records };
}

/**
 * All selected records, if there are not too many.
 *
 * @param pagedPath the path that reads the same in pages; the refusal of a request for too many names it
 * @throws ServiceError `too_many_records`
 */
export async function readAll(
  view: RecordView,
  selection: Selection,
  limit: number,
  pagedPath: string,
): Promise<readonly ListedRecord[]> {
  const total = await view.count(selection, limit);
  if (total > limit) throw tooManyRecords(selection, total, limit, pagedPath);
  return view.list(selection, { offset: 0, limit });
}

/** A list that is longer than a response may be. */
function tooManyRecords(
  { matching }: Selection,
  total: number,
  limit: number,
  pagedPath: string,
): ServiceError {
  const records = matching === undefined ? total : `more than ${limit}`;
  return new ServiceError(
    'too_many_records',
    `The list has ${records} records, expected at most ${limit}. Read it in pages (${pagedPath}).`,
  );
}
