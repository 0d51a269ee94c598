/** The {@link RecordStore} of an area. */

import { readDates, revisionBefore, revisionBy } from '../clocks.ts';
import type { Database } from '../database.ts';
import { keptFrom, NOTE_PRUNED, PRUNE, readEntries, revisionDated, type Viewer } from '../history/entries.ts';
import { readWeeks } from '../history/entry-weeks.ts';
import { readFeed } from '../history/feed.ts';
import { countEntries, differencesSince, recordsAt, textsOf } from '../history/former-states.ts';
import { isPolicyIndexed } from '../policy-column.ts';
import type { Reader } from '../reader.ts';
import { everyRecord, Search } from '../search/search.ts';
import type { SearchResults } from '../search/search-results.ts';
import type { Trigrams } from '../search/trigrams.ts';
import { Words } from '../search/words.ts';
import type { AreaId, RecordStore, Selection, StoredRecord } from '../store.ts';
import { microsecondsOf } from '../times.ts';
import type { Visibility } from '../visibility.ts';
import { type BlockOrder, EVERY_RECORD, type RecordFilter } from './block-order.ts';
import { countLinksTo, countReferencesTo, danglingLinks, linksFrom, linksTo } from './links.ts';
import { AreaOrder, revisionOf } from './order.ts';
import { existingIris, firstRecord, keysOf, listRecords, type Reads, rankOf, recordsOf } from './records.ts';

export function areaStore(
  database: Database,
  area: AreaId,
  trigrams: Trigrams,
  results: SearchResults,
  restore: RecordStore['restore'],
): RecordStore {
  const order = new AreaOrder(area);
  const search = new Search(database, area, trigrams, results);
  const isIndexed = remembering(indexedIn(database, area));
  const every = writesOf(database, area, restore);
  const storeOf = (reads: Database, visibility: Visibility | undefined): RecordStore => {
    const parts = {
      database: reads,
      area,
      order,
      search: visibility ? search.as(visibility) : search,
      viewer: { visibility, isIndexed: reads === database ? isIndexed : indexedIn(reads, area) },
    };
    const store: RecordStore = {
      ...every,
      ...readsOf({ ...parts, ...(visibility && { visibility }) }),
      ...(visibility && { visibility }),
      as: (other) => (other === visibility ? store : storeOf(reads, other)),
      // A reader may be an object of a class, whose methods are not copied.
      within: (reader) => {
        const read: Reader['read'] = (sql, values) => reader.read(sql, values);
        const tuples: Reader['tuples'] = (sql, values) => reader.tuples(sql, values);
        return storeOf({ ...database, read, tuples, snapshot: (work) => work(reader) }, visibility);
      },
    };
    return store;
  };
  return storeOf(database, undefined);
}

type Parts = {
  readonly database: Database;
  readonly area: AreaId;
  readonly order: AreaOrder;
  readonly search: Search;
  /** Undefined if every record is seen. */
  readonly visibility?: Visibility;
  readonly viewer: Viewer;
};

const indexedIn =
  (database: Database, area: AreaId): Viewer['isIndexed'] =>
  (tag) =>
    isPolicyIndexed(database, area, tag);

/** Tags stay, so what is indexed stays so. A snapshot may be of before. */
function remembering(isIndexed: Viewer['isIndexed']): Viewer['isIndexed'] {
  const known = new Set<string>();
  return async (tag) => {
    if (known.has(tag.id)) return true;
    if (!(await isIndexed(tag))) return false;
    known.add(tag.id);
    return true;
  };
}

type ReadName =
  | 'get'
  | 'records'
  | 'list'
  | 'count'
  | 'rank'
  | 'present'
  | 'having'
  | 'matching'
  | 'candidates'
  | 'entries'
  | 'feed'
  | 'weeks'
  | 'links'
  | 'words'
  | 'scan'
  | 'revision'
  | 'revisionBy'
  | 'revisionBefore'
  | 'revisionDated'
  | 'dates'
  | 'keptFrom'
  | 'former';

