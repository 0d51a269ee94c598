/**
 * Brings what is derived from the records of an area up to date: the index of references, and the records that do not
 * fit the schema of today. Both follow the changes of the area by revision, so that changes of other programs are seen,
 * and start again if the schema has changed.
 */

import type { Threads } from '../jobs/threads.ts';
import { linksOf } from '../records/links.ts';
import { definedRecord } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { Link, LinksOfRecord, RecordStore, StoredRecord } from '../storage/store.ts';
import { LONG_RECORD } from '../tasks/long-records.ts';
import { resultWithSchema } from '../tasks/schemas.ts';
import type { Turn } from './areas.ts';

/** Changes that are read in one step. */
const FOLLOWED_AT_ONCE = 200;

/** So many links, or records without any, are written in one transaction, which takes some milliseconds. */
const WRITTEN_AT_ONCE = 200;

/** Steps that are made inside a request; whatever is left is for the job. */
const STEPS_AT_ONCE = 10;

/** For a request, which cannot wait for a whole area. */
export const BRIEFLY = { steps: STEPS_AT_ONCE };

export type FollowOptions = {
  readonly turn?: Turn;
  readonly steps?: number;
  /** Where long records are read; without it, like short ones. */
  readonly threads?: Threads;
};

/**
 * Fills in the links of records that were written without them, unless another process owns the store.
 *
 * @returns whether the index is complete
 */
export async function followLinks(
  schema: Schema,
  store: RecordStore,
  { turn, steps = Number.POSITIVE_INFINITY, threads }: FollowOptions,
): Promise<boolean> {
  const { links } = store;
  const key = schema.digest;
  const position = await links.position();
  let revision = position.key === key ? position.revision : 0;
  // The service that owns the store fills them in.
  if (store.followed) return store.followed === 'missing' || revision >= (await store.revision());
  if (position.key !== key) await links.fill([], { key, revision });
  for (let step = 0; step < steps; step++) {
    if (revision >= (await store.revision())) return true;
    if (turn?.stopping) return false;
    const changes = await store.changesSince(revision, FOLLOWED_AT_ONCE);
    if (changes.length === 0) return true;
    let read: LinksOfRecord[] = [];
    let size = 0;
    for (const [at, change] of changes.entries()) {
      await turn?.breathe();
      if (change.kind === 'put') {
        const { iri, revision } = change.record;
        const found = await linksIn(schema, change.record, threads);
        read.push({ iri, revision, links: found });
        size += Math.max(1, found.length);
      }
      revision = change.kind === 'put' ? change.record.revision : change.revision;
      if (size < WRITTEN_AT_ONCE && at < changes.length - 1) continue;
      await links.fill(read, { key, revision });
      turn?.reached?.(revision);
      read = [];
      size = 0;
    }
  }
  return revision >= (await store.revision());
}

async function linksIn(
  schema: Schema,
  { className, json }: StoredRecord,
  threads: Threads | undefined,
): Promise<readonly Link[]> {
  if (threads && json.length >= LONG_RECORD)
    return resultWithSchema<Link[]>(threads, schema, 'find links', { className, json });
  return linksOf(schema, className, definedRecord(schema, { className, json }));
}
