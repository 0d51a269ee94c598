/** Entries and records of an area one after the other, with memory for a few of them. */
import type { Entry, EntryQuery, RecordStore } from '../store.ts';

/** How many entries are read first. */
const FIRST_STEP = 2;
/** A step reads this many entries, or this many characters of records if they are like the ones before. */
const ENTRIES_OF_STEP = 500;
const CHARACTERS_OF_STEP = 4_000_000;

/** All entries that a query selects, in its order. Each may be as long as the longest record, and with `former` as long as two. */
export async function* scanEntries(
  store: Pick<RecordStore, 'entries'>,
  query: Omit<EntryQuery, 'limit'>,
  charactersOfStep = CHARACTERS_OF_STEP,
): AsyncGenerator<Entry> {
  let from: Pick<EntryQuery, 'after' | 'before'> = {};
  for (let limit = FIRST_STEP; ; ) {
    const step = await store.entries({ ...query, ...from, limit });
    let characters = 0;
    for (const entry of step) {
      characters += (entry.json?.length ?? 0) + (entry.former?.length ?? 0);
      yield entry;
    }
    const last = step.at(-1);
    if (last === undefined || step.length < limit) return;
    from = query.newestFirst ? { before: last.revision } : { after: last.revision };
    const average = characters / step.length + 1;
    limit = Math.ceil(Math.min(ENTRIES_OF_STEP, charactersOfStep / average));
  }
}

type KeyedRow = readonly [pid: string, iri: string, ...unknown[]];

/**
 * Rows of records in their order, a page at a time.
 *
 * @param read the page behind a key; an empty one ends it
 */
export async function* recordPages<Row extends KeyedRow>(
  read: (last: readonly [pid: string, iri: string]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let rows = await read(['', '']);
  for (let last = rows.at(-1); last; last = rows.at(-1)) {
    yield rows;
    rows = await read([last[0], last[1]]);
  }
}
