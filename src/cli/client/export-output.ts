/**
 * Where an export goes: standard output, a file, or a folder. A file is written as `FILE.part`, and how far it is complete is
 * noted in `FILE.export-progress`, so that an interrupted export continues when it is run again.
 */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory, requireNew } from '../new-file.ts';
import { write as print } from '../print.ts';
import { openNotes } from './notes.ts';

/** How far an export came. */
export type Position = {
  /** The number of records that are written. */
  readonly count: number;
  /** The pid of the last one. */
  readonly after: string | undefined;
};

export type Output = {
  /** Where an earlier run was interrupted; undefined for a new export. */
  readonly from: Position | undefined;
  /** `position` is where the export is behind the text; without one, it cannot continue there. */
  write(text: string | Uint8Array, position?: () => Position): Promise<void>;
  /** Completes the export under its name. */
  end(): Promise<void>;
  /** Keeps what is complete. */
  stop(): Promise<void>;
};

/** Bytes that are written at once; the progress is noted as often. */
const BLOCK = 256 * 1024;

/** Standard output: nothing to continue. */
export function standardOutput(): Output {
  return {
    from: undefined,
    write: async (text) => print(typeof text === 'string' ? text : Buffer.from(text)),
    end: async () => {},
    stop: async () => {},
  };
}

type Noted = Position & { readonly bytes: number };

const notesFile = (path: string) => `${path}.export-progress`;

/** @param what describes the export: only the same one is continued */
export async function fileOutput(path: string, what: string): Promise<Output> {
  const part = `${path}.part`;
  const notes = openNotes<Noted>(notesFile(path), what);
  const kept = existsSync(part) ? notes.read() : undefined;
  const noted = kept !== undefined && statSync(part).size >= kept.bytes ? kept : undefined;
  const file = await open(part, noted ? 'r+' : 'w');
  if (noted) await file.truncate(noted.bytes);
  let bytes = noted?.bytes ?? 0;
  let waiting: Buffer[] = [];
  let size = 0;
  /** Where the last text with a position ends. */
  let mark = bytes;
  let position: (() => Position) | undefined;
  const flush = async () => {
    if (size === 0) return;
    const block = Buffer.concat(waiting, size);
    waiting = [];
    size = 0;
    await writeAll(file, block, bytes);
    bytes += block.length;
    if (position) notes.write({ ...position(), bytes: mark });
  };
  return {
    from: noted,
    async write(text, reached) {
      const block = Buffer.from(text as string);
      waiting.push(block);
      size += block.length;
      if (reached) {
        position = reached;
        mark = bytes + size;
      }
      if (size >= BLOCK) await flush();
    },
    async end() {
      await flush();
      await file.datasync();
      await file.close();
      renameSync(part, path);
      notes.remove();
    },
    async stop() {
      await flush().catch(() => {});
      await file.close();
      // Nothing that could be continued.
      if (mark === 0) rmSync(part, { force: true });
    },
  };
}

/** A folder has a file for each record; only the progress is noted. @throws UsageError if it exists and is not continued */
export function folderOutput(path: string, what: string, overwrite: boolean): Output {
  const notes = openNotes<Noted>(notesFile(path.replace(/\/+$/, '')), what);
  const noted = existsSync(path) ? notes.read() : undefined;
  if (!noted) {
    requireNew(path, overwrite);
    makeDirectory(dirname(path));
    // Without it, an export that is killed before the first note would be refused when it is run again.
    notes.write({ count: 0, after: undefined, bytes: 0 });
  }
  let since = 0;
  let reached: (() => Position) | undefined;
  const note = () => {
    since = 0;
    if (reached) notes.write({ ...reached(), bytes: 0 });
  };
  return {
    from: noted && noted.count > 0 ? noted : undefined,
    async write(_text, position) {
      reached = position;
      since += 1;
      if (since === 100) note();
    },
    async end() {
      notes.remove();
    },
    async stop() {
      note();
    },
  };
}

async function writeAll(file: FileHandle, block: Buffer, at: number): Promise<void> {
  for (let done = 0; done < block.length; ) {
    const { bytesWritten } = await file.write(block, done, block.length - done, at + done);
    done += bytesWritten;
  }
}
