/** Fills in the references of records that were written without them, and of all records if the schema has changed. */

import { linksOf } from '../records/links.ts';
import { definedRecord } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { Database } from '../storage/database.ts';
import type { Link, RecordStore, StoredRecord } from '../storage/store.ts';
import { LONG_RECORD } from '../tasks/long-records.ts';
import { resultWithSchema } from '../tasks/schemas.ts';
import type { Threads } from '../work/threads.ts';
import { eachStep, type FollowOptions } from './projections.ts';

/** @returns whether the index is complete. A process that only reads leaves it to the one that owns the database. */
export async function followLinks(
  { schema, database }: { readonly schema: Schema; readonly database: Pick<Database, 'readOnly'> },
  store: RecordStore,
  { steps = Number.POSITIVE_INFINITY, ...options }: FollowOptions = {},
): Promise<boolean> {
  const { links } = store;
  const key = schema.digest;
  for (let step = 0; ; step++) {
    const last = await store.revision();
    const position = await links.position();
    const revision = position.key === key ? position.revision : 0;
    if (position.key === key && revision >= last) return true;
    if (database.readOnly || step >= steps || options.turn?.stopping) return false;
    if (position.key !== key) await links.fill([], { key, revision: 0 });
    const reached = await eachStep(
      store,
      revision,
      { ...options, steps: 1 },
      async (change) => {
        if (change.kind === 'delete') return [];
        const { iri, revision } = change.record;
        return [{ iri, revision, links: await linksIn(schema, change.record, options.threads) }];
      },
      (made, revision) => links.fill(made.flat(), { key, revision }),
    );
    // There are revisions without a change.
    if (reached === revision) await links.fill([], { key, revision: last });
  }
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
