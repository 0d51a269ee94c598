/**
 * Notices that a zone is being emptied by somebody who walks through its pages and deletes what they hold, as curators'
 * clients do. Such a walk meets pages that have moved past the end because of its own deletes; they hold the last
 * records of the zone then, so that the walk finds all there is and comes to its end (docs/compatibility.md).
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
