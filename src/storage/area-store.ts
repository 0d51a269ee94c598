/** The {@link RecordStore} of an area. */
import type { ClassSet } from './block-order.ts';
import type { Database } from './database.ts';
import { PRUNE, readEntries } from './entries.ts';
import { countLinksTo, danglingLinks, linksFrom, linksTo } from './links.ts';
import { AreaOrder, revisionOf } from './order.ts';
import { changesSince, getRecord, having, keysOf, listRecords, rankOf } from './records.ts';
import { everyRecord, Search } from './search.ts';
import type { AreaId, RecordStore, Selection } from './store.ts';
import { microsecondsOf } from './times.ts';
import type { Trigrams } from './trigrams.ts';

export function areaStore(
  database: Database,
  area: AreaId,
  trigrams: Trigrams,
  restore: RecordStore['restore'],
): RecordStore {
  const order = new AreaOrder(area);
  const search = new Search(database, area, trigrams);
  return {
    area,
    get: (iri) => getRecord(database, area, iri),
    list: (selection, range) =>
      search.concerns(selection)
        ? search.list(selection, range)
        : order.read(database, (_, blocks) =>
            listRecords(database, blocks, area, classesOf(selection), range),
          ),
    count: (selection) =>
      search.concerns(selection)
        ? search.count(selection)
        : order.read(database, async (_, blocks) => blocks.total(classesOf(selection))),
    rank: (selection, pid) =>
      search.concerns(selection)
        ? search.rank(selection, pid)
        : order.read(database, (_, blocks) => rankOf(database, blocks, area, classesOf(selection), pid)),
    async present(iris, selection) {
      if (selection && search.concerns(selection)) return search.among(selection, iris);
      const keys = await keysOf(database, area, iris);
      const classes = selection?.classes;
      return classes ? keys.filter(({ className }) => classes.includes(className)) : keys;
    },
    having: (iris) => having(database, area, iris),
    async write(changes, by) {
      if (changes.length === 0) return [];
      const written = await database.transact((draft) => draft.write(area, changes, by));
      return [...written.revisions];
    },
    entries: (query) => readEntries(database, area, query),
    async prune(before, upTo) {
      const values = [area.id, microsecondsOf(before), upTo];
      const pruned = await database.transact(async (draft) => draft.run(PRUNE, values));
      return pruned.revisions[0] ?? 0;
    },
    restore,
    links: {
      from: (iri) => linksFrom(database, area, iri),
      to: (iri, range) => linksTo(database, area, iri, range),
      countTo: (iri) => countLinksTo(database, area, iri),
      dangling: (after) => danglingLinks(database, area, after),
    },
    revision: () => revisionOf(database, area),
    changesSince: (revision, limit) => changesSince(database, area, revision, limit),
    async *scan(selection) {
      if (search.concerns(selection)) yield* search.scan(selection);
      else yield* (await search.having(selection)) ?? everyRecord(database, area, classesOf(selection));
    },
  };
}

/** The classes of a selection, each once. */
function classesOf({ classes }: Selection): ClassSet {
  return classes && [...new Set(classes)];
}
