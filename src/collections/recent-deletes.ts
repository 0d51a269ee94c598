/**
 * Detects that a client empties a zone by walking through its pages and deleting their records, as curators'
 * clients do. Such a walk meets pages that have moved past the end because of its own deletes; they hold the last
 * records of the zone then, so the walk finds all records and ends (docs/compatibility.md).
 */
import { isoTime } from '../review/parts.ts';
import type { RecordStore } from '../storage/store.ts';

/** How long a delete is remembered, in milliseconds. */
const REMEMBERED_MS = 60_000;
/** So many of the last changes are looked at for a delete of another instance. */
const LOOKED_AT = 10;

/** What is remembered of one zone. */
export class RecentDeletes {
  #until = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A record was deleted from the zone. */
  noteDelete(): void {
    this.#until = this.#now() + REMEMBERED_MS;
  }

  /** Whether a record was deleted within the last minute: here or, if other instances write the zone, on one of them. */
  async inProgress({ joint, entries }: Pick<RecordStore, 'joint' | 'entries'>): Promise<boolean> {
    if (this.#now() < this.#until) return true;
    if (!joint) return false;
    const since = isoTime(new Date(Date.now() - REMEMBERED_MS));
    const last = await entries({ newestFirst: true, limit: LOOKED_AT, since });
    return last.some(
      ({ kind, role, decision }) => kind === 'delete' && role === 'curator' && decision === undefined,
    );
  }
}
