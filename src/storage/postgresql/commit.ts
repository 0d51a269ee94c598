/**
 * The transaction of a group of writes, in two round trips.
 *
 * It locks the rows of the areas, so that writes of all instances take effect one after the other, and reads the records
 * that the group names. The writes are then carried out in memory, each entirely or not at all, and what has become of the
 * records is sent with the commit.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { LedgerChange } from '../store.ts';
import { AREA_COLUMNS, type AreaRow, type DatabaseArea, missing } from './area.ts';
import { readBlocks } from './blocks.ts';
import { type Database, type Run, together } from './database.ts';
import { GroupDraft } from './draft.ts';
import { databaseFailure, isConflict, isConnectionFailure } from './failures.ts';
import { indexKey } from './keys.ts';
import { areAsLeft, type LedgerState, readLedger } from './ledger.ts';
import { readLinks } from './link-draft.ts';
import { type RecordRow, ROW_COLUMNS, toRecord } from './rows.ts';
import type { AreaWrite, QueuedWrite } from './writer.ts';

/** How often a group is repeated that the server rolled back, or whose connection broke before its commit. */
const COMMIT_ATTEMPTS = 4;
/** How long to look for the outcome of a commit whose connection broke, in milliseconds. */
const SETTLING = 5000;

/** The drafts of the areas of a group, in the order in which areas are locked. */
type Drafts = ReadonlyMap<DatabaseArea, GroupDraft>;

/**
 * Commits a group. Writes that are refused fail at once, the others return when all is on disk.
 *
 * @returns the areas of the group
 */
export async function commit(
  database: Database,
  group: readonly QueuedWrite[],
): Promise<ReadonlySet<DatabaseArea>> {
  const writes = writesByArea(group);
  for (let attempt = 1; ; attempt++) {
    let drafts: Drafts = new Map();
    let answers: (() => void)[] = [];
    let isSent = false;
    try {
      await database.connected(async (run) => {
        const begun = await begin(run, writes);
        drafts = begun;
        answers = group.map((write) => carryOut(begun, write));
        const changed = [...begun.values()].filter((draft) => !draft.isEmpty);
        if (changed.length === 0) return run('ROLLBACK');
        const sent = changed.map((draft) => draft.send(run));
        // Statements that depend on answers come first, so that the commit is the last one.
        if (changed.some((draft) => draft.isCutting)) await together(sent);
        isSent = true;
        return together([...sent, run('COMMIT')]);
      });
      for (const draft of drafts.values()) draft.apply();
    } catch (error) {
      const isLost = isConnectionFailure(error);
      const isCommitted = isLost && isSent && (await wasCommitted(database, drafts));
      if (!isCommitted) {
        if (attempt === COMMIT_ATTEMPTS || !(isLost || isConflict(error))) throw error;
        await pause(5 * attempt ** 2);
        continue;
      }
    }
    for (const answer of answers) answer();
    return new Set(writes.keys());
  }
}

/** Areas are locked in one order everywhere, so that no two transactions wait for each other. */
function writesByArea(group: readonly QueuedWrite[]): Map<DatabaseArea, AreaWrite[]> {
  const writes = new Map<DatabaseArea, AreaWrite[]>();
  for (const write of group.flatMap(({ parts }) => parts)) {
    const ofArea = writes.get(write.area);
    if (ofArea) ofArea.push(write);
    else writes.set(write.area, [write]);
  }
  return new Map([...writes].sort(([a], [b]) => a.id - b.id));
}

/**
 * Whether a commit whose connection broke has taken place: one of its areas, which the lock has kept as they were until
 * then, is as the commit leaves it.
 *
 * @throws ServiceError `storage_unavailable` if the database does not come back in time
 */
async function wasCommitted(database: Database, drafts: Drafts): Promise<boolean> {
  const end = Date.now() + SETTLING;
  const changed = [...drafts].filter(([, draft]) => !draft.isEmpty);
  const [area, draft] = changed.find(([, { mark }]) => mark) ?? (changed[0] as [DatabaseArea, GroupDraft]);
  const { mark, ledger } = draft;
  for (;;) {
    try {
      return await database.connected(async (run) => {
        // The lock waits for the end of the transaction, which the server may still be carrying out.
        const [, , [entry], isAsLeft] = await together([
          run('BEGIN'),
          run('SELECT 1 FROM accession_area WHERE area = $1 FOR UPDATE', [area.id]),
          run<{ time: number }>('SELECT time FROM accession_entry WHERE area = $1 AND revision = $2', [
            area.id,
            mark?.revision ?? 0,
          ]),
          mark ? undefined : areAsLeft(run, area.id, ledger),
          run('COMMIT'),
        ]);
        return mark ? entry?.time === mark.time : isAsLeft === true;
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

/** Locks the areas and reads what the group needs, in one round trip; two if references can refuse a deletion. */
async function begin(run: Run, writes: ReadonlyMap<DatabaseArea, AreaWrite[]>): Promise<Drafts> {
  const begun = run('BEGIN');
  const locks = [...writes.keys()].map(({ id }) =>
    run<AreaRow>(`SELECT ${AREA_COLUMNS} FROM accession_area WHERE area = $1 FOR UPDATE`, [id]),
  );
  const reads = [...writes].map(([area, ofArea]) => readFor(run, area, ofArea));
  const [, rows, states] = await together([begun, together(locks), together(reads)]);
  return new Map(
    [...writes.keys()].map((area, index) => {
      const { blocks } = area;
      const { records, changedBlocks, ledger, links } = states[index] as AreaState;
      const row = rows[index]?.[0] ?? missing(area);
      area.hasLongKeys ||= row.has_long_keys;
      if (blocks.revision < row.revision) blocks.apply(changedBlocks, row.revision);
      return [area, new GroupDraft(area, row, records.map(toRecord), ledger, links)];
    }),
  );
}

type AreaState = Awaited<ReturnType<typeof readFor>>;

/** Sends the questions at once: the lock of the area is before them. */
async function readFor(run: Run, area: DatabaseArea, writes: readonly AreaWrite[]) {
  const { id, blocks } = area;
  const keys = new Set<string>();
  const ledgerChanges: LedgerChange[] = [];
  for (const { changes, ledger, restored } of writes) {
    for (const { iri } of restored) keys.add(indexKey(iri));
    for (const change of changes) keys.add(indexKey('put' in change ? change.put.iri : change.delete));
    ledgerChanges.push(...ledger);
  }
  const none: LedgerState = new Map();
  const [records, changedBlocks, ledger, links] = await together([
    keys.size === 0
      ? []
      : run<RecordRow>(
          `SELECT r.* FROM unnest($2::text[]) AS n (iri_key) CROSS JOIN LATERAL (
             SELECT ${ROW_COLUMNS} FROM accession_record r WHERE r.area = $1 AND r.iri_key = n.iri_key LIMIT 1
           ) r`,
          [id, [...keys]],
        ),
    readBlocks(run, id, blocks.revision),
    ledgerChanges.length === 0 ? none : readLedger(run, id, ledgerChanges),
    readLinks(run, area, writes),
  ]);
  return { records, changedBlocks, ledger, links };
}

/** Carries out a write in the drafts of its areas, and returns how to answer its caller after the commit. */
function carryOut(drafts: Drafts, { parts, done, failed }: QueuedWrite): () => void {
  try {
    const staged = parts.map((part) => (drafts.get(part.area) as GroupDraft).stage(part));
    for (const { keep } of staged) keep();
    return () => done(staged.map(({ results }) => results));
  } catch (error) {
    return () => failed(databaseFailure(error, 'Writing'));
  }
}
