/**
 * Reads by revision, in windows: one statement that looks for a few rows among a million would keep everybody waiting.
 */
import { slices } from '../jobs/turns.ts';
import type { RecordTable } from './record-table.ts';
import type { Entry, EntryQuery, StoredChange } from './store.ts';

/** The revisions that one statement looks at. */
const WINDOW = 10_000;

/** The next changes after a revision; none only if there are no more. */
export async function changesInWindows(
  table: RecordTable,
  revision: number,
  limit: number,
): Promise<StoredChange[]> {
  const breathe = slices();
  const last = table.revision();
  for (let after = revision; ; after += WINDOW) {
    const changes = table.changesSince(after, limit, after + WINDOW);
    if (changes.length > 0 || after + WINDOW >= last) return changes;
    await breathe();
  }
}

/** The entries that a query selects. Those of some IRIs, or all of a time, are found without looking at others. */
export async function entriesInWindows(table: RecordTable, query: EntryQuery): Promise<Entry[]> {
  const { iris, author, className, newestFirst = false, limit } = query;
  if (iris || (author === undefined && className === undefined)) return table.entries(query);
  const breathe = slices();
  const { after, before } = table.revisionsOf(query);
  const { since: _, until: __, ...others } = query;
  const found: Entry[] = [];
  for (let done = 0; found.length < limit && after + done + 1 < before; done += WINDOW) {
    const window = newestFirst
      ? { after: Math.max(after, before - done - WINDOW - 1), before: before - done }
      : { after: after + done, before: Math.min(before, after + done + WINDOW + 1) };
    found.push(...table.entries({ ...others, ...window, limit: limit - found.length }));
    await breathe();
  }
  return found;
}
