/**
 * The journal of announcements: on disk before the store makes a change, and kept until git has its entry.
 *
 * It is a row of files that are only ever appended to (`journal-files.ts`). Announcements that come at the same time
 * share one fsync. What was confirmed or cancelled is written before the next announcement, without an fsync of its own:
 * if a crash eats it, the announcement is unresolved and is compared with the store.
 *
 * A file is removed when all of its announcements are done with, and all files before it are gone.
 */
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import {
  type Announced,
  encode,
  type Leftover,
  type Line,
  readJournal,
  type Segment,
  segmentName,
  type TimedChange,
} from './journal-files.ts';

type Waiting = {
  readonly text: string;
  readonly announces: boolean;
  /** Whether somebody waits for it to be written; notes that nobody waits for go with what is written next. */
  readonly urgent: boolean;
  readonly resolve: (segment: Segment) => void;
  readonly reject: (error: unknown) => void;
};

/** A file is left for a new one when it is longer than this, in bytes. */
const SEGMENT_SIZE = 16 << 20;
/** Notes that something was made wait so long for an announcement to be written with, in milliseconds. */
const NOTE_DELAY = 20;

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
  #noteTimer: NodeJS.Timeout | undefined;
  #rotating = false;

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
    this.#queue.push(silentNote(encode({ made: id })));
    this.#noteTimer ??= setTimeout(() => this.#startWriting(), NOTE_DELAY).unref();
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
    this.#rotating = true;
    this.#startWriting();
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.rotate();
  }

  #append(line: Line, announces: boolean): Promise<Segment> {
    const text = encode(line);
    const written = new Promise<Segment>((resolve, reject) => {
      this.#queue.push({ text, announces, urgent: true, resolve, reject });
    });
    this.#startWriting();
    return written;
  }

  #startWriting(): void {
    clearTimeout(this.#noteTimer);
    this.#noteTimer = undefined;
    this.#writing ??= this.#writeQueue();
  }

  /** Writes what is waiting, together, until nothing is. All that touches the files happens here, in turn. */
  async #writeQueue(): Promise<void> {
    await undefined;
    do {
      const batch = this.#queue;
      this.#queue = [];
      try {
        if (batch.length > 0) this.#written(batch, await this.#writeBatch(batch));
      } catch (error) {
        const failure = notWritten(this.#directory, error);
        for (const { reject } of batch) reject(failure);
        // Notes on former announcements go before whatever is written next.
        const notes = batch.filter(({ announces }) => !announces).map(({ text }) => silentNote(text));
        const more = this.#queue.length > 0;
        this.#queue = [...notes, ...this.#queue];
        if (!more) break;
      }
    } while (this.#queue.length > 0);
    if (this.#rotating) {
      this.#rotating = false;
      await this.#closeSegment();
      await this.#removeDone().catch(() => {});
    }
    this.#writing = undefined;
    if (this.#queue.some(({ urgent }) => urgent)) this.#startWriting();
  }

  #written(batch: readonly Waiting[], segment: Segment): void {
    for (const { announces, resolve } of batch) {
      if (announces) segment.announcements++;
      resolve(segment);
    }
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
    const file = join(this.#directory, segmentName(this.#number));
    const handle = await open(file, 'wx');
    this.#number++;
    this.#length = 0;
    this.#segments.push({ file, announcements: 0 });
    await syncDirectory(this.#directory).catch(async (error) => {
      await handle.close();
      throw error;
    });
    return handle;
  }

  async #closeSegment(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => {});
  }

  async #removeDone(): Promise<void> {
    while (this.#segments[0] && this.#segments[0].announcements === 0) {
      if (this.#handle && this.#segments.length === 1) return;
      await unlink(this.#segments[0].file);
      this.#segments.shift();
    }
  }
}

function silentNote(text: string): Waiting {
  return { text, announces: false, urgent: false, resolve: () => {}, reject: () => {} };
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
