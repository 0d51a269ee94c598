/** Files that a command writes where a person may have edited one: it is replaced only if that was asked for. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { UsageError } from './outcome.ts';

/** The option of commands that write a file. */
export const OVERWRITE = ['--overwrite', 'replace the file if it exists'] as const;

/**
 * Makes the directory of a file that a command writes, and refuses to replace the file. Commands call it before their work.
 *
 * @throws UsageError
 */
export function prepareFile(file: string | undefined, overwrite = false): void {
  if (file === undefined) return;
  requireNew(file, overwrite);
  if (isDirectory(file)) throw new UsageError(`${file} is a directory, and a file is expected.`);
  makeDirectory(dirname(file));
}

/** Refuses to replace a file or a folder. @throws UsageError */
export function requireNew(path: string, overwrite = false): void {
  if (overwrite || !existsSync(path)) return;
  throw new UsageError(`${path} exists already. Choose another name, or replace it with --overwrite.`);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Makes a directory that a command is given, and those above it. `recursive` of Node never ends below /proc.
 *
 * @throws UsageError if the file system has no room for directories of users, or a file has the name of one
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (isDirectory(path)) return;
  if (existsSync(path)) throw new UsageError(`${path} is not a directory.`);
  makeDirectory(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      throw new UsageError(`No directory can be made in ${dirname(path)}: choose another one.`);
    if (code !== 'EEXIST') throw error;
  }
}

/** Writes a file beside it first, so that a reader, also after a crash, sees the former content or this one. */
export function replaceFile(file: string, content: string | Uint8Array, mode = 0o666): void {
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, content, { mode });
  renameSync(beside, file);
}

/**
 * Writes a result of a command that has no option for its name: as `file`, or as `file-2`, `file-3` … before the suffix if
 * another content is there.
 *
 * @returns its name
 */
export function writeBeside(file: string, content: string | Uint8Array): string {
  const part = `${file}.part`;
  writeFileSync(part, content);
  return moveBeside(part, file);
}

/** Moves a file that is written to such a name, and returns the name. */
export function moveBeside(part: string, file: string): string {
  const suffix = extname(file);
  const name = file.slice(0, file.length - suffix.length);
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? file : `${name}-${number}${suffix}`;
    if (!existsSync(free)) {
      renameSync(part, free);
      return free;
    }
    if (!isSame(part, free)) continue;
    rmSync(part);
    return free;
  }
}

function isSame(one: string, other: string): boolean {
  return statSync(one).size === statSync(other).size && readFileSync(one).equals(readFileSync(other));
}
