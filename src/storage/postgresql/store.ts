/** The {@link RecordStore} of an area in PostgreSQL. */
import { Jobs } from '../../jobs/jobs.ts';
import type { ClassSet } from '../block-order.ts';
import { SILENT_LOG } from '../log.ts';
import type { RecordStore, Selection, StoreFault } from '../store.ts';
import type { Naming, OpenedStore } from '../store-handles.ts';
import { openArea } from './area.ts';
import type { Database } from './database.ts';
import { entries, prune } from './entries.ts';
import { databaseFailure } from './failures.ts';
import { ledgerOf } from './ledger.ts';
import { linksOf } from './links.ts';
import { changesSince, countRecords, get, keysOf, listRecords, rank, revision } from './records.ts';
import { resolvePids } from './resolve-pids.ts';
import { everyRecord, Search } from './search.ts';
import { textIndexJob } from './text-index.ts';
import { writerOf } from './writer.ts';

export type AreaOptions = {
  /** Is called with the name of an area after each commit of this process. */
  readonly onCommit?: (path: string) => void;
  /** Where the text index is completed. */
  readonly jobs?: Jobs;
};

/**
 * Opens the store of an area without regard to a schema; `useNaming` resolves its pids. Creates the area if it is missing. The
 * database stays open when the store is closed.
 *
 * @param path names the area: the directory that a store on disk would have, relative to the root
 */
export async function openPostgresqlStore(
  database: Database,
  path: string,
  { onCommit, jobs = new Jobs(SILENT_LOG) }: AreaOptions = {},
): Promise<OpenedStore> {
  const area = await openArea(database, path).catch((error) => {
    throw databaseFailure(error, `Opening the area '${path}'`);
  });
  const search = new Search(area);
  const texts = textIndexJob(area, jobs);
  area.onCommit = () => {
    texts.wake();
    onCommit?.(path);
  };
  const writer = writerOf(area);
  const ledger = ledgerOf(area);
  const links = linksOf(area);
  let expand: Naming['expand'] | undefined;
  let faults: readonly StoreFault[] = [];
  const store: RecordStore = {
    get: (iri) => reading(get(area, iri)),
    list: (selection, range) =>
      reading(
        search.concerns(selection)
          ? search.list(selection, range)
          : listRecords(area, classesOf(selection), range),
      ),
    count: (selection) =>
      reading(
        search.concerns(selection) ? search.count(selection) : countRecords(area, classesOf(selection)),
      ),
    rank: (selection, pid) =>
      reading(
        search.concerns(selection) ? search.rank(selection, pid) : rank(area, classesOf(selection), pid),
      ),
    present: (iris, selection) => reading(present(iris, selection)),
    having: async (iris) => (await reading(keysOf(area, iris))).map(({ iri }) => iri),
    write: (changes, by, ledger = []) => writer.write(changes, by, ledger),
    joint: writer.joint,
    restore: writer.restore,
    entries: (query) => reading(entries(area, query)),
    prune: (before, upTo) => reading(prune(area, before, upTo)),
    ledger: {
      get: (kind, id) => reading(ledger.get(kind, id)),
      list: (query) => reading(ledger.list(query)),
      count: (selection) => reading(ledger.count(selection)),
      all: (after, limit) => reading(ledger.all(after, limit)),
    },
    links: {
      from: (iri) => reading(links.from(iri)),
      to: (iri, range) => reading(links.to(iri, range)),
      countTo: (iri) => reading(links.countTo(iri)),
      dangling: (after) => reading(links.dangling(after)),
      position: () => reading(links.position()),
      fill: (records, position) =>
        links.fill(records, position).catch((error) => {
          throw databaseFailure(error, 'Writing');
        }),
    },
    revision: () => reading(revision(area)),
    changesSince: (since, limit) => reading(changesSince(area, since, limit)),
    async *scan(selection) {
      try {
        if (search.concerns(selection)) yield* search.scan(selection);
        else yield* (await search.having(selection)) ?? everyRecord(area, classesOf(selection));
      } catch (error) {
        throw databaseFailure(error, 'Reading');
      }
    },
    faults: async () => faults,
    async close() {
      await writer.settled();
      await texts.stop();
    },
  };
  return {
    store,
    async useNaming(naming) {
      if (naming.expand === expand) return;
      faults = await reading(resolvePids(area, store, naming));
      expand = naming.expand;
    },
  };

  async function present(iris: readonly string[], selection: Selection | undefined) {
    const keys = await keysOf(area, iris);
    const { classes } = selection ?? {};
    const ofClass = classes ? keys.filter((key) => classes.includes(key.className)) : keys;
    return selection && search.concerns(selection) ? search.among(selection, ofClass) : ofClass;
  }
}

function reading<T>(result: Promise<T>): Promise<T> {
  return result.catch((error) => {
    throw databaseFailure(error, 'Reading');
  });
}

/** The classes of a selection, each once. */
function classesOf({ classes }: Selection): ClassSet {
  return classes && [...new Set(classes)];
}
