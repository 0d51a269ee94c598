import { hash } from 'node:crypto';
import { inThread } from '../../core/errors.ts';
import { type TakeOptions, takeFrom } from '../../core/schema/vocabulary-files.ts';
import { type OfSchema, ofSchema } from '../../core/work/task.ts';
import { takeRecords } from './take-records.ts';

/** The bytes of a snapshot in memory that threads share, and their SHA-256 hash. */
export type FetchedSnapshot = { readonly bytes: Uint8Array; readonly digest: string };

/** The snapshot of a source. @throws LinkmlError `schema_invalid` */
export const snapshotOf = inThread(
  async ({ source, url, ...options }: Omit<TakeOptions, 'url'> & { source: string; url: string }) =>
    shared(await takeFrom(source, { ...options, url: new URL(url) })),
);

/** Records as lines of IRI, class and record. */
type RecordsAsTerms = OfSchema & {
  readonly source: string;
  readonly pieces: readonly Uint8Array[];
};

/** The snapshot of records. @throws LinkmlError `schema_invalid` if there are none */
export const snapshotOfRecords = ofSchema(async ({ schema, source, pieces }: RecordsAsTerms) =>
  shared(await takeRecords(pieces, source, schema)),
);

function shared(snapshot: Uint8Array): FetchedSnapshot {
  const bytes = new Uint8Array(new SharedArrayBuffer(snapshot.length));
  bytes.set(snapshot);
  return { bytes, digest: hash('sha256', snapshot, 'hex') };
}
