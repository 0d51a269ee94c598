/**
 * The contract of an audit log: who changed which record, when, and to what.
 *
 * Entries are kept for each pid, in the order in which they were made, and are never changed. `audited-store.ts`
 * wraps a store so that every write has its entry.
 */
export interface AuditLog {
  /**
   * Announces changes before the store makes them. When it has returned, the announcement is on disk: whatever happens
   * from then on, the entries can be completed or dropped by comparing with the store.
   */
  announce(entries: readonly AuditEntryDraft[]): Promise<Announcement>;
  /** The entries of one record, oldest first. */
  history(pid: string): Promise<AuditEntry[]>;
  /** The pids that have entries. */
  pids(): Promise<string[]>;
  /** Waits until everything that was confirmed is in the log proper. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface Announcement {
  /** The store has made the changes. */
  confirm(): Promise<void>;
  /** The store has made none of them. */
  cancel(): Promise<void>;
}

export type AuditEntryDraft = {
  readonly pid: string;
  /** The canonical JSON text after the change; undefined for a delete. */
  readonly json: string | undefined;
  /** Whose token made the change. */
  readonly committerId: string;
  /** On whose behalf: `author_id`, else the committer. */
  readonly authorId: string;
};

export type AuditEntry = AuditEntryDraft & {
  /** ISO 8601 with microseconds and `+00:00`, as the peer writes it. */
  readonly timeStamp: string;
};
