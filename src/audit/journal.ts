/**
 * The journal of announcements: written before the store makes a change, on disk before the change is acknowledged, and
 * kept until git has its entry.
 *
 * It is a row of files that are only ever appended to (`journal-files.ts`). Announcements that come while an fsync runs
 * share the next write and fsync. What was confirmed or cancelled is written with the next announcement: if a crash comes
 * before, the announcement is unresolved and is compared with the store.
 *
 * The fsync runs beside the store's own commit, so that an audited write takes the time of one flush to the disk and not
 * of two. A process that is killed in between loses nothing, since what is written is the system's; the power failing
 * in between can take the entry of a change that nobody was told of.
 *
 * A file is removed when all of its announcements are done with, and all files before it are gone.
 */
import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
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
  readonly resolve: (place: Place) => void;
  readonly reject: (error: unknown) => void;
};

/** Where an announcement was written; `durable` ends when it is on disk, or fails. */
type Place = { readonly segment: Segment; readonly durable: Promise<void> };

/** A file is left for a new one when it is longer than this, in bytes. */
const SEGMENT_SIZE = 16 << 20;
/** Notes wait so long for an announcement to be written with, in milliseconds. */
const NOTE_DELAY = 20;

export class Journal {
  readonly #directory: string;
  /** Oldest first; the last one is appended to if it is open. */
  readonly #segments: Segment[];
  #number: number;
  #nextId: number;
  #file: number | undefined;
  /** Bytes of the open file that are known to be good. */
  #length = 0;
  /** What former announcements have come to; goes before the announcements that wait. */
  #notes = '';
  #waiting: Waiting[] = [];
  #turn: NodeJS.Immediate | undefined;
  /** How many fsyncs run. */
  #syncs = 0;
  /** Ends when every fsync that has begun has ended. */
  #syncing: Promise<unknown> | undefined;
  #noteTimer: NodeJS.Timeout | undefined;

  private constructor(directory: string, segments: Segment[], number: number, nextId: number) {
    this.#directory = directory;
    this.#segments = segments;
    this.#number = number;
    this.#nextId = nextId;
  }

  /** Opens a journal, and tells what a former run has left in it, oldest first. */
  static async open(directory: string): Promise<{ journal: Journal; leftovers: Leftover[] }> {
    mkdirSync(directory, { recursive: true });
    const { segments, leftovers, lastNumber, lastId } = await readJournal(directory);
    const journal = new Journal(directory, segments, lastNumber + 1, lastId + 1);
    journal.#removeDone();
    return { journal, leftovers };
  }

  /**
   * Writes an announcement down. When it returns, no crash of this process can take it any more; it is on disk when its
   * `durable` has ended.
   *
   * @throws ServiceError `audit_failed`; then it is not in the journal, or is unresolved after a crash
   */
  async announce(changes: readonly TimedChange[]): Promise<Announced> {
    const id = this.#nextId++;
    const text = encode({ announced: id, changes });
    const place = await new Promise<Place>((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      this.#schedule();
    });
    return { id, changes, ...place };
  }

  /** Notes that an announcement was made; it counts until it is {@link release}d. */
  made({ id }: Announced): void {
    this.#note({ made: id });
  }

  /** Notes that nothing of an announcement was made, and writes the note before anything else can happen. */
  dropped(announced: Announced): void {
    this.#note({ dropped: announced.id });
    this.#write();
    this.release(announced);
  }

  /** The announcement is done with: git has its entries, or it was dropped. */
  release({ segment }: Announced): void {
    segment.announcements--;
  }

  /** Removes the files that are done with. What is appended from now on goes into a new one. */
  rotate(): void {
    this.#write();
    this.#closeFile();
    this.#removeDone();
  }

  /** What can't be written or removed any more is for the next run. */
  close(): void {
    try {
      this.rotate();
    } catch {
      this.#closeFile();
    }
    clearTimeout(this.#noteTimer);
  }

  #note(line: Line): void {
    this.#notes += encode(line);
    this.#noteTimer ??= setTimeout(() => this.#write(), NOTE_DELAY).unref();
  }

