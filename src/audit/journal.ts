/**
 * The journal of announcements: on disk before the store makes a change, and kept until git has its entry.
 *
 * It is a row of files that are only ever appended to. Each line is a checksum and a JSON text: an announcement, or
 * that one was made (`made`) or not (`dropped`). Announcements that come at the same time share one fsync. What was
 * confirmed or cancelled is written before the next announcement, without an fsync of its own: if a crash eats it, the
 * announcement is unresolved and is compared with the store.
 *
 * A file is removed when all of its announcements are done with, and all files before it are gone.
 */
import { type FileHandle, mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ServiceError } from '../errors.ts';
import type { AuditedChange } from './audit-log.ts';

/** A change with the time at which it was announced. */
export type TimedChange = AuditedChange & { readonly timeStamp: string };

/** An announcement in the journal. */
export type Announced = {
  readonly id: number;
  readonly changes: readonly TimedChange[];
  /** The file that holds it. */
  readonly segment: Segment;
};

/** An announcement of a former run. */
export type Leftover = Announced & { state: 'unresolved' | 'made' };

type Segment = { readonly file: string; announcements: number };

type Line =
  | { readonly announced: number; readonly changes: readonly TimedChange[] }
  | { readonly made: number }
  | { readonly dropped: number };

type Waiting = {
  readonly text: string;
  readonly announces: boolean;
  readonly resolve: (segment: Segment) => void;
  readonly reject: (error: unknown) => void;
};

/** A file is left for a new one when it is longer than this, in bytes. */
const SEGMENT_SIZE = 16 << 20;
const SEGMENT_NAME = /^journal-(\d{10})$/;

export class Journal {
  readonly #directory: string;
  /** Oldest first; the last one is appended to if it is open. */
  readonly #segments: Segment[];
  #number: number;
  #nextId: number;
  #handle: FileHandle | undefined;
  /** Bytes of the open file that are known to be good. */
  #length = 0;
  #queue: Waiting[] = [];
  #writing: Promise<void> | undefined;

  private constructor(directory: string, segments: Segment[], number: number, nextId: number) {
    this.#directory = directory;
    this.#segments = segments;
    this.#number = number;
    this.#nextId = nextId;
  }

  /** Opens a journal, and tells what a former run has left in it, oldest first. */
  static async open(directory: string): Promise<{ journal: Journal; leftovers: Leftover[] }> {
    await mkdir(directory, { recursive: true });
    const { segments, leftovers, lastNumber, lastId } = await readJournal(directory);
    const journal = new Journal(directory, segments, lastNumber + 1, lastId + 1);
    await journal.#removeDone();
    return { journal, leftovers };
  }

  /**
   * Writes an announcement down. When it returns, it is on disk.
   *
   * @throws ServiceError `audit_failed`; then it is not in the journal, or is unresolved after a crash
   */
  async announce(changes: readonly TimedChange[]): Promise<Announced> {
    const id = this.#nextId++;
    const segment = await this.#append({ announced: id, changes }, true);
    return { id, changes, segment };
  }

  /** Notes that an announcement was made; it counts until it is {@link release}d. Does not wait for the disk. */
  made({ id }: Announced): void {
    this.#append({ made: id }, false).catch(() => {});
  }

  /** Notes that nothing of an announcement was made. Waits until the note is written, if not on disk. */
  async dropped(announced: Announced): Promise<void> {
    await this.#append({ dropped: announced.id }, false).catch(() => {});
    this.release(announced);
  }

  /** The announcement is done with: git has its entries, or it was dropped. */
  release({ segment }: Announced): void {
    segment.announcements--;
  }

  /** Removes the files that are done with. What is appended from now on goes into a new one. */
  async rotate(): Promise<void> {
    await this.#writing;
    await this.#closeSegment();
    await this.#removeDone();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#closeSegment();
    await this.#removeDone().catch(() => {});
  }

