/** Reads of an area: the stores behind it, the methods of {@link AreaReads} over them, and keys that name their state. */
import type { VersionOf } from '../records/condition.ts';
import { findWords } from '../records/find-words.ts';
import { readAll, readPage } from '../records/page.ts';
import { EMPTY_VIEW, type RecordView, resolveIn } from '../records/record.ts';
import { inAllSpellings, referenceIn } from '../records/spellings.ts';
import { type Among, searchValues, type ValueSearch } from '../records/value-search.ts';
import { IdSet } from '../storage/id-set.ts';
import { firstRecord, idsUnder, listById, type Reads } from '../storage/read/records.ts';
import { Effort } from '../storage/search/effort.ts';
import type { RecordStore, Selection, StoredRecord } from '../storage/store.ts';
import type { AreaReads, AreaSearch, AreaState, FilteredPage, ReadRecord, RecordFilter } from './area.ts';
import type { Collection } from './collection.ts';

/** The records of an area as they are read. */
export type AreaReading = {
  readonly view: RecordView;
  /** The stores behind it, the first one first. One caller reads all of them, so they have the same visibility. */
  readonly parts: readonly Part[];
  /** Whether a page past the end holds the last records, see `isBeingEmptied`. */
  isEmptying?(): Promise<boolean>;
};

/** A store of a collection, and its scope in entity tags. */
type Part = {
  readonly store: RecordStore;
  readonly scope: string;
  /** The revision that it is read at, if not the present one. */
  readonly at?: number;
};

/** Reads an area that does not exist yet. */
export const EMPTY_READING: AreaReading = { view: EMPTY_VIEW, parts: [] };

/** Reads one store. */
export function readingOf(part: Part): AreaReading {
  return { view: part.store, parts: [part] };
}

/** The revisions that parts are read at, as {@link AreaState} has them. @param now the present ones */
export function revisionText(parts: readonly Part[], now: readonly number[]): string {
  const revisions = parts.map(({ at }, index) => at ?? now[index]!).reverse();
  return revisions.join('.') || '0';
}

/** Identifies the records of parts that the caller sees, also over restarts. @param now the present revisions */
function cacheKey(parts: readonly Part[], now: readonly number[]): string {
  return JSON.stringify(
    parts.map(({ scope, store: { visibility }, at }, index) => {
      // The policies of present records decide about former ones.
      const dependsOnPresent = at === undefined || visibility !== undefined;
      return [scope, at, dependsOnPresent && now[index], visibility?.key];
    }),
  );
}

/** Whether neither records nor policies have changed. */
export function isSameState(a: AreaState, b: AreaState): boolean {
  return a.revision === b.revision && a.cacheKey === b.cacheKey;
}

/** What differs between the kinds of areas when they are read. */
export type ReadKind = {
  /** The path below the collection. */
  readonly path: string;
  readonly versionOf: VersionOf;
  /** The classes that a list of one class includes. */
  classesOf(className: string): readonly string[];
};

