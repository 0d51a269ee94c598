/** From pid to file: the mapping methods of record directories, as the peer maps. */
import { hash } from 'node:crypto';
import type { MappingMethod } from '../config/backends.ts';
import { ServiceError } from '../errors.ts';

export const SUFFIX = '.yaml';

/** Each method yields the file's path below its class folder, without the suffix. */
const MAPPINGS: Readonly<Record<MappingMethod, (pid: string) => string>> = {
  'digest-md5': (pid) => hashOf('md5', pid),
  'digest-md5-p3': (pid) => split(hashOf('md5', pid), 3),
  'digest-md5-p3-p3': (pid) => split(hashOf('md5', pid), 3, 6),
  'digest-sha1': (pid) => hashOf('sha1', pid),
  'digest-sha1-p3': (pid) => split(hashOf('sha1', pid), 3),
  'digest-sha1-p3-p3': (pid) => split(hashOf('sha1', pid), 3, 6),
  'after-last-colon': (pid) =>
    pid
      .slice(pid.lastIndexOf(':') + 1)
      .replaceAll('_', '__')
      .replaceAll('/', '_s')
      .replaceAll('.', '_d'),
};

/** Class names that can be folders: no slashes, no control characters, no dot at the start. */
const FOLDER_NAME = /^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u;

/** The longest name that file systems take, in bytes. */
const LONGEST_FILE_NAME = 255;

/**
 * The path of a record's file, relative to the area.
 *
 * @throws ServiceError `path_outside_store` for a class whose name cannot be that of a folder: it would lead out of the
 *   area, or into a folder that is not for records
 */
export function filePath(method: MappingMethod, className: string, pid: string): string {
  if (!FOLDER_NAME.test(className)) {
    const message = `Cannot store records of class ${JSON.stringify(className)}: the class name is not a valid directory name.`;
    throw new ServiceError('path_outside_store', message);
  }
  const name = MAPPINGS[method](pid);
  const fits = Buffer.byteLength(name.slice(name.lastIndexOf('/') + 1)) + SUFFIX.length <= LONGEST_FILE_NAME;
  if (!fits || name.includes('\0')) return spareFilePath(className, pid);
  return `${className}/${name}${SUFFIX}`;
}

/**
 * Where a record goes whose name by `after-last-colon` is not a valid file name, or belongs to another record (the
 * method maps `a:x` and `b:x` to one name). The peer finds it there as well: it indexes whatever lies in a folder.
 */
export function spareFilePath(className: string, pid: string): string {
  return `${className}/${hashOf('md5', pid)}${SUFFIX}`;
}

function hashOf(algorithm: 'md5' | 'sha1', text: string): string {
  return hash(algorithm, text, 'hex');
}

/** Puts a folder border at each of these positions. */
function split(text: string, ...positions: number[]): string {
  return [0, ...positions].map((start, i) => text.slice(start, positions[i])).join('/');
}
