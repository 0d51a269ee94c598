/**
 * Fills in the references of records that were written without them, and of all records if the schema has changed. It
 * follows the changes of the area by revision.
 */
import type { Threads } from '../jobs/threads.ts';
import { linksOf } from '../records/links.ts';
import { definedRecord } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { Database } from '../storage/database.ts';
import type { Link, LinksOfRecord, RecordStore, StoredRecord } from '../storage/store.ts';
import { LONG_RECORD } from '../tasks/long-records.ts';
import { resultWithSchema } from '../tasks/schemas.ts';

/** Changes that are read in one step. */
const CHANGES_OF_A_STEP = 200;
/** Links, or records without any, that are written in one transaction. */
const LINKS_AT_ONCE = 200;
/** Steps that are made inside a request; the rest is for the job. */
const STEPS_OF_A_REQUEST = 10;

/** For a request, which cannot wait for a whole area. */
export const BRIEFLY: FollowOptions = { steps: STEPS_OF_A_REQUEST };

/** Lets others have their turn; see the context of jobs. */
export type Turn = {
  breathe(): Promise<void>;
  readonly stopping: boolean;
  /** Up to which revision of its area the work has come. */
  reached?(revision: number): void;
};

export type FollowOptions = {
  readonly turn?: Turn;
  readonly steps?: number;
  /** Where long records are read; without it, like short ones. */
  readonly threads?: Threads;
};

/** @returns whether the index is complete. A process that only reads leaves it to the one that owns the database. */
export async function followLinks(
  { schema, database }: { readonly schema: Schema; readonly database: Pick<Database, 'readOnly'> },
  store: RecordStore,
  { turn, steps = Number.POSITIVE_INFINITY, threads }: FollowOptions = {},
): Promise<boolean> {
  const { links } = store;
  const key = schema.digest;
  const known = async () => {
    const position = await links.position();
    return position.key === key ? position.revision : undefined;
  };
  if ((await known()) === undefined && !database.readOnly) await links.fill([], { key, revision: 0 });
  for (let step = 0; step < steps && !turn?.stopping; step++) {
    const last = await store.revision();
    let revision = (await known()) ?? 0;
    if (revision >= last) return true;
    if (database.readOnly) return false;
    const changes = await store.changesSince(revision, CHANGES_OF_A_STEP);
    if (changes.length === 0) return true;
    let found: LinksOfRecord[] = [];
    let size = 0;
    for (const [at, change] of changes.entries()) {
      await turn?.breathe();
      if (change.kind === 'put') {
        const { iri, revision } = change.record;
        const links = await linksIn(schema, change.record, threads);
        found.push({ iri, revision, links });
        size += Math.max(1, links.length);
      }
      revision = change.kind === 'put' ? change.record.revision : change.revision;
      if (size < LINKS_AT_ONCE && at < changes.length - 1) continue;
      await links.fill(found, { key, revision });
      turn?.reached?.(revision);
      found = [];
      size = 0;
    }
  }
  const last = await store.revision();
  return ((await known()) ?? 0) >= last;
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
