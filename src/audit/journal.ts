/**
 * The journal of announcements: on disk before the store makes a change, and kept until git has its entry.
 *
 * It is a row of files that are only ever appended to (`journal-files.ts`). Announcements that come in one turn of the
 * event loop share one write and one fsync. What was confirmed or cancelled is written with the next announcement: if a
 * crash comes before, the announcement is unresolved and is compared with the store.
 *
 * A file is removed when all of its announcements are done with, and all files before it are gone.
 *
 * Files are written synchronously: an fsync takes less time than it takes to hand it to another thread and back on a busy
 * machine, the store's own commit follows at once, and nothing can come in between.
 */
import {
  closeSync,
  fdatasyncSync,
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
  readonly resolve: (segment: Segment) => void;
  readonly reject: (error: unknown) => void;
};

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
   * Writes an announcement down. When it returns, it is on disk.
   *
   * @throws ServiceError `audit_failed`; then it is not in the journal, or is unresolved after a crash
   */
  async announce(changes: readonly TimedChange[]): Promise<Announced> {
    const id = this.#nextId++;
    const text = encode({ announced: id, changes });
    const segment = await new Promise<Segment>((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      this.#turn ??= setImmediate(() => this.#write());
    });
    return { id, changes, segment };
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

  /** Writes what is waiting, all in one. */
  #write(): void {
    clearImmediate(this.#turn);
    clearTimeout(this.#noteTimer);
    this.#turn = undefined;
    this.#noteTimer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0 && this.#notes === '') return;
    try {
      this.#append(this.#notes + waiting.map(({ text }) => text).join(''), waiting.length > 0);
    } catch (error) {
      // The notes are kept for the next time; the announcements are refused.
      const failure = notWritten(this.#directory, error);
      for (const { reject } of waiting) reject(failure);
      return;
    }
    this.#notes = '';
    const segment = this.#segments.at(-1) as Segment;
    segment.announcements += waiting.length;
    for (const { resolve } of waiting) resolve(segment);
  }

  #append(text: string, durably: boolean): void {
    if (this.#length > SEGMENT_SIZE) this.#closeFile();
    this.#file ??= this.#openFile();
    const bytes = Buffer.from(text);
    try {
      writeAll(this.#file, bytes, this.#length);
      if (durably) fdatasyncSync(this.#file);
      this.#length += bytes.length;
    } catch (error) {
      // After a failed fsync nobody knows what is on disk: the file is cut to what is known, and left.
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

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file);
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

function notWritten(directory: string, cause: unknown): ServiceError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The change is not made, since its audit entry can't be written to ${directory}: ${reason}`;
  return new ServiceError('audit_failed', message, [], { cause });
}
