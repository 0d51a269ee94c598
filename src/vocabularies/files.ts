/** Sources and snapshots in files and at URLs. */
import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { TIMEOUT } from '../durations.ts';
import { LinkmlError } from '../errors.ts';
import type { Pieces } from './read/source.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import { MAGIC } from './snapshot-format.ts';
import { formatOf, takeSnapshot } from './take.ts';

/**
 * Takes a source at a path or an `http(s)` URL; one whose name ends in `.gz` is unpacked.
 *
 * @throws LinkmlError `schema_invalid`: it cannot be read, or has another format
 */
export async function takeFrom(source: string, format?: string): Promise<Uint8Array<ArrayBuffer>> {
  const known = formatOf(source, format);
  const isPacked = /\.gz$/i.test(source);
  try {
    const stream = await streamOf(source);
    const pieces: Pieces = isPacked ? stream.pipe(createGunzip()) : stream;
    // An error of the stream is not passed on by `pipe`.
    if (isPacked) stream.on('error', (error) => (pieces as Readable).destroy(error));
    return await takeSnapshot(pieces, { source, format: known });
  } catch (error) {
    if (error instanceof LinkmlError) throw error;
    throw new LinkmlError('schema_invalid', `Cannot read ${source}: ${(error as Error).message}.`);
  }
}

async function streamOf(source: string): Promise<Readable> {
  if (!/^https?:\/\//.test(source)) return createReadStream(source);
  const answer = await fetch(source, { signal: AbortSignal.timeout(TIMEOUT.vocabularyHost) });
  if (!answer.ok || !answer.body) throw new Error(`the host answered with status ${answer.status}`);
  return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
}

/** The vocabulary in a file: a snapshot, or a source of which one is taken. @throws LinkmlError `schema_invalid` */
export async function openVocabulary(file: string): Promise<Snapshot> {
  return openSnapshot(isSnapshot(file) ? readFileSync(file) : await takeFrom(file));
}

/** Whether a file starts as snapshots do. */
export function isSnapshot(file: string): boolean {
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
