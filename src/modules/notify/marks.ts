/**
 * Up to which item a person has read their inbox, or was sent it. Marks are numbers of changes, which rise in the order of commits:
 * a clock that was set, or differs from others, makes nothing read that was not seen.
 */
import type { Collection } from '../../core/collections/collection.ts';
import { refusal } from '../../core/json-schema.ts';
import { reviewPart } from '../review/part.ts';
import { cursorKey, openCursor, sealedCursor } from './cursors.ts';

export type Mark = {
  /** The queue of which `change` is. A collection with other areas has another one. */
  readonly queue: number;
  /** The last change of that queue. */
  readonly change: number;
  /** The last revision of the curated area. */
  readonly revision: number;
  /** Of a mark of an earlier release, which had nothing else: the time of the last item, in microseconds since 1970; 0 of any other. */
  readonly until: number;
};

/** Where an item is: an event of a submission has a change, that of a followed record a revision. */
export type Happened = {
  /** 0 of an event that an earlier release has stored. */
  readonly change: number;
  readonly revision: number;
  /** In microseconds since 1970. */
  readonly time: number;
};

/** Before everything. */
export const NOTHING: Mark = { queue: 0, change: 0, revision: 0, until: 0 };

/** The columns of a mark in a table; `until` has an own name in each. */
export const MARK_COLUMNS = 'queue, change, revision';

/** The last change of everything that inboxes are read from. */
export async function presentMark(collection: Collection): Promise<Mark> {
  const { queue, change } = await collection.part(reviewPart).review.lastChange();
  return { queue, change, revision: await collection.curated.revision(), until: 0 };
}

/** A stored mark in the collection as it is now. */
export function markIn(present: Mark, stored: Mark = NOTHING): Mark {
  return stored.queue === present.queue ? stored : { ...stored, change: 0 };
}

/** Whether an item came behind a mark. */
export function isBehind(mark: Mark, { change, revision, time }: Happened): boolean {
  if (change > mark.change) return true;
  if (revision > 0 && mark.revision > 0) return revision > mark.revision;
  return change === 0 && (revision > 0 || mark.change === 0) && time > mark.until;
}

/** A present mark as clients have it. */
export function cursorOf(key: string, { queue, change, revision }: Mark): string {
  return sealedCursor(key, 'inbox read', { numbers: [queue, change, revision], texts: [] });
}

/**
 * The mark of a cursor, but not ahead of what has happened: the store may have been restored.
 *
 * @throws ServiceError `payload_invalid` if it is none
 */
export async function markOf(collection: Collection, cursor: string): Promise<Mark> {
  const opened = openCursor(await cursorKey(collection.database), 'inbox read', cursor);
  if (!opened) {
    const msg = 'expected the cursor of an inbox';
    throw refusal('payload_invalid', [{ type: 'value_error', loc: ['body', 'cursor'], msg }]);
  }
  const present = await presentMark(collection);
  const [queue = 0, change = 0, revision = 0] = opened.numbers;
  return {
    queue,
    change: queue === present.queue ? Math.min(change, present.change) : 0,
    revision: Math.min(revision, present.revision),
    until: 0,
  };
}
