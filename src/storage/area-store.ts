/** The {@link RecordStore} of an area. */
import type { ClassSet } from './block-order.ts';
import type { Database } from './database.ts';
import { PRUNE, readEntries } from './entries.ts';
import { countLinksTo, danglingLinks, linksFrom, linksTo } from './links.ts';
import { AreaOrder, revisionOf } from './order.ts';
import { changesSince, getRecord, having, keysOf, listRecords, rankOf } from './records.ts';
import { everyRecord, Search } from './search.ts';
import type { AreaId, LinkPosition, LinksOfRecord, RecordStore, Selection } from './store.ts';
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
      async position(): Promise<LinkPosition> {
        const [row] = await database.tuples<[key: string, revision: number]>(
          `SELECT links_key, CASE WHEN links_revision >= links_since THEN revision ELSE links_revision END
           FROM accession_area WHERE area = $1`,
          [area.id],
        );
        return { key: row?.[0] ?? '', revision: row?.[1] ?? 0 };
      },
      fill: (records, position) => fillLinks(database, area, records, position),
    },
    revision: () => revisionOf(database, area),
    changesSince: (revision, limit) => changesSince(database, area, revision, limit),
    async *scan(selection) {
      if (search.concerns(selection)) yield* search.scan(selection);
      else yield* (await search.having(selection)) ?? everyRecord(database, area, classesOf(selection));
    },
  };
}

/** The statements have their conditions in them: a record that has changed since keeps its links. */
async function fillLinks(
  database: Database,
  { id: area }: AreaId,
  records: readonly LinksOfRecord[],
  { key, revision }: LinkPosition,
): Promise<void> {
  const unchanged = 'EXISTS (SELECT 1 FROM accession_record WHERE area = $1 AND iri = $2 AND revision = $3)';
  await database.transact(async (draft) => {
    for (const { iri, revision, links } of records) {
      draft.run(`DELETE FROM accession_link WHERE area = $1 AND iri = $2 AND ${unchanged}`, [
        area,
        iri,
        revision,
      ]);
      for (const link of links)
        draft.run(
          `INSERT INTO accession_link (area, iri, target, slot, path)
           SELECT CAST($1 AS bigint), CAST($2 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT) WHERE ${unchanged}`,
          [area, iri, revision, link.iri, link.slot, link.path],
        );
    }
    draft.run(
      `UPDATE accession_area SET links_since = CASE WHEN links_key = $2 THEN links_since ELSE revision END,
         links_key = $2, links_revision = $3 WHERE area = $1`,
      [area, key, revision],
    );
  });
}

/** The classes of a selection, each once. */
function classesOf({ classes }: Selection): ClassSet {
  return classes && [...new Set(classes)];
}
