/** Finds what a collection publishes under a pid for a caller: a record, or what became of it; and the rest of public pages. */

import { compareCodePoints } from '#linkml/json.ts';
import type { Area, ReadRecord } from '../../core/collections/area.ts';
import { numberOf, revisionOf } from '../../core/collections/as-of.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { type LinkRow, linksOfPid } from '../../core/collections/links.ts';
import { readSettings } from '../../core/collections/settings.ts';
import { resolvePid } from '../../core/records/record.ts';
import { scanEntries } from '../../core/storage/read/paging.ts';
import type { RecordStore } from '../../core/storage/store.ts';
import { yielder } from '../../core/yield.ts';
import type { PublicationMetadata } from './publishing.ts';
import type {} from './settings.ts';

/** The resource under a pid. */
type Resource =
  | ({ readonly kind: 'record' | 'moved' } & ReadRecord)
  /** A curated record that was deleted. */
  | { readonly kind: 'deleted'; readonly time: string }
  | { readonly kind: 'missing' };

/** A collection, and what a caller reads of it. */
export type ReadContext = {
  readonly collection: Collection;
  readonly area: Area;
  /** The curated area as the caller sees it; undefined if the caller does not read it. */
  readonly curated: RecordStore | undefined;
};

/** Finds the resource under a pid. A record that the caller does not see is missing, also after its deletion. @throws ServiceError `prefix_unknown` */
export async function resourceOf({ collection, area, curated }: ReadContext, pid: string): Promise<Resource> {
  const found = await area.read(pid);
  if (found) return { kind: found.moved ? 'moved' : 'record', ...found };
  const iri = resolvePid(collection.schema, pid);
  // The text of a hidden record is not read: that would take longer than to find nothing.
  if (!curated || (await collection.curated.having([iri])).length > 0) return { kind: 'missing' };
  const last = await lastChange(curated, iri);
  if (last?.kind !== 'delete') return { kind: 'missing' };
  return { kind: 'deleted', time: (await curated.dates())(last) };
}

async function lastChange(store: RecordStore, iri: string) {
  const [last] = await store.entries({ iris: [iri], newestFirst: true, limit: 1 });
  return last;
}

export async function metadataOf({
  collection,
}: Pick<ReadContext, 'collection'>): Promise<PublicationMetadata> {
  return (await readSettings(collection)).publish ?? {};
}

/** The parts of a public page besides the record. */
type RecordContext = {
  /** When the curated record was changed, ISO 8601; undefined for a record of a zone. */
  readonly modified: string | undefined;
  readonly to: readonly LinkRow[];
  /** In the order of their pids. */
  readonly from: readonly LinkRow[];
  /** The records that refer to it, beyond those in `from`, too; undefined if they are too many to count for a page. */
  readonly referrers: number | undefined;
};

/** References in each direction. */
const MOST_LINKS = 100;

export async function recordContextOf(
  { collection, area, curated }: ReadContext,
  { record, version }: ReadRecord,
): Promise<RecordContext> {
  const isCurated = curated !== undefined && version.scope === collection.scopeOf('');
  const page = { offset: 0, limit: MOST_LINKS };
  const [last, { to, from, referrers, counted }] = await Promise.all([
    isCurated ? curated.feed({ iri: record.iri, after: record.revision - 1, limit: 1 }) : undefined,
    linksOfPid(collection, record.pid, page, {
      curated: curated !== undefined,
      zones: false,
      seen: (store) => collection.seen(store, area.visibility()),
    }),
  ]);
  const inOrder = from.toSorted((a, b) => compareCodePoints(a.pid, b.pid));
  return {
    modified: last?.changes[0] && (await curated!.dates())(last.changes[0]),
    to,
    from: inOrder,
    referrers: counted ? referrers : undefined,
  };
}

/** A curated record and its last change; the number says where a list goes on behind it. */
export type ChangedRecord = { readonly pid: string; readonly time: string; readonly number: number };

/** The curated records that a caller sees, in the order of their last changes, behind a number. */
export async function* changedRecords(curated: RecordStore, after = 0): AsyncGenerator<ChangedRecord> {
  const query = { lastOnly: true, after: await revisionOf(curated, after) };
  const dateOf = await curated.dates();
  const yieldIfDue = yielder();
  for await (const entry of scanEntries(curated, query)) {
    await yieldIfDue();
    const { kind, pid } = entry;
    if (kind === 'put') yield { pid, time: dateOf(entry), number: numberOf(curated, entry) };
  }
}

/** When the first and the last of the changes that are kept were made; empty if there are none. */
export async function timesOfChanges(
  curated: RecordStore,
): Promise<{ readonly issued?: string; readonly modified?: string }> {
  const [first] = await curated.entries({ limit: 1 });
  const [last] = await curated.entries({ newestFirst: true, limit: 1 });
  if (!first || !last) return {};
  const dateOf = await curated.dates();
  return { issued: dateOf(first), modified: dateOf(last) };
}
