/**
 * The strings of records, folded, under a trigram index. They only ever lag behind: the database knows up to
 * which revision of an area they are complete, and searches look at records changed since one by one. So writes pay
 * nothing for them; they catch up when there is time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fold, scalarsIn } from '../../folding.ts';
import type { JobHandle, Jobs } from '../../jobs/jobs.ts';
import { parseJson } from '../../json.ts';
import type { DatabaseArea } from './area.ts';
import { together } from './database.ts';
import { NEWEST, RECORD_OF_ENTRY, revision } from './records.ts';
import type { RecordRow } from './rows.ts';

/** Records that one transaction indexes, and the bytes after which it takes no further one: some milliseconds of folding. */
const TEXTS_PER_TRANSACTION = 500;
const BYTES_PER_TRANSACTION = 500_000;
/** How long after a change the index starts to catch up, and how long it waits after a first failure, in milliseconds. */
const REST = 250;
const LONG_REST = 5000;

/**
 * While this process writes to the area, the job pauses this many times as long as it works, at most so many milliseconds:
 * an indexed text costs the server about as much as all else that its record costs.
 */
const PAUSE_FACTOR = 9;
const LONGEST_PAUSE = 1000;
const PAUSE_STEP = 25;
/** If more changes than this wait for the index, the job does not pause: searches read their records one by one. */
const MOST_WAITING = 10_000;

/** The job that completes the index of an area. To be woken after each commit. */
export function textIndexJob(area: DatabaseArea, jobs: Jobs): JobHandle {
  let lastCommit = Number.NEGATIVE_INFINITY;
  const job = jobs.add({
    name: 'text index',
    delay: REST,
    retry: LONG_REST,
    run: async (context) => {
      while (!context.stopping) {
        const start = performance.now();
        const { complete, waiting } = await advance(area);
        if (complete) return;
        const now = performance.now();
        const end =
          waiting > MOST_WAITING ? now : now + Math.min(PAUSE_FACTOR * (now - start), LONGEST_PAUSE);
        const isPausing = () => performance.now() < Math.min(end, lastCommit + REST) && !context.stopping;
        while (isPausing()) await pause(PAUSE_STEP);
      }
    },
  });
  job.wake();
  return {
    wake: () => {
      lastCommit = performance.now();
      job.wake();
    },
    stop: () => job.stop(),
  };
}

/** Indexes everything that is not yet in the index, or waits until another process has. */
export async function completeTextIndex(area: DatabaseArea): Promise<void> {
  const target = await revision(area);
  while ((await indexedRevision(area)) < target) {
    if ((await advance(area)).complete) await pause(20);
  }
}

/** Up to which revision the texts of all records are indexed. */
export async function indexedRevision({ database, id }: DatabaseArea): Promise<number> {
  const rows = await database.query<{ revision: number }>(
    'SELECT revision FROM accession_folded_progress WHERE area = $1',
    [id],
  );
  return rows[0]?.revision ?? 0;
}

/** A record, and the bytes of the texts up to it. */
type TextRow = RecordRow & { readonly bytes: number };

type Progress = {
  /** Whether the index is complete, or another instance is completing it. */
  readonly complete: boolean;
  /** How many changes are not in the index. */
  readonly waiting: number;
};

/** Indexes the next changed records. Of several instances one does, the others leave it to that one. */
async function advance({ database, id }: DatabaseArea): Promise<Progress> {
  const [state] = await database.query<{ revision: number; indexed: number | null }>(
    `SELECT a.revision, p.revision AS indexed FROM accession_area a
     LEFT JOIN accession_folded_progress p ON p.area = a.area WHERE a.area = $1`,
    [id],
  );
  const waiting = (state?.revision ?? 0) - (state?.indexed ?? 0);
  if (!state || waiting <= 0) return { complete: true, waiting: 0 };
  if (state.indexed === null) {
    await database.query(
      'INSERT INTO accession_folded_progress (area, revision) VALUES ($1, 0) ON CONFLICT (area) DO NOTHING',
      [id],
    );
  }
  return database.connected(async (run) => {
    const [, [mine]] = await together([
      run('BEGIN'),
      run<{ revision: number }>(
        'SELECT revision FROM accession_folded_progress WHERE area = $1 FOR UPDATE SKIP LOCKED',
        [id],
      ),
    ]);
    if (!mine) {
      await run('ROLLBACK');
      return { complete: true, waiting };
    }
    // The revision is read first: what is written meanwhile is indexed the next time.
    const [[last], rows] = await together([
      run<{ revision: number }>('SELECT revision FROM accession_area WHERE area = $1', [id]),
      run<TextRow>(
        `SELECT * FROM (
           SELECT r.*, sum(octet_length(r.json)) OVER (ORDER BY r.revision) AS bytes
           FROM (SELECT r.* FROM accession_entry e CROSS JOIN ${RECORD_OF_ENTRY}
             WHERE ${NEWEST} AND e.revision > $2 ORDER BY e.revision LIMIT ${TEXTS_PER_TRANSACTION}) r
         ) r WHERE bytes - octet_length(json) < ${BYTES_PER_TRANSACTION} ORDER BY revision`,
        [id, mine.revision],
      ),
    ]);
    const newest = rows.at(-1);
    const isFull = rows.length === TEXTS_PER_TRANSACTION || (newest?.bytes ?? 0) >= BYTES_PER_TRANSACTION;
    const reached = newest && isFull ? newest.revision : (last?.revision ?? 0);
    await together([
      run(
        `INSERT INTO accession_folded (area, iri_key, folded) SELECT $1, * FROM unnest($2::text[], $3::text[])
         ON CONFLICT (area, iri_key) DO UPDATE SET folded = excluded.folded
         WHERE accession_folded.folded <> excluded.folded`,
        [id, rows.map((row) => row.iri_key), rows.map((row) => foldedText(row.json))],
      ),
      run(
        `DELETE FROM accession_folded WHERE area = $1 AND iri_key IN (
           SELECT iri_key FROM accession_tombstone WHERE area = $1 AND revision > $2 AND revision <= $3)`,
        [id, mine.revision, reached],
      ),
      run('UPDATE accession_folded_progress SET revision = $2 WHERE area = $1', [id, reached]),
      run('COMMIT'),
    ]);
    return { complete: !isFull, waiting: (last?.revision ?? 0) - reached };
  });
}

/** PostgreSQL stores no NUL, which is a line break here; so is the border between two values. */
function foldedText(json: string): string {
  return fold(scalarsIn(parseJson(json)).join('\n'))
    .replaceAll('\0', '\n')
    .toWellFormed();
}
