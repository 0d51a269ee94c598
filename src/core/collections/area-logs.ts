/**
 * The logs of the changes of areas that stores of the peer have beside their records. A module writes them. Without it, areas are
 * adopted without their former changes, and exported without logs.
 */

import type { JsonObject } from '#linkml/json.ts';
import type { CollectionConfig } from '../config/config.ts';
import type { Draft } from '../storage/database.ts';

export interface AreaLogs {
  /** Returns the logs of the curated area of a collection, in their order in the configuration. */
  of(config: CollectionConfig, root: string): readonly AreaLog[];
  /** Returns the log of the configuration. */
  ofConfiguration(root: string): AreaLog;
}

export interface AreaLog {
  readonly directory: string;
  hasChanges(): Promise<boolean>;
  /** Counts what {@link changes} reports as read. */
  count(): Promise<number>;
  /**
   * Reads the changes after a position, oldest first.
   *
   * @throws ServiceError `audit_failed`
   */
  changes(after: LogPosition | null, options?: ReadLogOptions): AsyncGenerator<LoggedChange>;
  /** Up to which revision release 0.2 has brought the entries of an area to the log; 0 if it has brought none. */
  formerPosition(area: string): Promise<number>;
  /** Has the log follow an area from a revision on. */
  followFrom(draft: Pick<Draft, 'run'>, area: number, revision: number): void;
  /** Copies the log, also while a service writes to it. */
  copyTo(directory: string): Promise<void>;
}

/** One change of a record. */
export type LoggedChange = {
  readonly position: LogPosition;
  /** In microseconds since 1970. */
  readonly time: number;
  readonly committer: string;
  readonly author: string;
  readonly pid: string;
  /** The record after the change; undefined for a delete. */
  readonly record: JsonObject | undefined;
};

/** The commit that has a change, and how many changes of that commit come before it. */
export type LogPosition = { readonly commit: string; readonly change: number };

export type ReadLogOptions = {
  /** The time from which on changes are left out, in microseconds since 1970; their contents are not read. */
  readonly before?: number;
  /** Is called with the number of records, of those that {@link AreaLog.count} counts, that are done. */
  readonly read?: (records: number) => void;
};