  #append(line: Line, announces: boolean): Promise<Segment> {
    const text = encode(line);
    const written = new Promise<Segment>((resolve, reject) => {
      this.#queue.push({ text, announces, resolve, reject });
    });
    this.#writing ??= this.#writeQueue();
    return written;
  }

  /** Writes what is waiting, together, until nothing is. */
  async #writeQueue(): Promise<void> {
    await undefined;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        const segment = await this.#writeBatch(batch);
        for (const { announces, resolve } of batch) {
          if (announces) segment.announcements++;
          resolve(segment);
        }
      } catch (error) {
        const failure = notWritten(this.#directory, error);
        for (const { reject } of batch) reject(failure);
        // Notes on former announcements go before whatever is written next.
        const notes = batch.filter(({ announces }) => !announces).map(({ text }) => silentNote(text));
        const more = this.#queue.length > 0;
        this.#queue = [...notes, ...this.#queue];
        if (!more) break;
      }
    }
    this.#writing = undefined;
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<Segment> {
    if (this.#handle && this.#length > SEGMENT_SIZE) await this.#closeSegment();
    this.#handle ??= await this.#openSegment();
    const handle = this.#handle;
    const bytes = Buffer.from(batch.map(({ text }) => text).join(''));
    try {
      await writeAll(handle, bytes, this.#length);
      if (batch.some(({ announces }) => announces)) await handle.datasync();
      this.#length += bytes.length;
    } catch (error) {
      // After a failed fsync nobody knows what is on disk: the file is cut to what is known, and left.
      await handle.truncate(this.#length).catch(() => {});
      await this.#closeSegment();
      throw error;
    }
    return this.#segments.at(-1) as Segment;
  }

  async #openSegment(): Promise<FileHandle> {
    const file = join(this.#directory, `journal-${String(this.#number).padStart(10, '0')}`);
    const handle = await open(file, 'wx');
    this.#number++;
    this.#length = 0;
    this.#segments.push({ file, announcements: 0 });
    await syncDirectory(this.#directory);
    return handle;
  }

  async #closeSegment(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #removeDone(): Promise<void> {
    while (this.#segments[0] && this.#segments[0].announcements === 0) {
      if (this.#handle && this.#segments.length === 1) return;
      await unlink(this.#segments[0].file);
      this.#segments.shift();
    }
  }
}

/** What is in a journal now, without opening it: for readers beside the process that owns it. */
export async function readJournal(directory: string) {
  const names = (await readdir(directory)).filter((name) => SEGMENT_NAME.test(name)).sort();
  const segments: Segment[] = [];
  const open = new Map<number, Leftover>();
  let lastNumber = 0;
  let lastId = 0;
  for (const name of names) {
    const file = join(directory, name);
    const segment: Segment = { file, announcements: 0 };
    segments.push(segment);
    lastNumber = Number(SEGMENT_NAME.exec(name)?.[1]);
    for (const line of await readLines(file)) {
      if ('announced' in line) {
        lastId = line.announced;
        segment.announcements++;
        open.set(line.announced, { id: lastId, changes: line.changes, segment, state: 'unresolved' });
      } else if ('made' in line) {
        const leftover = open.get(line.made);
        if (leftover) leftover.state = 'made';
      } else {
        const leftover = open.get(line.dropped);
        if (leftover) leftover.segment.announcements--;
        open.delete(line.dropped);
      }
    }
  }
  return { segments, leftovers: [...open.values()], lastNumber, lastId };
}

/** The good lines of a file. A line that a crash has torn was never acknowledged, and nothing stands behind it. */
async function readLines(file: string): Promise<Line[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => decode(line) ?? []);
}

function silentNote(text: string): Waiting {
  return { text, announces: false, resolve: () => {}, reject: () => {} };
}

function encode(line: Line): string {
  const json = JSON.stringify(line);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

function decode(text: string): Line | undefined {
  const json = text.slice(9);
  return text.length > 9 && Number.parseInt(text.slice(0, 8), 16) === crc32(json)
    ? JSON.parse(json)
    : undefined;
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const result = await handle.write(bytes, written, bytes.length - written, position + written);
    written += result.bytesWritten;
  }
}

/** Makes a new file's name durable. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function notWritten(directory: string, cause: unknown): ServiceError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The change is not made, since its audit entry can't be written to ${directory}: ${reason}`;
  return new ServiceError('audit_failed', message, [], { cause });
}
