/**
 * The contract of an audit log: a copy of the entries of an area, in a form that other programs read.
 *
 * The authoritative entries are those of the area, written in the transaction of each change. A log follows them as a
 * projection: it skips none, and recognizes those that it has.
 */
import type { Fault } from '../../core/collections/part.ts';
import type { Database } from '../../core/storage/database.ts';
import type { Entry, RecordStore } from '../../core/storage/store.ts';

export interface AuditLog {
  /** Waits until every entry that the area has now is in the log. @throws ServiceError `audit_failed` */
  flush(): Promise<void>;
  /** Problems of the log, each with its directory; empty while there is none. */
  faults(): readonly Fault[];
  /** Flushes and closes. Entries that cannot be flushed stay in the area, for the next run. */
  close(): Promise<void>;
}

/** The area that a log follows. */
export type EntrySource = {
  readonly database: Pick<Database, 'tuples' | 'transact' | 'leadership'>;
  readonly store: RecordStore;
  /** Whether the area was just read from its directory, so that an empty one was not lost. */
  readonly isAdopted?: boolean;
  /** Selects the part of an entry that the log keeps; undefined leaves the entry out. */
  readonly select?: (entry: Entry) => Entry | undefined;
};

/** Receives messages for operators; a pino logger fits. */
export type OperatorLog = {
  warn(details: object, message: string): void;
};
