/** Where an export goes: standard output, a file, or a folder. An incomplete one has the name `PATH.part`. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { makeDirectory } from '../new-file.ts';
import { write as print } from '../print.ts';

export type Output = {
  /** Where the files are written, of an export to a folder. */
  readonly folder?: string;
  write(text: string | Uint8Array): Promise<void>;
  /** Completes the export under its name. */
  end(): Promise<void>;
  /** Removes an incomplete file. */
  stop(): Promise<void>;
};

export const STANDARD_OUTPUT: Output = { write: print, end: async () => {}, stop: async () => {} };

/** Bytes that are written at once. */
const BLOCK = 256 * 1024;

export async function fileOutput(path: string): Promise<Output> {
  const part = `${path}.part`;
  const file = await open(part, 'w');
  let waiting: Buffer[] = [];
  let size = 0;
  const flush = async () => {
    await file.appendFile(Buffer.concat(waiting, size));
    waiting = [];
    size = 0;
  };
  return {
    async write(text) {
      const block = Buffer.from(text as string);
      waiting.push(block);
      size += block.length;
      if (size >= BLOCK) await flush();
    },
    async end() {
      await flush();
      await file.datasync();
      await file.close();
      renameSync(part, path);
    },
    async stop() {
      await file.close();
      rmSync(part);
    },
  };
}

/** A folder of YAML, with a file for each record. One that exists is written in place. */
export function folderOutput(path: string): Output {
  const name = path.replace(/\/+$/, '');
  const isNew = !existsSync(path);
  const folder = isNew ? `${name}.part` : path;
  if (isNew) rmSync(folder, { recursive: true, force: true });
  makeDirectory(folder);
  return {
    folder,
    write: async () => {},
    async end() {
      if (isNew) renameSync(folder, name);
    },
    async stop() {
      if (isNew) rmSync(folder, { recursive: true });
    },
  };
}
