/** What the review of a collection is made of. The room knows no HTTP, no token and no directory. */
import type { SubmissionTags } from '../records/annotate.ts';
import type { Schema } from '../schema/schema.ts';
import type { RecordStore } from '../storage/store.ts';

/** An incoming zone. */
export type ReviewZone = {
  readonly store: RecordStore;
  /** Labels with one key are one zone. */
  readonly key: string;
  /** A zone that is the curated area itself has no submissions. */
  readonly isCurated: boolean;
};

export type ReviewZones = {
  /** All labels, sorted by code point. */
  labels(): Promise<readonly string[]>;
  open(label: string): Promise<ReviewZone>;
  /** The same for what only follows the changes of the zone. */
  follow(label: string): Promise<ReviewZone>;
  /** The revisions of all zones that exist, if one question finds them; otherwise {@link used} is asked. */
  revisions?(): Promise<ReadonlyMap<string, number>> | undefined;
  /** The labels whose zones may have changed since the last call; undefined for all. */
  used(): Iterable<string> | undefined;
};

export type ReviewLog = { warn(details: object, message: string): void };

export type ReviewParts = {
  readonly collection: string;
  readonly schema: Schema;
  readonly tags: SubmissionTags;
  readonly curated: RecordStore;
  readonly zones: ReviewZones;
  /** The file of the queue's index, or `:memory:`. It can be deleted: it is rebuilt. */
  readonly indexFile: string;
  /** Whether other instances decide, too: their decisions may have been made a moment before they are seen. */
  readonly shared?: boolean;
  /** Whether another process owns the areas: it alone carries out what a crash has left of a decision. */
  readonly follows?: boolean;
  /** The entity tag of a record; the empty label is the curated area. */
  etagOf(label: string, revision: number): string;
  /** Whether the backend honors `matching`. */
  readonly matching: boolean;
  /** Whether submitters are shown who decided (`review: {show_reviewer: true}`). */
  readonly showReviewer: boolean;
  readonly log: ReviewLog;
  /** Keeps the stores open for work that no request waits for. @returns what ends it */
  hold?(): () => void;
  /** The time, for tests. */
  now?(): Date;
};

/** A user of the curators' endpoints. */
export type Reviewer = { readonly userId: string };

/** ISO 8601 with microseconds and `+00:00`, the form of all times of entries and decisions. */
export function isoTime(date: Date): string {
  return date.toISOString().replace('Z', '000+00:00');
}
