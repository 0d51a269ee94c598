/**
 * The curated records as harvesters list them: each with its last change, in the order of these. A list is of one moment, so a
 * harvester gets each record once, and what changes meanwhile with the next harvest.
 */
import { FEW, nextTogether, readGradually } from '../../../core/batches.ts';
import type { Collection } from '../../../core/collections/collection.ts';
import { generationOf } from '../../../core/collections/feed.ts';
import { linksOf } from '../../../core/records/links.ts';
import { definedRecord } from '../../../core/records/record.ts';
import { titleOf } from '../../../core/records/title.ts';
import type { FeedChange, RecordStore } from '../../../core/storage/store.ts';
import { presentTime, timeOf } from '../../../core/storage/times.ts';
import { LONG_BODY, type Pool, runIfLong } from '../../../core/work/pool.ts';
import { yielder } from '../../../core/yield.ts';
import { metadataOf } from '../publication.ts';
import { metadataIn } from '../tasks.ts';
import { METADATA_FORMATS, type MetadataPrefix, type MetadataRecord } from './metadata-formats.ts';

/** Times are those of entries. */
type Harvest = {
  readonly prefix: MetadataPrefix;
  /** Only records of these classes; one that was of them is listed as deleted. */
  readonly classes: readonly string[] | undefined;
  /** Only records whose last change was behind this time, up to another one. */
  readonly after: string | undefined;
  readonly until: string | undefined;
  /** The moment that the list is of. */
  readonly at: string;
  readonly limit: number;
};

export type HarvestedRecord = Pick<FeedChange, 'iri' | 'className' | 'time'> & {
  /** When the record was changed, in the same form: not in the future. */
  readonly date: string;
  /** Undefined for a record that is deleted, or that the format cannot express any more. */
  readonly metadata: string | undefined;
};

/** The curated area as a caller sees it, and where pages of its records are. */
export type HarvestSource = {
  readonly collection: Collection;
  readonly curated: RecordStore;
  readonly urlOf: (pid: string, iri: string) => string;
  readonly pool: Pool;
};

/** Changes that are read at once, and in search of the first one to list. */
const STEP = 200;
/** Records whose titles are read together: each may have 10 MB. */
const READ_AT_ONCE = 16;
/** A page ends when its metadata has this many characters. */
const MOST_CHARACTERS = 4_000_000;

/**
 * The bounds of a list by the times of entries, from those of a request by the clock. They are times of changes that the caller
 * sees, since resumption tokens have them.
 */
export async function boundsBy(
  { curated }: HarvestSource,
  { after, until }: Pick<Harvest, 'after' | 'until'>,
): Promise<Pick<Harvest, 'after' | 'until' | 'at'>> {
  const now = presentTime();
  const seenUpTo = async (revision: number) =>
    (await curated.entries({ before: revision + 1, newestFirst: true, limit: 1 }))[0]?.time ?? timeOf(0);
  const entryTime = async (time: string, of: 'revisionBy' | 'revisionBefore' = 'revisionBy') => {
    const revision = await curated[of](time);
    return revision === (await curated.revisionDated(time)) ? time : seenUpTo(revision);
  };
  return {
    // A later time is that of an answer from when the clock was ahead: behind it is what followed that date.
    after: after === undefined || after >= now ? after : await entryTime(after, 'revisionBefore'),
    until: until === undefined || until >= now ? undefined : await entryTime(until),
    at: await entryTime(now),
  };
}

/** Whether everything is kept that a list of a moment needs. */
export async function isKept({ curated }: HarvestSource, at: string): Promise<boolean> {
  return (await curated.revisionDated(at)) >= (await curated.keptFrom());
}

/** The line of history that lists are of: the store may be restored, and the caller's policies may change. */
export function lineOf({ collection, curated }: HarvestSource): Promise<string> {
  return generationOf({ collection, store: curated, path: curated.area.path });
}