/** The reads, which depend on what a caller sees. */
function readsOf({ database, area, order, search, visibility, viewer }: Parts): Pick<RecordStore, ReadName> {
  const recordOf = async (iri: string) =>
    (await firstRecord(database, [area], iri, visibility)).found?.record;
  const inOrder = <T>(
    { classes, asOf }: Selection,
    read: (reads: Reads, blocks: BlockOrder, filter: RecordFilter) => Promise<T>,
  ): Promise<T> => {
    const each = classes && [...new Set(classes)];
    return order.read(
      database,
      (reads, blocks) => read(reads, blocks, blocks.filterOf(each, visibility)),
      asOf,
    );
  };
  return {
    get: recordOf,
    records: (iris) => recordsOf(database, area, iris, visibility),
    list: (selection, range) =>
      search.concerns(selection)
        ? search.list(selection, range)
        : inOrder(selection, (reads, blocks, filter) => listRecords(reads, blocks, area, filter, range)),
    count: (selection, most) =>
      search.concerns(selection)
        ? search.count(selection, most)
        : inOrder(selection, async (_, blocks, filter) => blocks.total(filter)),
    rank: (selection, pid) =>
      search.concerns(selection)
        ? search.rank(selection, pid)
        : inOrder(selection, (reads, blocks, filter) => rankOf(reads, blocks, area, filter, pid)),
    async present(iris, selection) {
      if (selection && search.concerns(selection)) return search.among(selection, iris);
      const keys = await keysOf(database, area, iris, visibility);
      const classes = selection?.classes;
      return classes ? keys.filter(({ className }) => classes.includes(className)) : keys;
    },
    having: (iris) => existingIris(database, area, iris, visibility),
    matching: (pattern) => search.iris({ matching: pattern }),
    candidates: (text) => search.candidates(database, text),
    entries: (query) => readEntries(database, area, query, viewer),
    feed: (query) => readFeed(database, area, query, viewer),
    links: {
      from: async (iri, most) =>
        visibility && !(await recordOf(iri)) ? [] : linksFrom(database, area, iri, most),
      to: (iri, range) => linksTo(database, area, iri, range, viewer),
      countTo: (iri) => countLinksTo(database, area, iri, viewer),
      countReferencesTo: (iri, most) => countReferencesTo(database, area, iri, most, viewer),
      dangling: (after) => danglingLinks(database, area, after),
    },
    words: new Words(database, area, visibility, async (classes) =>
      visibility || classes ? inOrder({ classes }, async (_, _blocks, filter) => filter) : EVERY_RECORD,
    ),
    weeks: (query) => readWeeks(database, area, query, viewer),
    revision: () => revisionOf(database, area),
    revisionBy: (time) => revisionBy(database, area, microsecondsOf(time)),
    revisionBefore: (time) => revisionBefore(database, area, microsecondsOf(time)),
    revisionDated: (time) => revisionDated(database, area, microsecondsOf(time)),
    dates: () => readDates(database, area),
    keptFrom: () => keptFrom(database, area),
    former: {
      records: (iris, at) => recordsAt(database, area, iris, at, visibility),
      differences: (span) => differencesSince(database, area, span, viewer),
      changes: (after, upTo) => countEntries(database, area, after, upTo),
      texts: (versions) => textsOf(database, area, versions),
    },
    async *scan(selection) {
      const begun = await revisionOf(database, area);
      const asBegun = (records: AsyncIterable<StoredRecord>) =>
        recordsAsBegun({ database, area, ...(visibility && { visibility }) }, records, begun, selection);
      if (search.concerns(selection)) yield* asBegun(search.scan(selection));
      else {
        const [plan, total] = await inOrder(
          selection,
          async (_, blocks, filter) => [blocks.planOf(filter), blocks.total(filter)] as const,
        );
        yield* asBegun(
          (await search.having(selection, plan, total)) ??
            everyRecord(database, area, plan, visibility, selection.after),
        );
      }
    },
  };
}

/** Puts the former states in place of records that have changed since a scan began; those that are new are left out. */
async function* recordsAsBegun(
  { database, area, visibility }: Pick<Parts, 'database' | 'area' | 'visibility'>,
  records: AsyncIterable<StoredRecord>,
  begun: number,
  { classes }: Selection,
): AsyncGenerator<StoredRecord> {
  for await (const record of records) {
    if (record.revision <= begun) yield record;
    else
      for (const former of await recordsAt(database, area, [record.iri], begun, visibility))
        if (classes?.includes(former.className) ?? true) yield former;
  }
}

function writesOf(
  database: Database,
  area: AreaId,
  restore: RecordStore['restore'],
): Omit<RecordStore, ReadName | 'as' | 'within' | 'visibility'> {
  return {
    area,
    async write(changes, by) {
      if (changes.length === 0) return [];
      const written = await database.transact((draft) => draft.write(area, changes, by));
      return [...written.revisions];
    },
    async prune(before, upTo) {
      const made = await revisionBefore(database, area, microsecondsOf(before) - 1);
      const values = [area.id, Math.min(made, upTo)];
      const pruned = await database.transact(async (draft) => {
        draft.run(NOTE_PRUNED, values);
        return draft.run(PRUNE, values);
      });
      return pruned.revisions[0] ?? 0;
    },
    restore,
  };
}