  /** While one fsync runs, announcements gather for the next one: the more come in, the more share it. */
  #schedule(): void {
    if (this.#syncs === 0) this.#turn ??= setImmediate(() => this.#write());
  }

  /** Writes what is waiting, all in one. */
  #write(): void {
    clearImmediate(this.#turn);
    clearTimeout(this.#noteTimer);
    this.#turn = undefined;
    this.#noteTimer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0 && this.#notes === '') return;
    let durable = Promise.resolve();
    try {
      const file = this.#append(this.#notes + waiting.map(({ text }) => text).join(''));
      if (waiting.length > 0) durable = this.#sync(file);
    } catch (error) {
      // The notes are kept for the next time; the announcements are refused.
      const failure = notWritten(this.#directory, error);
      for (const { reject } of waiting) reject(failure);
      return;
    }
    this.#notes = '';
    const segment = this.#segments.at(-1) as Segment;
    segment.announcements += waiting.length;
    for (const { resolve } of waiting) resolve({ segment, durable });
  }

  /** @returns the file that holds it */
  #append(text: string): number {
    if (this.#length > SEGMENT_SIZE) this.#closeFile();
    this.#file ??= this.#openFile();
    const bytes = Buffer.from(text);
    try {
      writeAll(this.#file, bytes, this.#length);
      this.#length += bytes.length;
      return this.#file;
    } catch (error) {
      // The file is cut to what is known to be good, and left.
      cut(this.#file, this.#length);
      this.#closeFile();
      throw error;
    }
  }

  #openFile(): number {
    const path = join(this.#directory, segmentName(this.#number));
    const file = openSync(path, 'wx');
    this.#number++;
    this.#length = 0;
    this.#segments.push({ file: path, announcements: 0 });
    try {
      syncDirectory(this.#directory);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return file;
  }

  #sync(file: number): Promise<void> {
    const durable = new Promise<void>((resolve, reject) => {
      fdatasync(file, (error) => (error ? reject(notDurable(this.#directory, error)) : resolve()));
    });
    this.#syncs++;
    const end = durable
      // After a failed fsync nobody knows what is on disk: the next announcement goes into another file.
      .catch(() => file === this.#file && this.#closeFile())
      .then(() => {
        this.#syncs--;
        if (this.#waiting.length > 0) this.#schedule();
      });
    const syncing = Promise.all([this.#syncing, end]);
    this.#syncing = syncing;
    return durable;
  }

  /** Leaves the open file; it is closed when nothing is at work on it any more. */
  #closeFile(): void {
    const file = this.#file;
    if (file !== undefined) void Promise.resolve(this.#syncing).then(() => closeSync(file));
    this.#file = undefined;
    this.#length = 0;
  }

  #removeDone(): void {
    while (
      this.#segments[0]?.announcements === 0 &&
      !(this.#file !== undefined && this.#segments.length === 1)
    ) {
      unlinkSync(this.#segments[0].file);
      this.#segments.shift();
    }
  }
}

function writeAll(file: number, bytes: Buffer, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
}

function cut(file: number, length: number): void {
  try {
    ftruncateSync(file, length);
  } catch {
    // Then what stands behind is unresolved at the next start, like after a crash.
  }
}

/** Makes a new file's name durable. */
function syncDirectory(directory: string): void {
  const file = openSync(directory, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function notDurable(directory: string, cause: Error): ServiceError {
  const message = `The change is made, but its audit entry may not survive a failure of the power, since ${directory} can't be flushed to the disk: ${cause.message}`;
  return new ServiceError('audit_failed', message, [], { cause });
}

function notWritten(directory: string, cause: unknown): ServiceError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The change is not made, since its audit entry can't be written to ${directory}: ${reason}`;
  return new ServiceError('audit_failed', message, [], { cause });
}
