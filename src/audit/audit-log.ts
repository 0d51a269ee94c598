/**
 * The contract of an audit log: who changed which record, when, and to what.
 *
 * Entries are kept for each pid, in the order in which they were made, and are never changed. The way of a change is
 * always the same: it is announced, the store makes it, it is confirmed. A crash in between leaves the announcement
 * *unresolved*; the next run compares it with the store and confirms or cancels it (`settleUnresolved`), so that every
 * change has exactly one entry, and every entry its change. `audited-store.ts` does all of this for a store.
 *
 * The caller makes the changes of one record one after the other: it announces the next one when the one before is
 * confirmed or cancelled.
 */
import { canonicalJson, type JsonObject, parseJson } from '../json.ts';

export interface AuditLog {
  /**
   * Announces changes before the store makes them, all or none of them. When it has returned, no crash of this process
   * can take the announcement any more; it is on disk when {@link Announcement.confirm} has returned.
   *
   * @throws ServiceError `audit_failed` where that can't be; then the changes must not be made
   */
  announce(changes: readonly AuditedChange[]): Promise<Announcement>;
  /** What a former run has announced, and neither confirmed nor cancelled; oldest first. */
  unresolved(): readonly Announcement[];
  /**
   * The entries under any of these spellings of one pid, oldest first. Complete: every change that was confirmed
   * before the call is among them.
   *
   * @throws ServiceError `audit_failed`
   */
  history(pids: readonly string[]): Promise<AuditEntry[]>;
  /** Waits until everything that was confirmed before is in the log proper. @throws ServiceError `audit_failed` */
  flush(): Promise<void>;
  /** What is wrong with the log, for operators; empty while all is well. */
  faults(): readonly AuditFault[];
  /** Flushes and closes. What can't be flushed stays safe for the next run. */
  close(): Promise<void>;
}

export interface Announcement {
  readonly changes: readonly AuditedChange[];
  /**
   * The store has made the changes. They may be acknowledged when it has returned: then the announcement is on disk.
   *
   * @throws ServiceError `audit_failed` where the medium could not flush it; the changes have their entries all the same,
   *   unless the power fails before git has them
   */
  confirm(): Promise<void>;
  /** The store has made none of them. */
  cancel(): Promise<void>;
}

export type AuditedChange = {
  readonly pid: string;
  /** What the pid resolves to, and thereby the record in the store; the pid itself if it is not given. */
  readonly iri?: string;
  /** The canonical JSON text after the change; undefined for a delete. */
  readonly json: string | undefined;
  /** Whose token made the change. */
  readonly committerId: string;
  /** On whose behalf: `author_id`, else the committer. */
  readonly authorId: string;
};

export type AuditEntry = {
  readonly pid: string;
  /** ISO 8601 with microseconds and `+00:00`, as the peer writes it. */
  readonly timeStamp: string;
  readonly committerId: string;
  readonly authorId: string;
  /** The record after the change as canonical JSON text; undefined for a delete. */
  readonly json: string | undefined;
};

export type AuditFault = {
  /** The directory of the log. */
  readonly path: string;
  /** What is wrong, since when, and what it means for writes. */
  readonly message: string;
};

/** Where operators are told of what goes wrong; a pino logger fits. */
export type OperatorLog = {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
};

/**
 * Confirms or cancels what a former run has left unresolved: the store has made a change if it holds its outcome.
 *
 * @param current the canonical JSON text of a record in the store; undefined where there is none
 */
export async function settleUnresolved(
  log: AuditLog,
  current: (iri: string) => Promise<string | undefined>,
): Promise<void> {
  for (const announcement of log.unresolved()) {
    if (await isMade(announcement.changes, current)) await announcement.confirm();
    else await announcement.cancel();
  }
}

/** Changes are made all or none; of several to one record the last one shows. */
export async function isMade(
  changes: readonly AuditedChange[],
  current: (iri: string) => Promise<string | undefined>,
): Promise<boolean> {
  const outcomes = new Map(changes.map((change) => [change.iri ?? change.pid, change.json]));
  for (const [iri, json] of outcomes) if (!isSame(await current(iri), json)) return false;
  return true;
}

/** Stores give every record its `schema_type`, also where it was put without. */
function isSame(a: string | undefined, b: string | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && withoutType(a) === withoutType(b));
}

function withoutType(json: string): string {
  const { schema_type: _, ...record } = parseJson(json) as JsonObject;
  return canonicalJson(record);
}
