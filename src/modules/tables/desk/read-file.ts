/** Reads the file of an import in a worker, which is loaded for it and ended after it. */
import { scriptUrl } from '../../../../ui/shared/script-urls.ts';
import type { FileReading, WholeTable } from '../files/file-tables.ts';
import type { ReadingJob, ReadingReply } from './tables-worker.ts';
import { ti } from './texts.ts';

/** Why a file was not read, in the language of the user. */
export class UnreadFile extends Error {}

/** A file within the limits is read in a few seconds; a hostile one could take hours. */
const MOST_MS = 60_000;

/**
 * The first table of a file, or of the sheet that is named.
 *
 * @param signal ends the worker, whatever it does; the promise is rejected with its reason
 * @throws UnreadFile if it is not a table, is empty, or takes too long
 */
export async function readFile(file: Blob, reading: FileReading, signal: AbortSignal): Promise<WholeTable> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ReadingReply>();
  const worker = new Worker(scriptUrl('assets/tables-worker.js'), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<ReadingReply>) => resolve(data);
  // It was not loaded, or has taken all its memory.
  worker.onerror = () => reject(new UnreadFile(ti('unreadable')));
  const cancel = () => reject(signal.reason);
  signal.addEventListener('abort', cancel);
  const timer = setTimeout(() => reject(new UnreadFile(ti('tooLong'))), MOST_MS);
  try {
    const job: ReadingJob = { file, reading };
    worker.postMessage(job);
    const reply = await promise;
    if ('refused' in reply)
      throw new UnreadFile(
        reply.refused === null ? ti('unreadable') : ti('notTable', { why: reply.refused }),
      );
    if (reply.table.header.length === 0) throw new UnreadFile(ti('emptyFile'));
    return reply.table;
  } finally {
    worker.terminate();
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}
