/** Follows the changes of others to curated records that a view shows. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FollowedChange } from '../../src/client/client.ts';
import { t } from '../texts/texts.ts';
import { FOLLOW_MS, useRepeated } from './load.ts';
import { forget, written } from './schema.ts';
import { asClientError, lab } from './service.ts';
import { may } from './session.ts';
import { shortTime } from './time.ts';
import { useUserNames } from './user-name.tsx';

/** The records that are followed: those of a class with its subclasses, one, or all. */
type FollowedRecords = { readonly className?: string; readonly pid?: string };
type Position = { cursor: string; isReading: boolean };

/** The HTTP status for a cursor whose changes were removed. */
export const GONE = 410;

/**
 * The changes since the view read what it shows. They are asked for every few seconds while the tab is on the screen; no
 * request waits at the service. To be called before the view reads, so that none is between the two.
 *
 * @param followed undefined follows nothing
 * @param version changes when the view reads again, by default when this tab has written
 */
export function useOthers(
  collection: string,
  followed: FollowedRecords | undefined,
  version: unknown = written.value,
): readonly FollowedChange[] {
  const isOn = followed !== undefined && may(collection, 'read_curated');
  const key = isOn ? JSON.stringify([collection, followed, version]) : undefined;
  const [seen, setSeen] = useState<{ key?: string; changes: readonly FollowedChange[] }>({ changes: [] });
  const position = useRef<Position>(undefined);
  const read = async () => {
    const { current: at } = position;
    if (key === undefined || !at || at.isReading) return;
    at.isReading = true;
    try {
      const found: FollowedChange[] = [];
      const changes = lab(collection).changes({ ...followed, since: at.cursor, once: true });
      let step = await changes.next();
      for (; !step.done; step = await changes.next()) found.push(step.value);
      at.cursor = step.value;
      if (position.current === at && found.length > 0)
        setSeen((before) => ({ key, changes: [...(before.key === key ? before.changes : []), ...found] }));
    } catch (problem) {
      // The changes since then are not known any more: views read again what they show, and this begins again.
      if (asClientError(problem).status !== GONE || position.current !== at) return;
      at.cursor = 'now';
      forget();
    } finally {
      at.isReading = false;
    }
  };
  useEffect(() => {
    position.current = { cursor: 'now', isReading: false };
    read();
    return () => {
      position.current = undefined;
    };
  }, [key]);
  useRepeated(read, FOLLOW_MS);
  return seen.key === key ? seen.changes : [];
}

/** A quiet line that others have changed what the view shows; a click shows it. */
export function OthersLine({
  collection,
  changes,
  of,
  action = t('others.show'),
  onShow = forget,
}: {
  collection: string;
  changes: readonly FollowedChange[];
  /** Whether the view shows one record or many. */
  of: 'record' | 'list';
  /** The words of the button; null for a view that reads again by itself. */
  action?: string | null;
  onShow?: () => void;
}) {
  const last = changes.at(-1);
  const nameOf = useUserNames(collection, [last?.author]);
  return (
    <div role="status">
      {last && (
        <p class="banner">
          <span>
            {of === 'record' ? oneChange(last, nameOf) : t('others.many', { n: pidsOf(changes).size })}
          </span>
          {action !== null && (
            <button type="button" class="linkish" onClick={onShow}>
              {action}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

function pidsOf(changes: readonly FollowedChange[]): Set<string> {
  return new Set(changes.map(({ pid }) => pid));
}

function oneChange({ author, kind, time }: FollowedChange, nameOf: (id: string) => string): string {
  const who = author ? nameOf(author) : t('others.someone');
  return t(kind === 'deleted' ? 'others.deleted' : 'others.changed', { who, time: shortTime(time) });
}