/** A page of the list. @returns the records, and the time behind which the next page begins, if there is one */
export async function harvest(
  from: HarvestSource,
  { prefix, classes, after, until, at, limit }: Harvest,
): Promise<{ records: HarvestedRecord[]; next: string | undefined }> {
  const { curated } = from;
  const lastUpTo = await curated.revisionDated(at);
  const end = until === undefined || until >= at ? lastUpTo : await curated.revisionDated(until);
  const records: HarvestedRecord[] = [];
  let [most, characters, atOnce] = [limit, 0, FEW];
  for (let reached = after === undefined ? 0 : await curated.revisionDated(after); reached < end; ) {
    // One more than the page has: whether there is another page.
    const step = Math.min(STEP, limit + 1 - records.length);
    const page = await curated.feed({ after: reached, lastUpTo, limit: step, ...(classes && { classes }) });
    const changes = page.changes.filter(({ revision }) => revision <= end);
    for (let first = 0; first < changes.length; ) {
      const some = changes.slice(first, first + atOnce);
      first += some.length;
      const listed = await harvestedRecords(from, prefix, some, lastUpTo);
      records.push(...listed);
      if (records.length > most) return { records: records.slice(0, most), next: records[most - 1]!.time };
      const length = listed.reduce((sum, { metadata = '' }) => sum + metadata.length, 0);
      characters += length;
      atOnce = nextTogether(atOnce, length);
      // One more record shows whether there is another page.
      if (characters > MOST_CHARACTERS) [most, atOnce] = [records.length, 1];
    }
    if (page.reached === reached) break;
    reached = page.reached;
  }
  return { records, next: undefined };
}

/** The last change of one record; undefined if the caller has never seen it. */
export async function lastChange({ curated }: HarvestSource, iri: string): Promise<FeedChange | undefined> {
  const lastUpTo = await curated.revision();
  const { changes } = await curated.feed({ after: 0, iri, lastUpTo, limit: 1 });
  return changes[0];
}

/** Changes with metadata. A record that the format has never expressed is left out. */
export async function harvestedRecords(
  from: HarvestSource,
  prefix: MetadataPrefix,
  changes: readonly FeedChange[],
  at: number,
): Promise<HarvestedRecord[]> {
  const { collection, curated, urlOf, pool } = from;
  const { schema } = collection;
  const present = changes.filter(({ kind }) => kind !== 'deleted').map(({ iri }) => iri);
  const stored = new Map((await curated.former.records(present, at)).map((one) => [one.iri, one]));
  const records = [...stored.values()].map(({ pid, iri, className, json }): MetadataRecord => {
    return { iri, className, json, url: urlOf(pid, iri) };
  });
  const publishing = await metadataOf({ collection });
  const titles = METADATA_FORMATS[prefix].hasTitles
    ? await titlesOf(from, records, at)
    : new Map<string, string>();
  const length = records.reduce((sum, { json }) => sum + json.length, 0);
  const writing = { schema, publishing, titles, prefix, records };
  const documents = await runIfLong(pool, metadataIn, writing, length);
  const metadataBy = new Map(records.map(({ iri }, index) => [iri, documents[index]]));
  const dateOf = await curated.dates();
  return changes.flatMap((change) => {
    const { iri, className, time, kind } = change;
    const metadata = metadataBy.get(iri);
    // Harvesters may have a version that could be expressed.
    if (metadata === undefined && kind === 'created') return [];
    return { iri, className, time, date: dateOf(change), metadata };
  });
}

/** The titles of the records that others refer to, as they were. Long records have none. */
async function titlesOf(
  { collection: { schema }, curated }: HarvestSource,
  records: readonly MetadataRecord[],
  at: number,
): Promise<Map<string, string>> {
  const yieldIfDue = yielder();
  const isShort = ({ json }: { readonly json: string }) => json.length < LONG_BODY;
  const targets = new Set<string>();
  for (const record of records.filter(isShort)) {
    for (const { iri } of linksOf(schema, record.className, definedRecord(schema, record))) targets.add(iri);
    await yieldIfDue();
  }
  const titles = new Map<string, string>();
  const read = (some: readonly string[]) => curated.former.records(some, at);
  for await (const { found } of readGradually([...targets], READ_AT_ONCE, read)) {
    for (const { iri, className, ...record } of found.filter(isShort)) {
      const title = titleOf(schema, className, definedRecord(schema, { className, ...record }));
      titles.set(iri, title ?? iri);
      await yieldIfDue();
    }
    await yieldIfDue();
  }
  return titles;
}
