/**
 * The archive of a release: a ZIP file in the database, in parts, written while its files are made and read a part at a time. A
 * file is read from the archive, too, so nothing is kept twice.
 */
import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { crc32, createDeflateRaw, createInflateRaw } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';
import type { Draft } from '../../core/storage/database.ts';
import {
  addParts,
  PART_BYTES,
  type PartTable,
  readParts,
  WRITTEN_AT_ONCE,
} from '../../core/storage/parts.ts';
import type { Reader } from '../../core/storage/reader.ts';

const PARTS: PartTable = { name: 'accession_release_part', key: 'attempt' };
/** Lines are compressed together until they have this many characters. */
const CHUNK = 64 * 1024;
/** Without its extension for larger ones, ZIP has 32 bits for a size. */
const MOST_BYTES = 2 ** 32 - 1;
/** The bytes before the name of a file, and behind its content. */
const HEADER = 30;
const DESCRIPTOR = 16;
/** The number of this compression in a ZIP archive (APPNOTE 4.4.5). */
const DEFLATED = 8;

/** A release cannot be made: it would fail again. */
export class ReleaseFailedError extends Error {}

export type ArchivedFile = {
  readonly path: string;
  readonly size: number;
  /** The SHA-256 of its bytes, in hexadecimal digits. */
  readonly digest: string;
  /** Where its compressed bytes are in the archive. */
  readonly from: number;
  readonly to: number;
};

/** A file of an archive that is written, compressed outside of this thread. */
class DeflatedFile implements ZipInputFile {
  readonly filename: string;
  readonly mtime: Date;
  readonly compression = DEFLATED;
  size = 0;
  crc = 0;
  /** Set by the archive. */
  ondata: NonNullable<ZipInputFile['ondata']> = () => {};
  readonly #deflate = createDeflateRaw();

  constructor(filename: string, mtime: Date) {
    this.filename = filename;
    this.mtime = mtime;
    this.#deflate.on('data', (bytes: Buffer<ArrayBuffer>) => this.ondata(null, bytes, false));
  }

  /** @returns when the memory of the bytes may be used again */
  write(bytes: Uint8Array): Promise<void> {
    this.crc = crc32(bytes, this.crc);
    this.size += bytes.length;
    return new Promise((done, failed) => {
      this.#deflate.write(bytes, (error) => (error ? failed(error) : done()));
    });
  }

  async end(): Promise<void> {
    this.#deflate.end();
    await finished(this.#deflate);
    this.ondata(null, new Uint8Array(), true);
  }

  /** Frees the memory of one that is not ended. */
  close(): void {
    this.#deflate.destroy();
  }
}

/** Writes the files of an archive one after the other, with memory for about a megabyte. */
export class ArchiveWriter {
  readonly #zip: Zip;
  readonly #time: Date;
  readonly #keep: (add: (draft: Draft) => void) => Promise<void>;
  readonly #attempt: string;
  readonly #hash = createHash('sha256');
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #size = 0;
  #kept = 0;
  /** The lines that are compressed together, used again: V8 frees such memory late, as it is not its own. */
  readonly #chunk = Buffer.allocUnsafe(2 * CHUNK);

  /**
   * @param time that of all files
   * @param keep commits parts
   */
  constructor(attempt: string, time: Date, keep: (add: (draft: Draft) => void) => Promise<void>) {
    this.#attempt = attempt;
    this.#time = time;
    this.#keep = keep;
    this.#zip = new Zip((error, bytes) => {
      if (error) throw error;
      this.#waiting.push(bytes);
      this.#waitingBytes += bytes.length;
      this.#size += bytes.length;
      this.#hash.update(bytes);
    });
  }

  /** Adds a file of lines. @throws ReleaseFailedError if it is too large */
  async add(path: string, lines: AsyncIterable<string> | Iterable<string>): Promise<ArchivedFile> {
    const start = this.#size;
    const file = new DeflatedFile(path, this.#time);
    this.#zip.add(file);
    const hash = createHash('sha256');
    const push = async (text: string) => {
      const bytes = this.#bytesOf(text);
      hash.update(bytes);
      await file.write(bytes);
      if (Math.max(file.size, this.#size) > MOST_BYTES)
        throw new ReleaseFailedError(`The file ${path}, or the archive, has more than ${MOST_BYTES} bytes.`);
      if (this.#waitingBytes >= WRITTEN_AT_ONCE) await this.#keepParts();
    };
    try {
      let chunk = '';
      for await (const line of lines) {
        chunk += `${line}\n`;
        if (chunk.length < CHUNK) continue;
        await push(chunk);
        chunk = '';
      }
      await push(chunk);
      await file.end();
    } finally {
      file.close();
    }
    const from = start + HEADER + Buffer.byteLength(path);
    return { path, size: file.size, digest: hash.digest('hex'), from, to: this.#size - DESCRIPTOR };
  }

  /** In memory that the next call uses again, unless they are long. */
  #bytesOf(text: string): Uint8Array {
    if (Buffer.byteLength(text) > this.#chunk.length) return Buffer.from(text);
    return this.#chunk.subarray(0, this.#chunk.write(text));
  }

  /** Ends the archive. @returns its bytes, and their SHA-256 */
  async end(): Promise<{ readonly size: number; readonly digest: string }> {
    this.#zip.end();
    await this.#keepParts(true);
    return { size: this.#size, digest: this.#hash.digest('hex') };
  }

  /** Keeps whole parts; at the end, the last one, too. */
  async #keepParts(all = false): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    const end = all ? bytes.length : bytes.length - (bytes.length % PART_BYTES);
    const at = this.#kept;
    await this.#keep((draft) => addParts(draft, PARTS, this.#attempt, at, bytes.subarray(0, end)));
    this.#kept += end;
    this.#waiting = [bytes.subarray(end)];
    this.#waitingBytes = bytes.length - end;
  }
}

export async function* archiveBytes(
  reader: Reader,
  attempt: string,
  range: { readonly from: number; readonly to: number },
): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of readParts(reader, PARTS, attempt, range)) yield bytes;
}

export function archivedContent(reader: Reader, attempt: string, file: ArchivedFile): Readable {
  const packed = Readable.from(archiveBytes(reader, attempt, file), { objectMode: false });
  // An error of the source ends the result with it.
  return pipeline(packed, createInflateRaw(), () => {});
}
