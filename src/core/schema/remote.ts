/**
 * The text of a schema file, wherever it lies. Remote files are kept on disk, so that a service can start while the
 * schema's host is down; they are asked for again whenever a schema is opened, and never in between.
 */
import { hash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TIMEOUT } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import { type Answer, download, readLocal } from './download.ts';
import { mappedUrl, type SchemaMap } from './schema-map.ts';

export type ReadOptions = {
  /** Where copies of remote files are kept; nowhere without it. */
  readonly cacheDir?: string;
  /** Whether new copies are kept there. Default true. */
  readonly keep?: boolean;
  /** Folders in which the files below some URLs are found, instead of asking a host. */
  readonly map?: SchemaMap;
  /**
   * The only files that may be read, as URLs; all others are treated as missing. For the texts of users who may not choose
   * what the service reads.
   */
  readonly only?: ReadonlySet<string>;
  /** The texts of files by URL: nothing else is read, neither from disk nor from a host. */
  readonly sources?: ReadonlyMap<string, string>;
  /** Hosts on this machine or link that may be asked, as in URLs; without it, all may be. */
  readonly hosts?: readonly string[];
  /** Called once for each remote file that could not be read and was taken from its copy. */
  readonly warn?: (message: string) => void;
  /** How long a host may take to answer, in milliseconds. */
  readonly timeout?: number;
};

/** A schema and its imports have at most this many files, each of which may be looked for in several locations. */
const MOST_FILES = 1_000;

function isRemote(address: string): boolean {
  return /^https?:\/\//i.test(address);
}

/** The URL of an address: a path (relative to the working directory), a `file:` or an `http(s):` URL. */
export function urlOf(address: string): URL {
  if (isRemote(address) || /^file:/i.test(address)) {
    try {
      return new URL(address);
    } catch (error) {
      throw new ServiceError('schema_invalid', `The schema URL ${address} is not a valid URL.`, [], {
        cause: error,
      });
    }
  }
  return pathToFileURL(isAbsolute(address) ? address : resolve(address));
}

/**
 * Reads schema files from disk and over HTTP. The loader returns undefined if there is certainly no such file (404 or 410
 * of a host), and throws `schema_invalid` if a file cannot be read and no copy of it is kept, or if reading does not end.
 */
export function schemaLoader(options: ReadOptions): (url: URL) => Promise<string | undefined> {
  const end = performance.now() + TIMEOUT.schema;
  let files = 0;
  return async (url) => {
    files += 1;
    if (files > MOST_FILES) throw tooMuch(`more than ${MOST_FILES} files`);
    if (performance.now() > end)
      throw tooMuch(`files that take more than ${TIMEOUT.schema / 1000} s to read`);
    if (options.sources) return options.sources.get(url.href);
    if (options.only && !options.only.has(url.href)) return undefined;
    const mapped = options.map && mappedUrl(url, options.map);
    if (mapped) return await readFromDisk(mapped);
    return url.protocol === 'file:' ? await readFromDisk(url) : await readRemote(url, options);
  };
}

function tooMuch(what: string): ServiceError {
  return new ServiceError('schema_invalid', `The schema imports ${what}.`);
}

async function readFromDisk(url: URL): Promise<string | undefined> {
  const { text, missing, reason } = await readLocal(url);
  if (text !== undefined || missing) return text;
  const message = `The schema file ${fileURLToPath(url)} cannot be read: ${reason}.`;
  throw new ServiceError('schema_invalid', message);
}

async function readRemote(url: URL, options: ReadOptions): Promise<string | undefined> {
  const copy = options.cacheDir
    ? join(options.cacheDir, `${hash('sha256', url.href, 'hex')}.yaml`)
    : undefined;
  const answer = await download(url, options.timeout ?? TIMEOUT.host, options.hosts);
  if (answer.text !== undefined) {
    if (copy && options.cacheDir && options.keep !== false) await keep(options.cacheDir, copy, answer.text);
    return answer.text;
  }
  const kept = copy ? await readFile(copy, 'utf8').catch(() => undefined) : undefined;
  if (kept !== undefined) {
    options.warn?.(`${url.href} can't be read (${answer.reason}); the copy of an earlier start is used.`);
    return kept;
  }
  if (answer.missing) return undefined;
  throw new ServiceError(
    'schema_invalid',
    `The schema ${url.href} cannot be read: ${answer.reason}. ${adviceFor(url, answer, copy)}`,
  );
}

/** Advises on a schema that cannot be read: a service can map it to a folder, and a command takes a file. */
function adviceFor(url: URL, { reason = '' }: Answer, copy: string | undefined): string {
  if (copy !== undefined)
    return `The store has no copy of it. To read it from a folder, start with --schema-map ${new URL('.', url).href}=<folder>.`;
  if (!/ 40[13]$/.test(reason)) return 'To read it without the network, save it as a file and name its path.';
  return (
    'Schemas are read without a token: save this one as a file and name its path. Commands for a collection use the token of ' +
    '`accession login` instead.'
  );
}

/** Written beside and renamed, so that a crash leaves the old copy or the new one. */
async function keep(cacheDir: string, path: string, text: string): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  const beside = `${path}.${process.pid}.tmp`;
  await writeFile(beside, text);
  await rename(beside, path);
}
