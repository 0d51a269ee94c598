/** Reads of a collection as it was at a moment. */

import { ServiceError } from '../errors.ts';
import type { AsOf, StoreAt } from '../records/as-of.ts';
import type { ReferenceSource } from '../records/record.ts';
import type { RecordStore } from '../storage/store.ts';
import { microsecondsOf, timeOf } from '../storage/times.ts';
import type { Moment } from './area.ts';
import type { AreaReading } from './area-reading.ts';
import type { Collection } from './collection.ts';

/** Changes since a moment that a request follows: they take two seconds and 50 MB. */
const MOST_CHANGES = 100_000;

/**
 * Opens an area as of a moment, for reads and for lookups of its records.
 *
 * @throws ServiceError `revision_gone`
 */
export async function readingAt(
  collection: Collection,
  present: AreaReading,
  moment: Moment,
): Promise<{ readonly reading: AreaReading; readonly source: ReferenceSource }> {
  const { parts } = present;
  if (parts.length === 0) return { reading: present, source: NOTHING };
  const stores = parts.map(({ store }) => store);
  const found = await storesAt(stores, moment);
  const view = collection.former.of(found, MOST_CHANGES);
  return {
    reading: { view, parts: parts.map((part, at) => ({ ...part, at: found[at]!.revision })) },
    source: {
      records: (iris) => view.records(iris),
      referrers: (iris) => view.referrers(iris),
    },
  };
}

const NOTHING: ReferenceSource = {
  records: async () => [],
  referrers: async (iris) => new Map(iris.map((iri) => [iri, { iris: new Set(), isComplete: true }])),
};

/** The curated area at a revision, with all of its records. @throws ServiceError `revision_gone` */
export async function curatedAt({ curated, former }: Collection, revision: number): Promise<AsOf> {
  return former.of(await storesAt([curated], { revisions: [revision] }));
}

/** The revisions of stores at a moment. @param stores the first one first: a zone, then the curated area */
async function storesAt(stores: readonly RecordStore[], moment: Moment): Promise<StoreAt[]> {
  const found: StoreAt[] = [];
  for (const [at, store] of stores.entries()) {
    // A zone without a number was made later.
    const revision = await momentIn(store, moment, stores.length - 1 - at);
    if (revision < (await store.keptFrom()))
      throw gone('The state at that moment is not kept any more: its entries were removed.');
    if (revision > (await store.revision())) throw gone(`The area has not come to the revision ${revision}.`);
    found.push({ store, revision });
  }
  return found;
}

/** @param index of the area among the numbers */
function momentIn(store: RecordStore, moment: Moment, index: number): Promise<number> | number {
  if ('time' in moment) return store.revisionBy(moment.time);
  if ('numbers' in moment) return revisionOf(store, moment.numbers[index] ?? 0);
  return moment.revisions[index] ?? 0;
}

/**
 * The revision of a number that a caller has. Callers who do not see every record have the microseconds of times, since revisions
 * would count hidden changes.
 */
export async function revisionOf(store: RecordStore, number: number): Promise<number> {
  return store.visibility && number > 0 ? store.revisionDated(timeOf(number)) : number;
}

/** The reverse of {@link revisionOf} for a change. */
export function numberOf(store: RecordStore, { revision, time }: { revision: number; time: string }): number {
  return store.visibility ? microsecondsOf(time) : revision;
}

function gone(message: string): ServiceError {
  return new ServiceError('revision_gone', message);
}
