/** Reads the present records of an area, or those of a moment. The response names its revision. */

import type { Area, AreaReads, AreaState, Moment } from '../collections/area.ts';
import { isSameState } from '../collections/area-reading.ts';
import type { Collection } from '../collections/collection.ts';
import { afterChange } from '../errors.ts';
import type { Call } from './endpoint.ts';
import type { EnteredArea } from './enter.ts';
import { parameterInvalid, parameterRefused } from './query.ts';

/** The header with the revision of a read. */
const REVISION = 'accession-revision';

export type ReadState = Pick<AreaState, 'cacheKey'> & { readonly reads: AreaReads };

/**
 * The reads of an area at a moment, or as it is.
 *
 * @throws ServiceError `revision_gone`; `parameter_invalid` for a search in a former state
 */
export async function readsAt(
  call: Call,
  { collection, area }: { readonly collection: Collection; readonly area: Area },
  query: { readonly at: Moment | undefined; readonly matching?: string | undefined },
): Promise<ReadState> {
  if (query.at) refuseMatching(collection, query.matching);
  const reads = query.at ? await area.at(query.at) : area;
  const { cacheKey, revision } = await reads.state();
  noteRevision(call, area, revision);
  return { reads, cacheKey };
}

/** How often records are read again whose area has changed meanwhile. */
const ATTEMPTS = 3;

/**
 * Reads a body whose revision the response names: others may write between the look at the revision and the read, so both are
 * compared afterwards. An area that changes all the time is read as it was.
 *
 * @param key of the body in the cache of pages; without one, it is not kept
 * @throws ServiceError as {@link readsAt}
 */
export async function readBody(
  call: Call,
  entered: { readonly collection: Collection; readonly area: Area },
  query: { readonly at: Moment | undefined; readonly matching?: string | undefined },
  key: string | undefined,
  make: (reads: AreaReads) => Promise<Buffer>,
): Promise<Buffer> {
  const { collection, area } = entered;
  if (query.at) refuseMatching(collection, query.matching);
  const former = query.at && (await area.at(query.at));
  for (let attempt = 1; ; attempt++) {
    const state = await (former ?? area).state();
    const { cacheKey, revision } = state;
    const isKept = key !== undefined && cacheKey !== undefined;
    const known = isKept ? collection.pages.get(key, cacheKey) : undefined;
    const body = known ?? (await make(former ?? area));
    if (known || former || isSameState(await area.state(), state)) {
      noteRevision(call, area, revision);
      if (isKept && !known) collection.pages.set(key, cacheKey, body);
      return body;
    }
    if (attempt < ATTEMPTS) continue;
    // A search knows the present records only, so its response names no revision.
    if (query.matching !== undefined && collection.honorsMatching) return body;
    const revisions = revision.split('.').map(Number);
    noteRevision(call, area, revision);
    return make(await area.at({ revisions }));
  }
}

/** Adds the revision to a response. Revisions count the changes of hidden records, too, so they are for those who see all. */
export function noteRevision({ reply }: Call, area: Area, revision: string): void {
  if (!area.visibility()) reply.header(REVISION, revision);
}

/**
 * Adds the revision of the area after a write, for callers who may read it.
 *
 * @param revision of the commit; it is read if it is not known
 */
export async function noteWritten(call: Call, entered: EnteredArea, revision?: string): Promise<void> {
  const { readCurated, readZone, curate } = entered.grant.permissions;
  if (!readCurated && !readZone && !curate) return;
  if (revision === undefined) await afterChange(readsAt(call, entered, { at: undefined }));
  else noteRevision(call, entered.area, revision);
}

/** @param other the parameter beside it. @throws ServiceError `parameter_invalid` */
export function refuseMatching(
  { honorsMatching }: Collection,
  input: string | undefined,
  other = 'at',
): void {
  if (input === undefined || !honorsMatching) return;
  const expected = `none with '${other}': the index has the present records only`;
  throw parameterRefused('matching', input, expected, 'parameter_unsupported');
}

/** @throws ServiceError `parameter_invalid` */
export function requireMatching(collection: Collection, input: string | undefined): void {
  const { honorsMatching, config, name } = collection;
  if (input === undefined || honorsMatching) return;
  const msg = `The query parameter 'matching' is not supported by the backend '${config.backend.type}' of the collection '${name}', expected none.`;
  throw parameterInvalid([{ type: 'parameter_unsupported', loc: ['query', 'matching'], msg, input }]);
}
