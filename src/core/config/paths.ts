/**
 * Keeps every path below the store (specification 7 and 9, release 6.3.3): areas, audit logs, zones.
 *
 * Symbolic links are followed before a path is judged, also those in the middle of it; parts that do not exist yet
 * are used as they are. An accepted path is absolute and free of links and `..`.
 */
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { compareCodePoints } from '#linkml/json.ts';
import { isServiceError, ServiceError } from '../errors.ts';

/** The folder of the service itself, in which no collection may keep anything. */
export const PRIVATE_FOLDER = '__dump_things__';

/** The longest label: what file systems take for one name, in bytes. */
const LONGEST_PATH_PART = 255;

/** The longest path that is configured, in bytes: systems take some 4,000, with all that is below it. */
const LONGEST_PATH = 1024;

/**
 * The absolute path of an area or an audit log that is to be configured.
 *
 * @param root the store directory
 * @param path as configured: relative to the store, or absolute
 * @param what names it in the error: `curated-path`
 * @throws ServiceError `path_outside_store` for what leads out of the store, into the service's own folder, or is the
 *   store itself, `payload_invalid` for one that is too long
 */
export function confine(root: string, path: string, what: string): string {
  const refuse = (why: string) =>
    new ServiceError('path_outside_store', `${what} ${JSON.stringify(path)} ${why}`);
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    const msg = `${what}: expected at most ${LONGEST_PATH} bytes, found ${Buffer.byteLength(path)}.`;
    throw new ServiceError('payload_invalid', msg, [{ type: 'string_too_long', loc: ['body'], msg }]);
  }
  const realRoot = realpathSync(root);
  const real = locate(root, path, what);
  if (real === realRoot) throw refuse('is the store directory itself, expected a directory below it.');
  if (!isBelow(realRoot, real)) throw refuse('leads out of the store.');
  const own = join(realRoot, PRIVATE_FOLDER);
  if (real === own || isBelow(own, real)) throw refuse("is in the service's own folder.");
  return real;
}

/**
 * Confines the path of a directory, which may not exist yet, to the store.
 *
 * @throws ServiceError also `path_not_directory`
 */
export function confineDirectory(root: string, path: string, what: string): string {
  const real = confine(root, path, what);
  const found = lstatSync(real, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return real;
  throw new ServiceError(
    'path_not_directory',
    `${what} ${JSON.stringify(path)} is a file, expected a directory.`,
  );
}

/**
 * The absolute path of an area or an audit log that is configured already, wherever it is: a stored configuration may
 * have come from the peer, which lets the operator's own files name places outside of the store.
 *
 * @throws ServiceError `path_outside_store` for what cannot be resolved
 */
export function locate(root: string, path: string, what: string): string {
  const real = path.includes('\0') ? undefined : resolveLinks(realpathSync(root), path);
  if (real !== undefined) return real;
  throw new ServiceError('path_outside_store', `${what} ${JSON.stringify(path)} cannot be resolved.`);
}

/** The name of an area in the database: its located path, relative to the store directory if it is below it. */
export function areaPath(root: string, located: string): string {
  const realRoot = realpathSync(root);
  const name = isBelow(realRoot, located) ? relative(realRoot, located) : located;
  return name.split(sep).join('/');
}

/**
 * The absolute path of a zone. It may be a link to a place in the store: a zone that is the curated area is in use.
 *
 * @param incoming the incoming area, located
 * @throws ServiceError `label_unknown` for a label that is not a plain name, `path_outside_store` for a zone that is a link
 *   out of the store
 */
export function confineZone(root: string, incoming: string, label: string): string {
  const problem = labelProblem(label);
  if (problem) throw labelRefused(label, problem);
  const zone = join(incoming, label);
  return isLink(zone) ? confine(root, zone, 'zone') : zone;
}

/**
 * The labels of the zones on disk, sorted: the directories below the incoming path, and links to directories of the store.
 * A missing incoming path means no zones.
 *
 * @throws ServiceError `storage_failed` if the incoming path cannot be read
 */
export function zonesOnDisk(root: string, incoming: string): string[] {
  return entriesOf(incoming)
    .filter((entry) => entry.isDirectory() || linkedZone(root, incoming, entry) !== undefined)
    .map(({ name }) => name)
    .filter((name) => labelProblem(name) === undefined)
    .sort(compareCodePoints);
}

/** Of the labels of zones that are links their directories, located. @throws as {@link zonesOnDisk} */
export function linkedZones(root: string, incoming: string): [label: string, located: string][] {
  return entriesOf(incoming).flatMap((entry) => {
    const located = linkedZone(root, incoming, entry);
    return located === undefined ? [] : [[entry.name, located]];
  });
}

function entriesOf(incoming: string): Dirent[] {
  try {
    return readdirSync(incoming, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    const message = 'The directory of the incoming zones cannot be read.';
    throw new ServiceError('storage_failed', message, [], { cause: error });
  }
}

/** Where an entry leads that is a link to a directory of the store. */
function linkedZone(root: string, incoming: string, entry: Dirent): string | undefined {
  if (!entry.isSymbolicLink()) return undefined;
  try {
    const located = confineZone(root, incoming, entry.name);
    return statSync(located, { throwIfNoEntry: false })?.isDirectory() ? located : undefined;
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}

export function labelRefused(label: string, problem: string): ServiceError {
  return new ServiceError('label_unknown', `The incoming label ${JSON.stringify(label)} ${problem}`);
}

/** Why a string cannot be the label of a zone, which is a directory of that name; undefined if it can. */
export function labelProblem(label: string): string | undefined {
  if (label === '') return 'is empty.';
  if (/[/\\]/.test(label)) return 'contains a slash.';
  if (/\p{Cc}/u.test(label)) return 'contains a control character.';
  if (label.startsWith('.')) return 'starts with a dot.';
  if (!label.isWellFormed()) return 'is not well-formed Unicode.';
  if (Buffer.byteLength(label) > LONGEST_PATH_PART) return `is longer than ${LONGEST_PATH_PART} bytes.`;
  return undefined;
}

/**
 * Walks a path as the system would, following links. Undefined where that is not possible: a loop, no permission, a
 * link to nowhere (which a later write would follow).
 */
function resolveLinks(folder: string, path: string): string | undefined {
  let place = isAbsolute(path) ? sep : folder;
  for (const segment of path.split(sep)) {
    const next = join(place, segment);
    try {
      place = realpathSync(next);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || isLink(next)) return undefined;
      place = next;
    }
  }
  return place;
}

/** Whether a located path is below another one. */
export function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder + sep);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
