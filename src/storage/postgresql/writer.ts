/**
 * Writes of an area, committed in groups: one transaction for all that are waiting, two round trips for each group.
 *
 * The transaction locks the row of the area, so that writes of all instances take effect one after the other, and reads
 * the records that the group names. The writes are then carried out in memory, each entirely or not at all, and what
 * has become of the records is sent with the commit.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { Actor, Change, ChangeResult, Entry, LedgerChange, LedgerRow } from '../store.ts';
import { AREA_COLUMNS, type AreaRow, type DatabaseArea, missing } from './area.ts';
import { readBlocks } from './blocks.ts';
import { type Run, together } from './database.ts';
import { GroupDraft } from './draft.ts';
import { databaseFailure, isConflict, isConnectionFailure } from './failures.ts';
import { indexKey } from './keys.ts';
import { type LedgerState, readLedger } from './ledger.ts';
import { readLinks } from './link-draft.ts';
import { type RecordRow, ROW_COLUMNS, toRecord } from './rows.ts';

export type QueuedWrite = {
  readonly changes: readonly Change[];
  readonly by: Actor;
  readonly ledger: readonly LedgerChange[];
  /** Entries of another area to restore, before the changes. */
  readonly restored: readonly Entry[];
  readonly done: (results: ChangeResult[]) => void;
  readonly failed: (error: unknown) => void;
};

/** Restored entries have actors of their own. */
const RESTORER: Actor = { committer: 'copy', author: 'copy', role: 'service' };

export type Writer = {
  write(changes: readonly Change[], by: Actor, ledger: readonly LedgerChange[]): Promise<ChangeResult[]>;
  restore(entries: readonly Entry[], ledger?: readonly LedgerRow[]): Promise<void>;
  /** Waits for all writes so far. */
  settled(): Promise<void>;
};

/** A group ends with the write that brings it to this many changes. */
const GROUP_SIZE = 2000;
/** How often a group is repeated that the server rolled back, or whose connection broke before its commit. */
const COMMIT_ATTEMPTS = 4;
/** How long to look for the outcome of a commit whose connection broke, in milliseconds. */
const SETTLING = 5000;

/** @param committed is called after each commit. */
export function writerOf(area: DatabaseArea, committed: () => void): Writer {
  let queue: QueuedWrite[] = [];
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await nextTurn();
      const group = takeGroup();
      try {
        await commit(area, group);
        committed();
      } catch (error) {
        for (const write of group) write.failed(databaseFailure(error, 'Writing'));
      }
    }
    draining = undefined;
  }

  function takeGroup(): QueuedWrite[] {
    let size = 0;
    const end = queue.findIndex((write) => {
      size += write.changes.length + write.ledger.length + write.restored.length;
      return size >= GROUP_SIZE;
    });
    const group = end < 0 ? queue : queue.slice(0, end + 1);
    queue = queue.slice(group.length);
    return group;
  }

  return {
    write: (changes, by, ledger) =>
      new Promise((done, failed) => {
        queue.push({ changes, by, ledger, restored: [], done, failed });
        draining ??= drain();
      }),
    restore: (restored, rows = []) =>
      new Promise((resolve, failed) => {
        const ledger = rows.map((set) => ({ set }));
        queue.push({ changes: [], by: RESTORER, ledger, restored, done: () => resolve(), failed });
        draining ??= drain();
      }),
    settled: async () => draining,
  };
}

/** Commits a group. Writes that are refused fail at once, the others return when all is on disk. */
async function commit(area: DatabaseArea, group: readonly QueuedWrite[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    let draft: GroupDraft | undefined;
    let answers: (() => void)[] = [];
    try {
      await area.database.connected(async (run) => {
        const begun = await begin(run, area, group);
        draft = begun;
        answers = group.map((write) => carryOut(begun, write));
        if (begun.isEmpty) await run('ROLLBACK');
        else await begun.commit(run);
      });
      draft?.apply();
    } catch (error) {
      const lost = isConnectionFailure(error);
      const committed = lost && draft?.sent === true && (await wasCommitted(area, draft));
      if (!committed) {
        if (attempt === COMMIT_ATTEMPTS || !(lost || isConflict(error))) throw error;
        await pause(5 * attempt ** 2);
        continue;
      }
    }
    for (const answer of answers) answer();
    return;
  }
}

/**
 * Whether a commit whose connection broke has taken place.
 *
 * @throws ServiceError `storage_unavailable` if the database does not come back in time
 */
async function wasCommitted(area: DatabaseArea, draft: GroupDraft): Promise<boolean> {
  const end = Date.now() + SETTLING;
  const { mark, changed } = draft;
  for (;;) {
    try {
      return await area.database.connected(async (run) => {
        // The lock waits for the end of the transaction, which the server may still be carrying out.
        const [, [row], [entry]] = await together([
          run('BEGIN'),
          run<{ changed: number }>('SELECT changed FROM accession_area WHERE area = $1 FOR UPDATE', [
            area.id,
          ]),
          run<{ time: number }>('SELECT time FROM accession_entry WHERE area = $1 AND revision = $2', [
            area.id,
            mark?.revision ?? 0,
          ]),
          run('COMMIT'),
        ]);
        return mark ? entry?.time === mark.time : row?.changed === changed;
      });
    } catch (error) {
      if (!isConnectionFailure(error) || Date.now() > end) {
        throw new ServiceError(
          'storage_unavailable',
          'The connection to the database broke during a commit. It is unknown whether the change was made.',
          [],
          { cause: error },
        );
      }
      await pause(100);
    }
  }
}

/** Locks the area and reads what the group needs, in one round trip; two if references can refuse a deletion. */
async function begin(run: Run, area: DatabaseArea, group: readonly QueuedWrite[]): Promise<GroupDraft> {
  const { id, blocks } = area;
  const keys = new Set<string>();
  const ledgerChanges: LedgerChange[] = [];
  for (const { changes, ledger, restored } of group) {
    for (const { iri } of restored) keys.add(indexKey(iri));
    for (const change of changes) keys.add(indexKey('put' in change ? change.put.iri : change.delete));
    ledgerChanges.push(...ledger);
  }
  const since = blocks.revision;
  const none: LedgerState = new Map();
  const [, rows, records, changedBlocks, ledger, links] = await together([
    run('BEGIN'),
    run<AreaRow>(`SELECT ${AREA_COLUMNS} FROM accession_area WHERE area = $1 FOR UPDATE`, [id]),
    keys.size === 0
      ? []
      : run<RecordRow>(
          `SELECT ${ROW_COLUMNS} FROM accession_record r WHERE area = $1 AND iri_key = ANY ($2)`,
          [id, [...keys]],
        ),
    readBlocks(run, id, since),
    ledgerChanges.length === 0 ? none : readLedger(run, id, ledgerChanges),
    readLinks(run, area, group),
  ]);
  const row = rows[0] ?? missing(area);
  area.hasLongKeys ||= row.has_long_keys;
  if (blocks.revision < row.revision) blocks.apply(changedBlocks, row.revision);
  return new GroupDraft(area, row, records.map(toRecord), ledger, links);
}

/** Carries out a write in the draft, and returns how to answer its caller after the commit. */
function carryOut(
  draft: GroupDraft,
  { changes, by, ledger, restored, done, failed }: QueuedWrite,
): () => void {
  try {
    if (restored.length > 0) draft.restore(restored);
    const results = draft.carryOut(changes, by, ledger);
    return () => done(results);
  } catch (error) {
    return () => failed(databaseFailure(error, 'Writing'));
  }
}
