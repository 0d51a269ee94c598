/** Paths of pages: made from values of records, and what a page may be called. */
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { UsageError } from '../../outcome.ts';

const LONGEST_NAME = 255;

/**
 * A value as a part of a path, with a hyphen in place of whatever is neither a letter nor a digit, `.` nor `_`:
 * `labid:person-ada` is `labid-person-ada`. It has no separator and does not start with a dot.
 */
export function fileName(value: unknown): string {
  return String(value ?? '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._]+/gu, '-')
    .replace(/^\.+/, '-');
}

/** Returns the same string for two paths that are one file on some systems. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** @throws UsageError for a path that does not stay in the folder, or is hidden in it */
export function requirePagePath(template: string, path: string): void {
  const parts = path.split('/');
  const isSafe = parts.every(
    (part) =>
      part !== '' && !part.startsWith('.') && !/[\\\0]/.test(part) && Buffer.byteLength(part) <= LONGEST_NAME,
  );
  if (isSafe) return;
  const expected = `expected a relative path with names of 1 to ${LONGEST_NAME} bytes that do not start with a dot`;
  throw new UsageError(`${template}: path: ${expected}, found '${path.slice(0, 2 * LONGEST_NAME)}'.`);
}

/** The files below a folder, as paths with `/`, but hidden ones. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.')))
    .sort();
}
