/**
 * Reads one file in a worker of the browser, by the functions of the service. The page stays free, and ends the worker if the
 * user cancels, or if the file takes too long.
 */
import { type FileReading, firstTable, type WholeTable } from '../files/file-tables.ts';
import { TableError } from '../files/limits.ts';
import { readWorkbook } from '../files/workbook.ts';

export type ReadingJob = { readonly file: Blob; readonly reading: FileReading };

export type ReadingReply =
  | { readonly table: WholeTable }
  /** Why the file is refused; null if it cannot be read at all: it may have changed or gone since it was chosen. */
  | { readonly refused: string | null };

/** TypeScript has types of pages or of workers. */
const worker = self as unknown as {
  onmessage: ((event: MessageEvent<ReadingJob>) => void) | null;
  postMessage(reply: ReadingReply): void;
};

worker.onmessage = async ({ data }) => {
  worker.postMessage(await reply(data));
};

async function reply({ file, reading }: ReadingJob): Promise<ReadingReply> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    // Its rows are a generator's in CSV, which cannot be sent; those of a whole table are a list.
    return { table: await firstTable(bytes, reading, readWorkbook) };
  } catch (error) {
    // A rejection here would not reach the page.
    return { refused: error instanceof TableError ? error.message : null };
  }
}