/** The reading methods of an area, or of the area as it was. */
export function areaReads(
  collection: Collection,
  kind: ReadKind,
  open: () => Promise<AreaReading>,
): AreaReads {
  const classesOf = (className: string | undefined) =>
    className === undefined ? undefined : kind.classesOf(className);
  const selection = ({ className, matching }: RecordFilter): Selection => ({
    classes: classesOf(className),
    matching: collection.honorsMatching ? matching : undefined,
  });
  /** Reads all stores as of one moment. */
  const frozen = async <T>(
    read: (reads: Reads, stores: readonly RecordStore[]) => Promise<T>,
  ): Promise<T> => {
    const { parts } = await open();
    const { database } = collection;
    return database.snapshot((reader) =>
      read(
        { ...reader, dialect: database.dialect },
        parts.map(({ store }) => store),
      ),
    );
  };
  const filtered = async (
    reads: Reads,
    stores: readonly RecordStore[],
    { className, groups, ...search }: Omit<AreaSearch, 'iris'> & Pick<ValueSearch, 'among'>,
  ): Promise<FilteredPage> => {
    const { schema } = collection;
    const found = await searchValues(
      reads,
      stores,
      { ...search, classes: classesOf(className), groups: inAllSpellings(schema, groups) },
      { identity: (text) => referenceIn(schema, text), effort: new Effort() },
    );
    return { ...found, records: await listById(reads, found.ids, stores[0]?.visibility) };
  };
  return {
    async read(pid) {
      const { parts } = await open();
      const stores = parts.map(({ store }) => store);
      const iri = await resolveIn(collection.schema, stores, pid);
      const found = await find(collection, kind, parts, iri);
      const curated = parts.find(({ store }) => store.area === collection.curated.area);
      const to = found || !curated ? undefined : await collection.moves?.movedTo(iri, curated.at);
      const moved = to === undefined ? undefined : await find(collection, kind, parts, to);
      return found ?? (moved && { ...moved, moved: true });
    },
    async list(selected, limit) {
      const { view } = await open();
      const paged = `/${collection.name}${kind.path}/records/p/${selected.className ?? ''}`;
      return readAll(view, selection(selected), limit, paged);
    },
    async page(selected, page, size) {
      const { view, isEmptying } = await open();
      return readPage(view, selection(selected), page, size, await isEmptying?.());
    },
    count: async (selected) => (await open()).view.count(selection(selected)),
    async scan({ words, mostCandidates, after, ...selected }) {
      const { view } = await open();
      await view.ready?.();
      return view.scan({ ...selection(selected), words, mostCandidates, after });
    },
    async find(selected, search, { offset, limit }) {
      const { view } = await open();
      const shadowed = (await view.shadowed?.()) ?? [];
      return frozen(async (reads, stores) => {
        const layers = stores.map((store, at) => ({
          words: store.within(reads).words,
          hidden: at === stores.length - 1 ? shadowed : [],
        }));
        const found = await findWords(layers, { ...search, classes: selection(selected).classes });
        return found && { ...(await found.page(offset, limit)), isCurrent: found.isCurrent };
      });
    },
    filter: ({ iris, ...search }) =>
      frozen(async (reads, stores) => {
        const among = iris && (await recordsUnder(reads, stores, classesOf(search.className), iris));
        return filtered(reads, stores, { ...search, ...(among && { among }) });
      }),
    filterWords: (search, words) =>
      frozen(async (reads, stores) => {
        const layers = stores.map((store) => ({ words: store.within(reads).words, hidden: [] }));
        const found = await findWords(layers, { ...words, classes: classesOf(search.className) });
        if (!found) return undefined;
        const among: Among = { ids: await found.ids(), best: (end, isIn) => found.best(end, isIn) };
        return { ...(await filtered(reads, stores, { ...search, among })), isCurrent: found.isCurrent };
      }),
    async state() {
      const { parts, isEmptying } = await open();
      const now = await collection.database.revisions(parts.map(({ store }) => store.area));
      return {
        revision: revisionText(parts, now),
        cacheKey: (await isEmptying?.()) ? undefined : cacheKey(parts, now),
      };
    },
  };
}

/** The records under some IRIs that the caller sees, of some classes, in the order of the IRIs. */
async function recordsUnder(
  reads: Reads,
  stores: readonly RecordStore[],
  classes: Selection['classes'],
  iris: readonly string[],
): Promise<Among> {
  const found = new Map<string, number[]>();
  for (const { area, visibility } of stores)
    for (const { id, iri, className, policy } of await idsUnder(reads, area, iris))
      if ((classes?.includes(className) ?? true) && (visibility?.sees(policy) ?? true))
        found.set(iri, [...(found.get(iri) ?? []), id]);
  const ids = iris.flatMap((iri) => found.get(iri) ?? []);
  return { ids: new IdSet(ids), best: async (end, isIn) => ids.filter(isIn).slice(0, end) };
}

async function find(
  { database }: Collection,
  { versionOf }: ReadKind,
  parts: readonly Part[],
  iri: string,
): Promise<ReadRecord | undefined> {
  const stored = ({ scope }: Part, record: StoredRecord, revisions: readonly number[]): ReadRecord => ({
    record,
    version: versionOf(scope, record),
    revision: revisionText(parts, revisions),
  });
  const [first] = parts;
  if (!first) return undefined;
  if (first.at === undefined) {
    const areas = parts.map(({ store }) => store.area);
    const { found, revisions } = await firstRecord(database, areas, iri, first.store.visibility);
    return found && stored(parts[areas.indexOf(found.area)]!, found.record, revisions);
  }
  for (const part of parts) {
    const [record] = await part.store.former.records([iri], part.at!);
    if (record) return stored(part, record, []);
  }
  return undefined;
}
