/**
 * `accession backup`: a store as one file, while a service runs on it.
 *
 * Each area is copied as of one moment. Zones come before curated areas: a submission that is accepted meanwhile is then in
 * both, never in neither. Audit logs come before the areas that they follow, since a log that is behind catches up.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  createWriteStream,
  fsyncSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { LAST_BACKUP_FILE, noteBackup } from '../../config/last-backup.ts';
import { locate, PRIVATE_FOLDER } from '../../config/paths.ts';
import { type SnapshotFile, sizeOf, snapshotArea, snapshotTree } from '../../storage/snapshot.ts';
import { ownDirectory, storeAreas, storedConfiguration } from '../areas.ts';
import { type Given, UsageError } from '../command.ts';
import { counted } from '../print.ts';
import { type Progress, startProgress } from '../progress.ts';
import { version } from '../version.ts';
import { MANIFEST, type Manifest, type ManifestFile, STORE_FOLDER } from './manifest.ts';
import { padding, TAR_END, tarHeader } from './tar.ts';

/** Run by the table of commands. */
export async function backup(given: Given): Promise<number> {
  const [store = '', file = ''] = given.args;
  const root = ownDirectory(store);
  const target = resolve(file);
  if (target.startsWith(root + sep)) throw new UsageError('The backup must be outside of the store.');
  if (statSync(target, { throwIfNoEntry: false })) throw new UsageError(`${file} exists already.`);
  const unfinished = `${target}.unfinished`;
  const scratch = mkdtempSync(join(tmpdir(), 'accession-backup-'));
  const progress = startProgress('files');
  const files: ManifestFile[] = [];
  try {
    const { parts, outside } = await partsOf(root);
    const archive = Readable.from(archiveOf(root, parts, outside, files, scratch, progress), {
      objectMode: false,
    });
    await pipeline(
      archive,
      createGzip({ level: 6 }),
      createWriteStream(unfinished, { mode: 0o600, flags: 'wx' }),
    );
    flush(unfinished);
    renameSync(unfinished, target);
    flush(dirname(target));
    for (const path of outside)
      process.stderr.write(`not in the backup, since it is outside of the store: ${path}\n`);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  } finally {
    progress.end();
    rmSync(scratch, { recursive: true, force: true });
  }
  const { size } = statSync(target);
  noteBackup(root, size);
  process.stderr.write(`${counted(files.length, 'file')} in ${file}, ${counted(size, 'byte')}\n`);
  return 0;
}

/** A directory that is copied as a whole. */
type Part = { readonly directory: string; readonly isArea: boolean };

/** The parts of a store in the order in which they are copied; the rest of the store comes last. */
async function partsOf(root: string): Promise<{ parts: Part[]; outside: string[] }> {
  const areas = await storeAreas(root);
  const { collections } = await storedConfiguration(root);
  const logs = Object.values(collections).flatMap(({ audit_backends }) =>
    audit_backends.map(({ path }) => ({ directory: locate(root, path, 'path'), isArea: false })),
  );
  const area = (directory: string): Part => ({ directory, isArea: true });
  const zones = areas.filter((one) => one.area !== 'curated').map(({ directory }) => area(directory));
  const curated = areas.filter((one) => one.area === 'curated').map(({ directory }) => area(directory));
  const own = join(root, PRIVATE_FOLDER);
  const all = [
    { directory: join(own, 'config_audit'), isArea: false },
    area(join(own, 'config_store')),
    ...zones,
    ...logs,
    ...curated,
  ];
  const isInside = ({ directory }: Part) => directory.startsWith(root + sep);
  return {
    parts: all.filter(isInside),
    outside: all.filter((one) => !isInside(one)).map(({ directory }) => directory),
  };
}

async function* archiveOf(
  root: string,
  parts: readonly Part[],
  outside: readonly string[],
  files: ManifestFile[],
  scratch: string,
  progress: Progress,
): AsyncGenerator<Buffer> {
  const done = new Set<string>();
  const add = function* (directory: string, snapshot: Iterable<SnapshotFile>): Generator<Buffer> {
    for (const file of snapshot) {
      const path = join(relative(root, directory), file.path).split(sep).join('/');
      if (NOT_KEPT.has(path)) continue;
      const entry = fileEntry(`${STORE_FOLDER}/${path}`, file, join(directory, file.path));
      // A file that has gone since it was listed.
      if (!entry) continue;
      files.push({ path, ...(yield* entry) });
      progress.advance(1);
    }
  };
  const skip = new Set(parts.map(({ directory }) => directory));
  for (const { directory, isArea } of parts) {
    if (done.has(directory)) continue;
    done.add(directory);
    const inner = new Set([...skip].filter((one) => one !== directory));
    yield* add(
      directory,
      isArea ? snapshotArea(directory, scratch, inner) : snapshotTree(directory, scratch, inner),
    );
  }
  yield* add(root, snapshotTree(root, scratch, skip));
  const manifest: Manifest = {
    format: 1,
    accession: version(),
    created: new Date().toISOString(),
    files,
    outside,
  };
  const text = Buffer.from(`${JSON.stringify(manifest, undefined, 1)}\n`);
  yield tarHeader({ path: MANIFEST, size: text.length, mode: 0o600, modified: Date.now() });
  yield text;
  yield padding(text.length);
  yield TAR_END;
}

/** Notes of a running process. */
const NOT_KEPT = new Set([`${PRIVATE_FOLDER}/service.json`, LAST_BACKUP_FILE]);

const BACKUP_CHUNK = 256 * 1024;

type Digested = Omit<ManifestFile, 'path'>;

/** The bytes of a file in the archive; undefined if it has gone. */
function fileEntry(
  path: string,
  { content }: SnapshotFile,
  original: string,
): Generator<Buffer, Digested> | undefined {
  const stat = statSync(original, { throwIfNoEntry: false });
  const mode = stat?.mode ?? 0o644;
  const modified = stat?.mtimeMs ?? Date.now();
  if ('text' in content) return textEntry(path, Buffer.from(content.text), mode, modified);
  try {
    return openedEntry(path, openSync(content.file, 'r'), mode, modified);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function* textEntry(
  path: string,
  bytes: Buffer,
  mode: number,
  modified: number,
): Generator<Buffer, Digested> {
  yield tarHeader({ path, size: bytes.length, mode, modified });
  yield bytes;
  yield padding(bytes.length);
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function* openedEntry(
  path: string,
  handle: number,
  mode: number,
  modified: number,
): Generator<Buffer, Digested> {
  try {
    const size = sizeOf(handle);
    const hash = createHash('sha256');
    yield tarHeader({ path, size, mode, modified });
    for (let left = size; left > 0; ) {
      const chunk = Buffer.alloc(Math.min(left, BACKUP_CHUNK));
      const read = readSync(handle, chunk, 0, chunk.length, null);
      // A file that was cut meanwhile keeps its announced size.
      const bytes = read === 0 ? chunk : chunk.subarray(0, read);
      hash.update(bytes);
      left -= bytes.length;
      yield bytes;
    }
    yield padding(size);
    return { size, sha256: hash.digest('hex') };
  } finally {
    closeSync(handle);
  }
}

function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
