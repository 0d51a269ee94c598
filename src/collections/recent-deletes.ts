/**
 * Detects that a client empties a zone by walking through its pages and deleting their records, as curators'
 * clients do. Such a walk meets pages that have moved past the end because of its own deletes; they hold the last
 * records of the zone then, so the walk finds all records and ends (docs/compatibility.md).
 */

/** How long a delete is remembered, in milliseconds. */
const REMEMBERED_MS = 60_000;

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

  /** Whether a record was deleted within the last minute. */
  get inProgress(): boolean {
    return this.#now() < this.#until;
  }
}
