/**
 * Brings what is derived from the records of an area up to date: the index of references, and the records that do not
 * fit the schema of today. Both follow the changes of the area by revision, so that changes of other programs are seen,
 * and start again if the schema has changed.
 */

import { linksOf } from '../records/links.ts';
import { definedRecord } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { RecordStore } from '../storage/store.ts';
import type { Turn } from './areas.ts';

/** Changes that are followed in one step. */
const FOLLOWED_AT_ONCE = 200;

/** Steps that are made inside a request; whatever is left is for the job. */
const STEPS_AT_ONCE = 10;

/** For a request, which cannot wait for a whole area. */
export const BRIEFLY = { steps: STEPS_AT_ONCE };

/**
 * Fills in the links of records that were written without them, unless another process owns the store.
 *
 * @returns whether the index is complete
 */
export async function followLinks(
  schema: Schema,
  store: RecordStore,
  { turn, steps = Number.POSITIVE_INFINITY }: { readonly turn?: Turn; readonly steps?: number },
): Promise<boolean> {
  const { links } = store;
  let { key, revision } = await links.position();
  // The service that owns the store fills them in.
  if (store.followed)
    return store.followed === 'missing' || (key === schema.digest && revision >= (await store.revision()));
  if (key !== schema.digest) {
    revision = 0;
    await links.fill([], { key: schema.digest, revision });
  }
  for (let step = 0; step < steps; step++) {
    if (revision >= (await store.revision())) return true;
    if (turn?.stopping) return false;
    const changes = await store.changesSince(revision, FOLLOWED_AT_ONCE);
    const read = changes.flatMap((change) =>
      change.kind === 'put'
        ? {
            iri: change.record.iri,
            revision: change.record.revision,
            links: linksOf(schema, change.record.className, definedRecord(schema, change.record)),
          }
        : [],
    );
    const last = changes.at(-1);
    if (last === undefined) return true;
    revision = last.kind === 'put' ? last.record.revision : last.revision;
    key = schema.digest;
    await links.fill(read, { key, revision });
    await turn?.breathe();
  }
  return revision >= (await store.revision());
}
