/** Reads one workbook, and ends. See `workbook-reader.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { TableError, type TableLimits, TableTooLarge } from './limits.ts';
import { readWorkbook, type Selection, type Workbook } from './workbook.ts';

export type ReaderData = {
  readonly bytes: Uint8Array;
  readonly limits: TableLimits;
  readonly selection: Selection;
};

export type ReaderReply =
  | { readonly workbook: Workbook }
  /** Why the file is refused. */
  | { readonly refused: string; readonly isTooLarge: boolean };

const { bytes, limits, selection } = workerData as ReaderData;
parentPort!.postMessage(await reply());

async function reply(): Promise<ReaderReply> {
  try {
    return { workbook: await readWorkbook(bytes, limits, selection) };
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    return { refused: error.message, isTooLarge: error instanceof TableTooLarge };
  }
}
