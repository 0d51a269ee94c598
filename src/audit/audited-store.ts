/**
 * A record store whose every write has its entry in one or more audit logs: announced before the store makes it,
 * confirmed behind it. Reads go straight to the store.
 *
 * A write is acknowledged when the store has made it and the announcement is on disk, too; if a log can't take the
 * announcement, the store is not asked. Writes to different records run side by side; those to one record wait for one
 * another, so that its entries stand in the order of its changes.
 */
import { type ErrorCode, ServiceError } from '../errors.ts';
import type { Actor, Change, ChangeResult, LedgerChange, RecordKey, RecordStore } from '../storage/store.ts';
import { type Announcement, type AuditedChange, type AuditLog, isMade } from './audit-log.ts';

/** A record as it is put. */
export type NewRecord = RecordKey & { readonly json: string };

/**
 * A store whose writes have entries in the logs.
 *
 * @param textOf the text of a record as the logs keep it, where it is to say more than the store is given
 */
export function auditedStore(
  inner: RecordStore,
  logs: readonly AuditLog[],
  textOf: (record: NewRecord) => string = ({ json }) => json,
): RecordStore {
  if (logs.length === 0) return inner;
  return {
    ...inner,
    close: async () => {
      await turns(inner).idle();
      await inner.close();
    },
    write: (changes, by, ledger) =>
      turns(inner).run(changes.map(iriOf), () => write(inner, logs, by, textOf, changes, ledger)),
  };
}

async function write(
  inner: RecordStore,
  logs: readonly AuditLog[],
  actor: Actor,
  textOf: (record: NewRecord) => string,
  changes: readonly Change[],
  ledger: readonly LedgerChange[] | undefined,
): Promise<ChangeResult[]> {
  const audited = await Promise.all(changes.map((change) => auditedChange(inner, change, actor, textOf)));
  const entries = audited.filter((change) => change !== undefined);
  const announcements = await announceAll(logs, entries);
  let results: ChangeResult[];
  try {
    results = await inner.write(changes, actor, ledger);
  } catch (error) {
    const refused = error instanceof ServiceError && REFUSALS.has(error.code);
    // After any other failure the store is asked what it holds.
    const made = !refused && (await isMade(entries, currentIn(inner)));
    for (const announcement of announcements) await (made ? announcement.confirm() : announcement.cancel());
    throw error;
  }
  await Promise.all(announcements.map((announcement) => announcement.confirm()));
  return results;
}

/** Errors with which a store turns a write down before it has begun. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['precondition_failed', 'record_missing']);

/** What a store holds now, as {@link isMade} asks for it. */
export function currentIn(store: RecordStore): (iri: string) => Promise<string | undefined> {
  return async (iri) => (await store.get(iri))?.json;
}

/** A change with its pid; undefined for the delete of a record that is not there, which the store will refuse. */
async function auditedChange(
  inner: RecordStore,
  change: Change,
  { committer: committerId, author: authorId }: Actor,
  textOf: (record: NewRecord) => string,
): Promise<AuditedChange | undefined> {
  if ('put' in change) {
    const { pid, iri } = change.put;
    return { pid, iri, json: textOf(change.put), committerId, authorId };
  }
  const record = await inner.get(change.delete);
  return record && { pid: record.pid, iri: record.iri, json: undefined, committerId, authorId };
}

/** All logs or none: if one can't take the announcement, the others drop it. */
async function announceAll(
  logs: readonly AuditLog[],
  changes: readonly AuditedChange[],
): Promise<Announcement[]> {
  if (changes.length === 0) return [];
  const outcomes = await Promise.allSettled(logs.map((log) => log.announce(changes)));
  const announcements = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failure = outcomes.find((one) => one.status === 'rejected');
  if (!failure) return announcements;
  for (const announcement of announcements) await announcement.cancel();
  throw failure.reason;
}

function iriOf(change: Change): string {
  return 'put' in change ? change.put.iri : change.delete;
}

/** Lets works on the same records run one after the other. */
class Turns {
  /** The last work on each record, while there is one. */
  readonly #last = new Map<string, Promise<void>>();

  /** Waits until all works that have begun have ended. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }

  async run<T>(iris: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = iris.map((iri) => this.#last.get(iri));
    const { promise: end, resolve } = Promise.withResolvers<void>();
    for (const iri of iris) this.#last.set(iri, end);
    try {
      await Promise.all(before);
      return await work();
    } finally {
      for (const iri of iris) if (this.#last.get(iri) === end) this.#last.delete(iri);
      resolve();
    }
  }
}

const allTurns = new WeakMap<RecordStore, Turns>();

function turns(store: RecordStore): Turns {
  const known = allTurns.get(store) ?? new Turns();
  allTurns.set(store, known);
  return known;
}
