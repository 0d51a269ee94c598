/**
 * Reads each workbook in a thread of its own. The library builds all cells in memory, and a hostile file may make it take any
 * time: then this thread is ended, and no other work waits or fails.
 */
import { Worker } from 'node:worker_threads';
import { threadFile } from '../../../core/thread-file.ts';
import { damaged } from './archive.ts';
import { MIB, TableError, type TableLimits, TableTooLarge } from './limits.ts';
import type { Selection, Workbook } from './workbook.ts';
import type { ReaderData, ReaderReply } from './workbook-thread.ts';

/** How often the processor time and the memory of the thread are read, in milliseconds. */
const INTERVAL = 20;
/** New objects of a thread, in MiB: the cells of a workbook stay, so more would only hold copies. */
const YOUNG_MIB = 8;
/**
 * The limit that the engine has for the thread, as a multiple of ours: an allocation that is much beyond it ends the process, so
 * the thread has to be ended before.
 */
const HARD_LIMIT = 4;
/** How long a thread may wait for processors, as a multiple of its processor time. */
const PATIENCE = 20;

/**
 * The sheets of a workbook.
 *
 * @throws TableError, TableTooLarge also if the thread takes more memory or processor time than it may
 */
export async function readSheets(
  bytes: Uint8Array,
  limits: TableLimits,
  selection: Selection,
): Promise<Workbook> {
  // A copy, since the file may be a part of memory that others use.
  const own = new Uint8Array(bytes);
  const workerData: ReaderData = { bytes: own, limits, selection };
  const worker = new Worker(threadFile('modules/tables/files/workbook-thread'), {
    workerData,
    transferList: [own.buffer],
    // The library comments on formats there.
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: limits.memory * HARD_LIMIT,
      maxYoungGenerationSizeMb: YOUNG_MIB,
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ReaderReply>();
  const tooMuch = (what: string) =>
    reject(new TableTooLarge(`Reading the workbook takes more than ${what}.`));
  const tooMuchMemory = () => tooMuch(`${limits.memory} MiB of memory`);
  worker.on('message', resolve);
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') tooMuchMemory();
    // What the library does not expect is damage.
    else reject(damaged());
  });
  const started = performance.now();
  const watch = setInterval(async () => {
    // A thread that has ended has neither.
    const [time, heap] = await Promise.allSettled([worker.cpuUsage(), worker.getHeapStatistics()]);
    const seconds = time.status === 'fulfilled' ? (time.value.user + time.value.system) / 1e6 : 0;
    const waited = (performance.now() - started) / 1000 / PATIENCE;
    if (Math.max(seconds, waited) > limits.seconds) tooMuch(`${limits.seconds} seconds of processor time`);
    if (heap.status === 'fulfilled' && heap.value.used_heap_size > limits.memory * MIB) tooMuchMemory();
  }, INTERVAL);
  try {
    const reply = await promise;
    if ('workbook' in reply) return reply.workbook;
    if (reply.isTooLarge) throw new TableTooLarge(reply.refused);
    throw new TableError(reply.refused);
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}
