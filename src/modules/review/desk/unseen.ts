/**
 * Marks rows that are new since a list was last seen in this browser. What was seen is named by the last time of the service that
 * the list had, so a browser whose clock is wrong marks the same rows. A look lasts some minutes, so that the marks stay while rows
 * are opened from the list.
 */
import { useEffect, useMemo } from 'preact/hooks';
import { session } from '../../../../ui/shared/session.ts';

type VisitedView = 'submissions' | 'review';
/** A time of the service, or none. */
type Time = string | null | undefined;
type Look = {
  /** The last time of the service that the look before this one had; empty if the list had none. */
  readonly before: string;
  /** The last one that this look had. */
  readonly upTo: string;
  /** When it was, by the clock of this browser, in milliseconds since 1970: for how long it lasts. */
  readonly at: number;
};

const LOOK_MS = 10 * 60_000;

function keyOf(collection: string, list: VisitedView): string {
  return `accession.seen:${session.me.peek()?.user_id ?? ''}:${collection}/${list}`;
}

function lookAt(collection: string, list: VisitedView): Look | undefined {
  const stored = localStorage.getItem(keyOf(collection, list));
  return stored === null ? undefined : (JSON.parse(stored) as Look);
}

/** Times of the service have one form, in which later ones are greater. */
const last = (times: readonly Time[]) =>
  times.reduce<string>((most, time) => (time && time > most ? time : most), '');

/** Up to which time of the service a list was seen; undefined before the first look. */
export function lastSeen(collection: string, list: VisitedView): string | undefined {
  return lookAt(collection, list)?.upTo;
}

/** The time of the service that follows one, which has microseconds. */
export function justAfter(time: string): string {
  const [seconds = '', fraction] = time.slice(0, -'+00:00'.length).split('.');
  if (fraction === undefined) return '1970-01-01T00:00:00Z';
  if (fraction === '999999') return new Date(Date.parse(`${seconds}Z`) + 1000).toISOString();
  return `${seconds}.${String(Number(fraction) + 1).padStart(6, '0')}+00:00`;
}

/**
 * Notes that a list is looked at.
 *
 * @param times of what it shows, once it is read
 * @returns whether something that happened at a time is new in it
 */
export function useUnseen(
  collection: string,
  list: VisitedView,
  times: readonly Time[] | undefined,
): (time: string | null) => boolean {
  const before = useMemo(() => {
    const look = lookAt(collection, list);
    if (!look) return undefined;
    return Math.abs(Date.now() - look.at) > LOOK_MS ? look.upTo : look.before;
  }, [collection, list]);
  const upTo = times && last(times);
  useEffect(() => {
    if (upTo === undefined) return undefined;
    const note = () => {
      const known = lookAt(collection, list)?.upTo ?? '';
      const look: Look = { before: before ?? upTo, upTo: last([known, upTo]), at: Date.now() };
      try {
        localStorage.setItem(keyOf(collection, list), JSON.stringify(look));
      } catch {
        // A full storage marks less.
      }
    };
    note();
    return note;
  }, [collection, list, before, upTo]);
  return (time) => time !== null && before !== undefined && time > before;
}
