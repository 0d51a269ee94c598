/** Bodies that are made of the records of an area, and remembered while the area stays as it is. */
import type { AreaReads } from './area.ts';
import { isSameState } from './area-reading.ts';
import type { Collection } from './collection.ts';

type MadeBody = {
  readonly body: Buffer;
  /** If the same request may soon be answered otherwise, so that the body is not kept. */
  readonly isLate?: boolean;
};

type BodyOfState = {
  readonly body: Buffer;
  /** The revision before the body was made. */
  readonly revision: string;
  /** Whether the body is of this revision: others may write while it is made, so both are compared afterwards. */
  readonly isSteady: boolean;
};

/** @param key of the body in the cache of pages; without one, it is not kept */
export async function bodyOfState(
  { pages }: Pick<Collection, 'pages'>,
  reads: Pick<AreaReads, 'state'>,
  key: string | undefined,
  make: () => Promise<MadeBody>,
): Promise<BodyOfState> {
  const state = await reads.state();
  const { cacheKey, revision } = state;
  const isKept = key !== undefined && cacheKey !== undefined;
  const known = isKept ? pages.get(key, cacheKey) : undefined;
  if (known) return { body: known, revision, isSteady: true };
  const { body, isLate } = await make();
  const isSteady = isSameState(await reads.state(), state);
  if (isKept && isSteady && !isLate) pages.set(key, cacheKey, body);
  return { body, revision, isSteady };
}

/**
 * A body that can only be made of the present records, such as that of a search: it is made again, once, if the area has changed meanwhile.
 *
 * @returns `revision` undefined if it has changed again
 */
export async function bodyOfPresent(
  ...given: Parameters<typeof bodyOfState>
): Promise<{ readonly body: Buffer; readonly revision: string | undefined }> {
  const first = await bodyOfState(...given);
  const { body, revision, isSteady } = first.isSteady ? first : await bodyOfState(...given);
  return { body, revision: isSteady ? revision : undefined };
}
