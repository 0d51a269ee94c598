/** Entries one after the other, with memory for a few of them: each may be as long as the longest record. */
import type { Entry, EntryQuery, RecordStore } from './store.ts';

/** How many entries are read first. */
const FIRST_STEP = 2;
/** A step reads this many entries, or this many characters of records if they are like the ones before. */
const ENTRIES_OF_STEP = 500;
const CHARACTERS_OF_STEP = 4_000_000;

/** All entries that a query selects, in its order. */
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
      characters += entry.json?.length ?? 0;
      yield entry;
    }
    const last = step.at(-1);
    if (last === undefined || step.length < limit) return;
    from = query.newestFirst ? { before: last.revision } : { after: last.revision };
    const average = characters / step.length + 1;
    limit = Math.ceil(Math.min(ENTRIES_OF_STEP, charactersOfStep / average));
  }
}
