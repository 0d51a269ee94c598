/** Sources and snapshots in files and at URLs. */
import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LinkmlError } from '#linkml/errors.ts';
import type { Pieces } from '#linkml/vocabularies/read/source.ts';
import { openSnapshot, type Snapshot } from '#linkml/vocabularies/snapshot.ts';
import { MAGIC } from '#linkml/vocabularies/snapshot-format.ts';
import { formatOf, takeSnapshot } from '#linkml/vocabularies/take.ts';
import { TIMEOUT } from '../durations.ts';
import { failureOf, limited, openLocal, responseOf } from './download.ts';

export type TakeOptions = {
  /** By default, the suffix of the source decides. */
  readonly format?: string | undefined;
  /** The URL at which the source is read, if it is another one. */
  readonly url?: URL | undefined;
  /** Hosts on this machine or link that may be asked; undefined lets all. */
  readonly hosts?: readonly string[] | undefined;
  /** The bytes that the source may have when it is unpacked. */
  readonly most?: number;
};

/**
 * Takes a source at a path or an `http(s)` URL; one whose name ends in `.gz` is unpacked.
 *
 * @throws LinkmlError `schema_invalid`: it cannot be read, or has another format
 */
export async function takeFrom(source: string, options: TakeOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  const { url, hosts, most = Number.POSITIVE_INFINITY } = options;
  const format = formatOf(source, options.format);
  const isPacked = /\.gz$/i.test(source);
  try {
    const stream = await streamOf(url ?? source, hosts);
    const pieces: Pieces = isPacked ? stream.pipe(createGunzip()) : stream;
    // An error of the stream is not passed on by `pipe`.
    if (isPacked) stream.on('error', (error) => (pieces as Readable).destroy(error));
    return await takeSnapshot(limited(pieces, most), { source, format });
  } catch (error) {
    if (error instanceof LinkmlError) throw error;
    throw new LinkmlError('schema_invalid', `Cannot read ${source}: ${(error as Error).message}.`);
  }
}

async function streamOf(source: string | URL, hosts: readonly string[] | undefined): Promise<Readable> {
  const url = typeof source === 'string' && /^https?:\/\//.test(source) ? new URL(source) : source;
  if (typeof url === 'string') return createReadStream(url);
  if (url.protocol === 'file:') return openLocal(url);
  const response = await responseOf(url, hosts, AbortSignal.timeout(TIMEOUT.vocabulary)).catch((error) => {
    throw new Error(failureOf(error));
  });
  if (response.statusCode === 200) return response;
  response.destroy();
  throw new Error(`the host answers ${response.statusCode}`);
}

/** The vocabulary in a file: a snapshot, or a source of which one is taken. @throws LinkmlError `schema_invalid` */
export async function openVocabulary(file: string): Promise<Snapshot> {
  return openSnapshot(isSnapshot(file) ? readFileSync(file) : await takeFrom(file));
}

/** Whether a file starts as snapshots do. */
function isSnapshot(file: string): boolean {
  const start = Buffer.alloc(MAGIC.length);
  try {
    const descriptor = openSync(file, 'r');
    try {
      readSync(descriptor, start);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
  return start.toString() === MAGIC;
}
