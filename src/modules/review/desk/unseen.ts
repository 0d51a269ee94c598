/**
 * Marks rows that are new since a list was last seen in this browser. A look lasts some minutes, so that the marks stay while rows
 * are opened from the list.
 */
import { useEffect, useMemo } from 'preact/hooks';
import { session } from '../../../../ui/shared/session.ts';

type VisitedView = 'submissions' | 'review';
/** When the look before the present one was, and this one; in milliseconds since 1970. */
type Looks = { readonly before: number; readonly at: number };

const LOOK_MS = 10 * 60_000;

function keyOf(collection: string, list: VisitedView): string {
  return `accession.looked:${session.me.peek()?.user_id ?? ''}:${collection}/${list}`;
}

function looksAt(collection: string, list: VisitedView): Looks | undefined {
  const [before, at] = (localStorage.getItem(keyOf(collection, list)) ?? '').split(' ').map(Number);
  return before && at ? { before, at } : undefined;
}

/** The time of the last look; undefined before the first. */
export function lastLook(collection: string, list: VisitedView): string | undefined {
  const looks = looksAt(collection, list);
  return looks && new Date(looks.at).toISOString();
}

/** Notes that a list is looked at. @returns whether something that happened at a time is new in it */
export function useUnseen(collection: string, list: VisitedView): (time: string | null) => boolean {
  const before = useMemo(() => {
    const looks = looksAt(collection, list);
    if (!looks) return Number.POSITIVE_INFINITY;
    return Date.now() - looks.at > LOOK_MS ? looks.at : looks.before;
  }, [collection, list]);
  useEffect(() => {
    const note = () => {
      const at = Date.now();
      try {
        localStorage.setItem(keyOf(collection, list), `${Math.min(before, at)} ${at}`);
      } catch {
        // A full storage marks less.
      }
    };
    note();
    return note;
  }, [collection, list, before]);
  return (time) => time !== null && Date.parse(time) > before;
}
