/**
 * When changes were made, by the clocks of those who made them. Times of entries rise with revisions, so while a clock is behind the
 * last entry, times follow that one's date. The first entry of a clock that was set back begins a piece: the notes of it and of all
 * later ones name where the last piece began, and those whose time is ahead of the clock have the clock. Within a piece, clocks rise.
 *
 * A change was made before those behind it: its date is the earliest clock of itself and of these.
 */
import { MINUTE } from '../durations.ts';
import type { Connection } from './connection.ts';
import type { AreaId, ChangeNote, DateOf } from './store.ts';
import { microsecondsOf, timeOf } from './times.ts';

/** The clock of an entry, in microseconds since 1970, as its note has it; the time of the entry without one. */
type ClockNote = Pick<ChangeNote, 'clock' | 'setBack'>;

/** Clocks of two machines differ, and many changes of one millisecond have rising times. In microseconds. */
const TOLERANCE = MINUTE * 1000;
/** Pieces that a read walks through: many are made only while two machines with different clocks write in turn. */
const MOST_PIECES = 1000;
/** Pieces of which the first change after a time is looked for. */
const MOST_LOOKED_AT = 50;

/** The clocks of entries while an area is written. */
export class WriterClock {
  #clock: number;
  #setBack: ChangeNote['setBack'];

  /** @param changed the time of the last entry @param note of that one, as JSON */
  constructor(changed: number, note: string | null) {
    const { clock = changed, setBack } = readClock(note);
    this.#clock = clock;
    this.#setBack = setBack;
  }

  /** @param time of the next entry */
  note(revision: number, clock: number, time: number): ClockNote | undefined {
    if (clock < this.#clock - TOLERANCE) {
      this.#setBack = { at: revision, to: clock };
      this.#clock = clock;
    } else this.#clock = Math.max(clock, this.#clock);
    if (!this.#setBack) {
      this.#clock = time;
      return undefined;
    }
    return { ...(time !== this.#clock && { clock: this.#clock }), setBack: this.#setBack };
  }

  /** Goes on behind an entry that has its note already. */
  restored(time: number, { clock = time, setBack }: ClockNote): void {
    this.#clock = clock;
    this.#setBack = setBack;
  }
}

function readClock(note: string | null): ClockNote {
  // Notes without a clock are not parsed: each write reads one.
  return note?.includes('"setBack"') ? (JSON.parse(note) as ClockNote) : {};
}

type Reads = Pick<Connection, 'tuples'>;
type CommitTime = {
  readonly revision: number;
  readonly clock: number;
  readonly setBack: ChangeNote['setBack'];
};

/** The last entry up to a revision. */
const entryUpTo = (reads: Reads, area: AreaId, revision: number) =>
  entryAt(reads, area, revision, 'revision <= $2 ORDER BY revision DESC');
const lastEntry = (reads: Reads, area: AreaId) => entryUpTo(reads, area, Number.MAX_SAFE_INTEGER);
/** The first entry behind a revision. */
const entryBehind = (reads: Reads, area: AreaId, revision: number) =>
  entryAt(reads, area, revision, 'revision > $2 ORDER BY revision');

async function entryAt(
  reads: Reads,
  { id }: AreaId,
  revision: number,
  condition: string,
): Promise<CommitTime | undefined> {
  const [row] = await reads.tuples<[revision: number, time: number, note: string | null]>(
    `SELECT revision, time, note FROM accession_entry WHERE area = $1 AND ${condition} LIMIT 1`,
    [id, revision],
  );
  if (!row) return undefined;
  const { clock = row[1], setBack } = readClock(row[2]);
  return { revision: row[0], clock, setBack };
}

/** The revision of the last change up to a time by the clocks of the writers; 0 if there was none. In microseconds. */
export async function revisionBy(reads: Reads, area: AreaId, time: number): Promise<number> {
  return revisionUpTo(reads, area, await lastEntry(reads, area), time);
}

/** The same, from the last entry on. */
async function revisionUpTo(
  reads: Reads,
  area: AreaId,
  newest: CommitTime | undefined,
  time: number,
): Promise<number> {
  // All changes have been made, whatever their dates are.
  const isPast = time < Date.now() * 1000;
  let last = newest;
  for (let pieces = 0; last && isPast && last.clock > time; pieces++) {
    const { setBack } = last;
    if (!setBack || setBack.to <= time || pieces === MOST_PIECES) return lastUpTo(reads, area, last, time);
    last = await entryUpTo(reads, area, setBack.at - 1);
  }
  return last?.revision ?? 0;
}

/** In the piece of its last entry, the revision of the last one up to a time; that before the piece if there is none. */
async function lastUpTo(
  reads: Reads,
  area: AreaId,
  { revision, setBack }: CommitTime,
  time: number,
): Promise<number> {
  let [low, high] = [setBack?.at ?? 0, revision - 1];
  // The entries of the piece up to the time may be pruned.
  let found = Math.max(0, low - 1);
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const entry = await entryUpTo(reads, area, middle);
    const isIn = entry !== undefined && entry.revision >= low;
    if (isIn && entry.clock > time) high = entry.revision - 1;
    else {
      if (isIn) found = entry.revision;
      low = middle + 1;
    }
  }
  return found;
}

/**
 * The revision behind which are all changes that may have been made after a time. It may be that of an earlier change than
 * {@link revisionBy} finds, if a clock was set back while it was right: a change with a date before the time came behind others with dates
 * after it. Dates in the future are ignored.
 */
export async function revisionBefore(reads: Reads, area: AreaId, time: number): Promise<number> {
  const now = Date.now() * 1000;
  let last = await lastEntry(reads, area);
  let bound = await revisionUpTo(reads, area, last, time);
  for (let pieces = 0; last?.setBack && pieces < MOST_LOOKED_AT; pieces++) {
    last = await entryUpTo(reads, area, last.setBack.at - 1);
    if (!last || last.clock <= time) continue;
    const found = await lastUpTo(reads, area, last, time);
    const first = await entryBehind(reads, area, found);
    if (first && first.clock <= now) bound = Math.min(bound, found);
  }
  return bound;
}

/** Reads what the dates of entries follow from. */
export async function readDates(reads: Reads, area: AreaId): Promise<DateOf> {
  /** From the last piece on: where each began, and the earliest clock of it and of later ones. */
  const pieces: { readonly at: number; readonly earliest: number }[] = [];
  let earliest = Number.POSITIVE_INFINITY;
  let last = await lastEntry(reads, area);
  while (last?.setBack && pieces.length < MOST_PIECES) {
    const { at, to } = last.setBack;
    earliest = Math.min(earliest, to);
    pieces.push({ at, earliest });
    last = await entryUpTo(reads, area, at - 1);
  }
  pieces.reverse();
  return ({ revision, time, clock }) => {
    const later = pieces.find(({ at }) => at > revision);
    const made = clock ?? microsecondsOf(time);
    return timeOf(Math.min(made, later?.earliest ?? made, Date.now() * 1000 + 999));
  };
}
