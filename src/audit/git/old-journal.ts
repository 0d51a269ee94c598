/**
 * The journal that release 0.1 kept in front of git. Its entries are brought to git once, when a log of 0.1 is opened.
 *
 * Each line is a checksum and JSON. A line that a crash has torn fails its checksum: it was never acknowledged.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isSameRecord } from '../../schema-type.ts';
import type { RecordStore } from '../../storage/store.ts';
import type { LoggedChange } from './plan.ts';

/** A change with the time at which 0.1 announced it. */
type AnnouncedChange = LoggedChange & { readonly iri?: string };

type Announcement = { readonly changes: readonly AnnouncedChange[]; made: boolean };

type Line =
  | { readonly announced: number; readonly changes: readonly AnnouncedChange[] }
  | { readonly made: number }
  | { readonly dropped: number };

const SEGMENT_NAME = /^journal-\d{10}$/;

/**
 * The changes in a journal that were made, oldest first, each of which may be in git already. A change that was
 * announced and not confirmed was made if the store has its outcome.
 */
export async function readOldJournal(
  directory: string,
  store: Pick<RecordStore, 'get'>,
): Promise<LoggedChange[]> {
  const made: LoggedChange[] = [];
  const announcements = new Map<number, Announcement>();
  for (const name of await segmentsIn(directory)) {
    for (const line of decode(await readFile(join(directory, name), 'utf8'))) {
      if ('announced' in line) announcements.set(line.announced, { changes: line.changes, made: false });
      else if ('dropped' in line) announcements.delete(line.dropped);
      else {
        const announcement = announcements.get(line.made);
        if (announcement) announcement.made = true;
      }
    }
  }
  for (const announcement of announcements.values()) {
    if (announcement.made || (await isMade(announcement.changes, store))) made.push(...announcement.changes);
  }
  return made;
}

/** Removes the journal, when git has its entries. */
export async function removeOldJournal(directory: string): Promise<void> {
  for (const name of await segmentsIn(directory)) await rm(join(directory, name));
}

/** Names sort by number. */
async function segmentsIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => SEGMENT_NAME.test(name)).sort();
}

function decode(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    const json = line.slice(9);
    const isWhole = line.length > 9 && Number.parseInt(line.slice(0, 8), 16) === crc32(json);
    return isWhole ? [JSON.parse(json) as Line] : [];
  });
}

/** Changes are made all or none; of several to one record the last one shows. */
async function isMade(
  changes: readonly AnnouncedChange[],
  store: Pick<RecordStore, 'get'>,
): Promise<boolean> {
  const outcomes = new Map(changes.map(({ iri, pid, json }) => [iri ?? pid, json]));
  for (const [iri, json] of outcomes) if (!isSameRecord((await store.get(iri))?.json, json)) return false;
  return true;
}
