/** `accession restore`: the store in a backup, verified file by file before it is put in place. */
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { extract, list } from 'tar';
import { PRIVATE_FOLDER } from '../../core/config/paths.ts';
import { DATABASE_FILE } from '../../core/config/store-directory.ts';
import { ServiceError } from '../../core/errors.ts';
import { renewGeneration } from '../../core/storage/sqlite/sqlite.ts';
import { makeDirectory } from '../new-file.ts';
import { isDatabaseUrl } from '../open-store.ts';
import { UsageError } from '../outcome.ts';
import { countText } from '../print.ts';
import { startProgress } from '../progress.ts';
import { digestOf, MANIFEST, type Manifest, STORE_FOLDER } from './backup.ts';

export async function restore(
  file: string,
  store: string | undefined,
  { verify: onlyVerify = false }: { readonly verify?: boolean },
): Promise<number> {
  if (store === undefined && !onlyVerify) throw new UsageError('The argument STORE is missing.');
  if (store !== undefined && isDatabaseUrl(store)) {
    throw new UsageError(
      'A backup is restored into a directory. From there, "accession copy-store" copies it to a database.',
    );
  }
  const target = store === undefined ? undefined : resolve(store);
  const present = target && (await readdir(target).catch(() => undefined));
  if (present && present.length > 0)
    throw new UsageError(`${store} is not empty; a backup is restored into a new directory.`);
  const beside =
    target === undefined || onlyVerify
      ? mkdtempSync(join(tmpdir(), 'accession-verify-'))
      : `${target}.restoring-${process.pid}`;
  try {
    if (target !== undefined) makeDirectory(dirname(target));
    makeDirectory(beside, 0o700);
    const { files, created } = await unpack(file, beside);
    if (target !== undefined && !onlyVerify) {
      await mkdir(join(beside, STORE_FOLDER, PRIVATE_FOLDER), { recursive: true, mode: 0o700 });
      renewGeneration(join(beside, STORE_FOLDER, DATABASE_FILE));
      if (present) await rmdir(target);
      await rename(join(beside, STORE_FOLDER), target);
    }
    const verb = onlyVerify ? 'verified' : 'restored';
    process.stderr.write(`${countText(files.length, 'file')} of ${created} ${verb}\n`);
    return 0;
  } finally {
    await rm(beside, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Unpacks into a folder; whatever does not agree with the manifest is an error. */
async function unpack(file: string, folder: string): Promise<Manifest> {
  using progress = startProgress('files');
  // The system's own error names the file.
  await stat(file);
  let foreign: string | undefined;
  try {
    // A damaged archive is refused before anything is unpacked: writes of files would go on after the error.
    await list({ file, strict: true });
    await extract({
      file,
      cwd: folder,
      strict: true,
      // Links and devices have no place in a store, nor has a path that leads elsewhere.
      filter: (path, entry) => {
        const type = 'type' in entry ? entry.type : '';
        if (!isOfStore(path) || (type !== 'File' && type !== 'OldFile' && type !== 'Directory'))
          foreign ??= path;
        progress.advance(1);
        return foreign === undefined;
      },
    });
  } catch (error) {
    throw damaged(file, (error as Error).message);
  }
  if (foreign !== undefined)
    throw damaged(file, `it has ${JSON.stringify(foreign)}, which is not a file of a store.`);
  const manifest = await readFile(join(folder, MANIFEST), 'utf8').then(
    (text) => JSON.parse(text) as Manifest | OtherManifest,
    () => undefined,
  );
  if (manifest === undefined) throw damaged(file, 'it has no manifest.');
  if (manifest.format !== 2) throw ofOtherRelease(file, manifest);
  const present = new Set(await filesIn(join(folder, STORE_FOLDER)));
  for (const { path, sha256 } of manifest.files) {
    if (!present.delete(path) || (await digestOf(join(folder, STORE_FOLDER, path))) !== sha256)
      throw damaged(file, `${path} is missing or differs from the manifest.`);
  }
  for (const path of present) throw damaged(file, `${path} is not in the manifest.`);
  for (const { path, target } of manifest.links) {
    if (![path, target].every((one) => isOfStore(`${STORE_FOLDER}/${one}`)))
      throw damaged(file, `${JSON.stringify(path)} leads out of the store.`);
    const link = join(folder, STORE_FOLDER, path);
    const to = relative(dirname(link), join(folder, STORE_FOLDER, target)) || '.';
    await symlink(to, link).catch((error: Error) => {
      throw damaged(file, error.message);
    });
  }
  return manifest;
}

function isOfStore(path: string): boolean {
  const segments = path.replace(/\/$/, '').split('/');
  if (segments.some((one) => one === '' || one === '.' || one === '..' || /[\\\0]/.test(one))) return false;
  return segments[0] === STORE_FOLDER || path === MANIFEST;
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** A manifest of another layout. */
type OtherManifest = { readonly format: 0; readonly accession?: string };

function ofOtherRelease(file: string, { accession = 'another' }: OtherManifest): ServiceError {
  return new ServiceError(
    'store_incompatible',
    `The backup ${file} was made by release ${accession}. ` +
      'Restore it with that release; "accession serve" then adopts the store.',
  );
}

/** Reasons name files of the archive, whose names may be long. */
const LONGEST_REASON = 500;

function damaged(file: string, why: string): ServiceError {
  const reason = why.length > LONGEST_REASON ? `${why.slice(0, LONGEST_REASON)}…` : why;
  return new ServiceError('storage_failed', `The backup ${file} is damaged: ${reason}`);
}
