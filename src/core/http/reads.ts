/** Reads the present records of an area, or those of a moment. The response names its revision. */

import type { Area, AreaReads, AreaState, Moment } from '../collections/area.ts';
import { bodyOfPresent, bodyOfState } from '../collections/body-of-state.ts';
import type { Collection } from '../collections/collection.ts';
import { afterChange } from '../errors.ts';
import type { Call } from './endpoint.ts';
import type { EnteredArea } from './enter.ts';
import { parameterInvalid, parameterRefused } from './query.ts';

/** The header with the revision of a read. */
const REVISION = 'accession-revision';

type ReadState = Pick<AreaState, 'cacheKey'> & { readonly reads: AreaReads };

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

/**
 * Reads a body whose revision the response names. If others write while the records are read, they are read once more, as they
 * were: an area may change all the time. Responses that name no revision are read once.
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
  const reads = query.at ? await area.at(query.at) : area;
  const makeOf = async () => ({ body: await make(reads) });
  if (query.matching !== undefined && collection.honorsMatching) {
    const { body, revision } = await bodyOfPresent(collection, reads, key, makeOf);
    if (revision !== undefined) noteRevision(call, area, revision);
    return body;
  }
  const { body, revision, isSteady } = await bodyOfState(collection, reads, key, makeOf);
  noteRevision(call, area, revision);
  if (isSteady || query.at || area.visibility()) return body;
  return make(await area.at({ revisions: revision.split('.').map(Number) }));
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
