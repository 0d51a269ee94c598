/** Collections that a user follows in this browser, and up to which change each was seen. */
import { signal } from '@preact/signals';
import type { FollowedChange } from '../../src/client/client.ts';
import { lab } from '../shared/service.ts';
import { session } from '../shared/session.ts';
import { textsOf } from '../texts/texts.ts';

/** The time is that of the visit. */
type Visit = { readonly cursor: string; readonly time: string };

/** Increases when a collection is followed, seen or not followed any more. */
const visited = signal(0);
/** As many changes are read at once. */
const MOST = 1000;

const keyOf = (collection: string) => `accession.followed:${session.me.peek()?.user_id ?? ''}:${collection}`;

/** The last visit; undefined if the collection is not followed. */
export function lastVisit(collection: string): Visit | undefined {
  visited.value;
  const [cursor, time] = localStorage.getItem(keyOf(collection))?.split(' ') ?? [];
  return cursor && time ? { cursor, time } : undefined;
}

function note(collection: string, cursor: string): void {
  localStorage.setItem(keyOf(collection), `${cursor} ${new Date().toISOString()}`);
  visited.value++;
}

/** Follows a collection from now on. */
export async function follow(collection: string): Promise<void> {
  note(collection, (await changesSince(collection, 'now')).cursor);
}

/** Notes that the changes up to a cursor were seen. */
export const markSeen = note;

export function stopFollowing(collection: string): void {
  localStorage.removeItem(keyOf(collection));
  visited.value++;
}

export type News = {
  /** The last change of each record, newest first. */
  readonly changes: readonly FollowedChange[];
  /** Behind what was read. */
  readonly cursor: string;
  /** Whether there are further changes. */
  readonly more: boolean;
};

/** @throws ClientError 410 if changes since the cursor are not kept any more */
export async function changesSince(collection: string, since: string, abort?: AbortSignal): Promise<News> {
  const last = new Map<string, FollowedChange>();
  const feed = lab(collection, abort).changes({ since, once: true });
  let cursor = since;
  let more = false;
  for (let n = 0; ; n++) {
    const step = await feed.next();
    if (step.done) {
      cursor = step.value;
      break;
    }
    if (n === MOST) {
      more = true;
      break;
    }
    cursor = step.value.cursor;
    last.delete(step.value.pid);
    last.set(step.value.pid, step.value);
  }
  return { changes: [...last.values()].reverse(), cursor, more };
}

const en = {
  created: 'created',
  deleted: 'deleted',
  follow: 'Follow',
  followOf: 'Follow {name}',
  gone: 'The changes since your last visit are not kept any more.',
  moved: 'renamed',
  none: 'No record has changed since {time}.',
  notFollowed: 'You do not follow this collection.',
  notFollowedHelp: 'Follow it to see what changes between your visits, in this browser.',
  replaced: 'changed',
  seen: 'Mark as seen',
  since: 'Since your last visit: {time}',
  stop: 'Stop following',
  title: 'What has changed',
  changed: { one: '{n} record has changed', other: '{n} records have changed' },
  changedMore: 'More than {n} records have changed',
  more: 'There are further changes. Mark these as seen to go on.',
  nothing: 'No changes since {time}',
} as const;

const de: Readonly<Record<keyof typeof en, string | { one: string; other: string }>> = {
  created: 'angelegt',
  deleted: 'gelöscht',
  follow: 'Folgen',
  followOf: '{name} folgen',
  gone: 'Die Änderungen seit Ihrem letzten Besuch sind nicht mehr aufbewahrt.',
  moved: 'umbenannt',
  none: 'Seit {time} hat sich kein Datensatz geändert.',
  notFollowed: 'Sie folgen dieser Sammlung nicht.',
  notFollowedHelp: 'Folgen Sie ihr, um in diesem Browser zu sehen, was sich zwischen Ihren Besuchen ändert.',
  replaced: 'geändert',
  seen: 'Als gesehen markieren',
  since: 'Seit Ihrem letzten Besuch: {time}',
  stop: 'Nicht mehr folgen',
  title: 'Was sich geändert hat',
  changed: { one: '{n} Datensatz hat sich geändert', other: '{n} Datensätze haben sich geändert' },
  changedMore: 'Mehr als {n} Datensätze haben sich geändert',
  more: 'Es gibt weitere Änderungen. Markieren Sie diese als gesehen, um sie zu zeigen.',
  nothing: 'Keine Änderungen seit {time}',
};

export const tf = textsOf<keyof typeof en>(en, de);
