/** Completes the text index in the background. Of several instances one does at a time. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../connection.ts';
import type { StoreLog } from '../log.ts';
import { advanceTextIndex, areasToIndex } from '../text-index.ts';
import type { Pool, Run } from './pool.ts';

/** The advisory lock of the instance that indexes; any constant will do. */
const INDEXER = 4_237_004;
/** How long after a change the index begins to catch up, and how long it waits after a failure, in milliseconds. */
const REST = 250;
const LONG_REST = 5000;

export function keepTextIndex(
  pool: Pool,
  connectionOn: (run: Run) => Connection,
  log: StoreLog,
): { wake(): void; stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopping = false;

  const wake = (rest = REST) => {
    if (isStopping) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      running = (running ?? Promise.resolve()).then(complete);
    }, rest).unref();
  };

  async function complete(): Promise<void> {
    try {
      const areas = await areasToIndex(connectionOn(pool.run));
      for (const area of areas) while (!isStopping && !(await step(area)));
    } catch (error) {
      log.warn({ err: error }, 'could not complete the text index, will retry');
      wake(LONG_REST);
    }
  }

  /** @returns whether the area is complete, or another instance is indexing */
  function step(area: number): Promise<boolean> {
    return pool.connected(async (run) => {
      await run('BEGIN');
      const { rows } = await run(`SELECT pg_try_advisory_xact_lock(${INDEXER})`);
      const done = rows[0]?.[0] ? await advanceTextIndex(connectionOn(run), area) : true;
      await run('COMMIT');
      if (!rows[0]?.[0]) wake(LONG_REST);
      // Writers have their turn.
      await pause(1);
      return done;
    });
  }

  wake();
  return {
    wake: () => wake(),
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}
