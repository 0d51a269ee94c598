/** `accession restore`: the store in a backup, verified file by file before it is put in place. */
import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { PRIVATE_FOLDER } from '../../config/paths.ts';
import { ServiceError } from '../../errors.ts';
import { type Given, UsageError } from '../command.ts';
import { isDatabaseUrl } from '../open-store.ts';
import { counted } from '../print.ts';
import { startProgress } from '../progress.ts';
import { MANIFEST, type Manifest, STORE_FOLDER } from './manifest.ts';
import { readTar, type TarEntry, TarError } from './tar.ts';

/** Run by the table of commands. */
export async function restore(given: Given): Promise<number> {
  const [file = '', store] = given.args;
  const onlyVerify = given.is('verify');
  if (store === undefined && !onlyVerify) throw new UsageError('The argument STORE is missing.');
  if (store !== undefined && isDatabaseUrl(store)) {
    throw new UsageError(
      'A backup is restored into a directory. From there, "accession copy-store" copies it to a database.',
    );
  }
  const target = store === undefined ? undefined : resolve(store);
  if (target && existsSync(target) && readdirSync(target).length > 0) {
    throw new UsageError(`${store} is not empty; a backup is restored into a new directory.`);
  }
  const beside = target === undefined || onlyVerify ? undefined : `${target}.restoring-${process.pid}`;
  try {
    const manifest = await unpack(file, beside);
    if (beside !== undefined && target !== undefined) {
      if (existsSync(target)) rmdirSync(target);
      renameSync(beside, target);
    }
    const verb = onlyVerify ? 'verified' : 'restored';
    process.stderr.write(`${counted(manifest.files.length, 'file')} of ${manifest.created} ${verb}\n`);
    return 0;
  } catch (error) {
    if (beside !== undefined) rmSync(beside, { recursive: true, force: true });
    throw error;
  }
}

/** Unpacks into a folder, or nowhere; whatever does not agree with the manifest is an error. */
async function unpack(file: string, folder: string | undefined): Promise<Manifest> {
  const digests = new Map<string, string>();
  const progress = startProgress('files');
  let manifest: Manifest | undefined;
  const bytes = createGunzip();
  // Errors are thrown where the bytes are read, which may be a moment later.
  pipeline(createReadStream(file), bytes).catch(() => {});
  try {
    if (folder !== undefined) mkdirSync(join(folder, PRIVATE_FOLDER), { recursive: true, mode: 0o700 });
    for await (const entry of readTar(bytes)) {
      if (entry.path === MANIFEST) {
        manifest = JSON.parse(
          Buffer.concat(await Array.fromAsync(entry.content())).toString('utf8'),
        ) as Manifest;
        continue;
      }
      const path = safePath(entry.path);
      digests.set(path, await unpackFile(entry, folder && join(folder, path)));
      progress.advance(1);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof TarError) && !code?.startsWith('Z_')) throw error;
    throw damaged(file, error instanceof TarError ? error.message : 'it cannot be decompressed.');
  } finally {
    progress.end();
  }
  if (manifest?.format !== 1) throw damaged(file, 'it has no manifest.');
  for (const { path, sha256 } of manifest.files) {
    if (digests.get(path) !== sha256) throw damaged(file, `${path} is missing or differs from the manifest.`);
    digests.delete(path);
  }
  for (const path of digests.keys()) throw damaged(file, `${path} is not in the manifest.`);
  return manifest;
}

/** The path in the store; an archive of another origin must not write elsewhere. */
function safePath(path: string): string {
  const segments = path.split('/');
  const isSafe =
    segments[0] === STORE_FOLDER &&
    segments.length > 1 &&
    segments.every(
      (one) => one !== '' && one !== '.' && one !== '..' && !one.includes('\\') && !one.includes('\0'),
    );
  if (!isSafe)
    throw new TarError(`The archive has a file ${JSON.stringify(path)}, which is not one of a store.`);
  return segments.slice(1).join('/');
}

async function unpackFile(entry: TarEntry, to: string | undefined): Promise<string> {
  const hash = createHash('sha256');
  async function* hashed() {
    for await (const chunk of entry.content()) {
      hash.update(chunk);
      yield chunk;
    }
  }
  if (to === undefined) {
    for await (const _ of hashed());
    return hash.digest('hex');
  }
  mkdirSync(dirname(to), { recursive: true });
  await pipeline(
    Readable.from(hashed()),
    new PassThrough(),
    createWriteStream(to, { mode: entry.mode & 0o777, flush: true }),
  );
  utimesSync(to, entry.modified / 1000, entry.modified / 1000);
  return hash.digest('hex');
}

function damaged(file: string, why: string): ServiceError {
  return new ServiceError('storage_failed', `The backup ${file} is damaged: ${why}`);
}
