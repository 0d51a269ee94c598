/**
 * `accession backup`: a store as one file, while a service runs on it: the database as of one moment, the audit logs in
 * git, and what else is in the store directory, such as schemas. The files of record directories are not in it: the
 * service writes them again from the database.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, cp, mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { create } from 'tar';
import { directoriesOfKeys } from '../../core/config/key-directories.ts';
import { noteFile, writeNote } from '../../core/config/notes.ts';
import { locate, PRIVATE_FOLDER } from '../../core/config/paths.ts';
import { CONFIGURATION_LOG, DATABASE_FILE, movedStore } from '../../core/config/store-directory.ts';
import { configurationSchemas } from '../configuration-schemas.ts';
import { makeDirectory } from '../new-file.ts';
import { configurationOf, ownDirectory } from '../open-store.ts';
import { UsageError } from '../outcome.ts';
import { countText } from '../print.ts';
import { startProgress } from '../progress.ts';
import { version } from '../version.ts';

const run = promisify(execFile);

/** The file that lists the others with their digests. */
export const MANIFEST = 'manifest.json';

export type Manifest = {
  readonly format: 2;
  /** The release that has made the backup. */
  readonly accession: string;
  readonly created: string;
  /** Paths relative to the store, in the order of the archive. */
  readonly files: readonly ManifestFile[];
  /** Symbolic links within the store. */
  readonly links: readonly ManifestLink[];
  /** Logs and links that lead out of the store and therefore are not in the backup. */
  readonly outside: readonly string[];
};

type ManifestFile = { readonly path: string; readonly size: number; readonly sha256: string };
/** Both are relative to the store. */
type ManifestLink = { readonly path: string; readonly target: string };
/** Links, inside of the archive or out of it: they are not files of their own. */
type Links = { readonly inside: ManifestLink[]; readonly outside: string[] };

/** Files are below this folder of the archive. */
export const STORE_FOLDER = 'store';

export async function backup(store: string, file: string): Promise<number> {
  const moved = movedStore(store);
  if (moved !== undefined) throw new UsageError(moved);
  const root = await realpath(ownDirectory(store));
  const target = resolve(file);
  if (target.startsWith(root + sep)) throw new UsageError('The backup must be outside of the store.');
  if (await stat(target).catch(() => undefined)) throw new UsageError(`${file} exists already.`);
  makeDirectory(dirname(target));
  const scratch = `${target}.unfinished`;
  const archive = `${scratch}.tar.gz`;
  try {
    await rm(scratch, { recursive: true, force: true });
    makeDirectory(join(scratch, STORE_FOLDER), 0o700);
    const { inside, outside } = await copyStore(root, join(scratch, STORE_FOLDER));
    const files = await manifestOf(join(scratch, STORE_FOLDER));
    const manifest: Manifest = {
      format: 2,
      accession: version(),
      created: new Date().toISOString(),
      files,
      links: inside,
      outside,
    };
    await writeFile(join(scratch, MANIFEST), `${JSON.stringify(manifest, undefined, 1)}\n`);
    await create({ cwd: scratch, file: archive, gzip: true, mode: 0o600 }, [MANIFEST, STORE_FOLDER]);
    await chmod(archive, 0o600);
    await flush(archive);
    await rename(archive, target);
    await flush(dirname(target));
    for (const path of outside)
      process.stderr.write(`not in the backup, since it is outside of the store: ${path}\n`);
    const { size } = await stat(target);
    writeNote(root, 'last-backup', { time: new Date().toISOString(), bytes: size });
    process.stderr.write(`${countText(files.length, 'file')} in ${file}, ${countText(size, 'byte')}\n`);
    return 0;
  } finally {
    await rm(scratch, { recursive: true, force: true });
    await rm(archive, { force: true });
  }
}

