/**
 * The files of the journal. Each line is a checksum and a JSON text. A line that a crash has torn fails its checksum: it
 * was never acknowledged.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { AuditedChange } from './audit-log.ts';

/** A change with the time at which it was announced. */
export type TimedChange = AuditedChange & { readonly timeStamp: string };

/** An announcement in the journal. */
export type Announced = {
  readonly id: number;
  readonly changes: readonly TimedChange[];
  /** The file that holds it. */
  readonly segment: Segment;
  /** Ends when it is on disk. */
  readonly durable: Promise<void>;
};

/** An announcement of a former run. */
export type Leftover = Announced & { state: 'unresolved' | 'made' };

/** A file of the journal, with the number of announcements in it that are not done with. */
export type Segment = { readonly file: string; announcements: number };

/** What a line says: an announcement, or that one was made or not. */
export type Line =
  | { readonly announced: number; readonly changes: readonly TimedChange[] }
  | { readonly made: number }
  | { readonly dropped: number };

const SEGMENT_NAME = /^journal-(\d{10})$/;

/** Names sort by number. */
export function segmentName(number: number): string {
  return `journal-${String(number).padStart(10, '0')}`;
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
        open.set(line.announced, {
          id: lastId,
          changes: line.changes,
          segment,
          durable: Promise.resolve(),
          state: 'unresolved',
        });
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

export function encode(line: Line): string {
  const json = JSON.stringify(line);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

function decode(text: string): Line | undefined {
  const json = text.slice(9);
  return text.length > 9 && Number.parseInt(text.slice(0, 8), 16) === crc32(json)
    ? JSON.parse(json)
    : undefined;
}