/** Copies what a backup contains. */
async function copyStore(root: string, to: string): Promise<Links> {
  using progress = startProgress('files');
  const copied = () => progress.advance(1);
  const { collections } = await configurationOf(root);
  const links: Links = { inside: [], outside: [] };
  // The logs come first: one that is behind the database catches up.
  const { keys } = await configurationSchemas();
  const logs = [
    join(root, PRIVATE_FOLDER, CONFIGURATION_LOG),
    ...Object.values(collections).flatMap((config) =>
      directoriesOfKeys(config, keys).map(({ key, path }) => locate(root, path, key)),
    ),
  ];
  const repositories = new Set<string>();
  for (const log of logs) if (await stat(join(log, 'HEAD')).catch(() => undefined)) repositories.add(log);
  for (const log of repositories) {
    if (!log.startsWith(root + sep)) links.outside.push(log);
    else {
      await run('git', [
        'clone',
        '--quiet',
        '--mirror',
        '--no-hardlinks',
        log,
        join(to, relative(root, log)),
      ]);
      copied();
    }
  }
  copyDatabase(join(root, DATABASE_FILE), join(to, DATABASE_FILE));
  await chmod(join(to, DATABASE_FILE), 0o600);
  copied();
  const curated = Object.values(collections).map((one) => locate(root, one.curated, 'curated-path'));
  const incoming = Object.values(collections).flatMap((one) =>
    one.incoming === null ? [] : locate(root, one.incoming, 'incoming-path'),
  );
  const left = new Set([
    ...repositories,
    ...curated,
    ...incoming,
    ...PRIVATE.map((name) => join(root, name)),
  ]);
  await copyRest({ root, to, left, links, copied }, root);
  for (const area of curated) await copyDirectory(root, area, to);
  for (const area of incoming) await copyZones(root, area, to, links);
  return links;
}

/** Files of a running process, or of an earlier release. */
const PRIVATE = [
  ...['', '-wal', '-shm', '.lock'].map((suffix) => `${DATABASE_FILE}${suffix}`),
  noteFile('service'),
  `${PRIVATE_FOLDER}/config_store`,
  noteFile('last-backup'),
];

/** One statement that reads, so the copy is of one moment, and writers go on. */
function copyDatabase(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
}

type CopyContext = {
  readonly root: string;
  readonly to: string;
  /** Paths that are not copied. */
  readonly left: ReadonlySet<string>;
  readonly links: Links;
  readonly copied: () => void;
};

async function copyRest(copying: CopyContext, from: string): Promise<void> {
  const { root, to, left, links, copied } = copying;
  await copyDirectory(root, from, to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const path = join(from, entry.name);
    if (left.has(path)) continue;
    if (entry.isSymbolicLink()) await noteLink(root, path, links);
    else if (entry.isDirectory()) await copyRest(copying, path);
    else if (entry.isFile()) {
      await cp(path, join(to, relative(root, path)), { preserveTimestamps: true });
      copied();
    }
  }
}

/** Copies the directories of zones, which the service fills again, and zones that are links to others. */
async function copyZones(root: string, incoming: string, to: string, links: Links): Promise<void> {
  if (!(await copyDirectory(root, incoming, to))) return;
  for (const entry of await readdir(incoming, { withFileTypes: true })) {
    const path = join(incoming, entry.name);
    if (entry.isSymbolicLink()) await noteLink(root, path, links);
    else if (entry.isDirectory()) await copyDirectory(root, path, to);
  }
}

async function copyDirectory(root: string, from: string, to: string): Promise<boolean> {
  const found = await stat(from).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  const copy = join(to, relative(root, from));
  await mkdir(copy, { recursive: true });
  await chmod(copy, found.mode & 0o777);
  return true;
}

async function noteLink(root: string, path: string, { inside, outside }: Links): Promise<void> {
  const target = await realpath(path).catch(() => undefined);
  if (!target?.startsWith(root + sep)) outside.push(path);
  else inside.push({ path: portable(relative(root, path)), target: portable(relative(root, target)) });
}

function portable(path: string): string {
  return path.split(sep).join('/');
}

async function manifestOf(folder: string): Promise<ManifestFile[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: ManifestFile[] = [];
  for (const entry of names) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { size } = await stat(path);
    files.push({ path: portable(relative(folder, path)), size, sha256: await digestOf(path) });
  }
  return files;
}

export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
