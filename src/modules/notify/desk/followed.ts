/** What the user follows, in every browser: records, and collections with the change up to which each was seen. */
import { signal } from '@preact/signals';
import type { FollowedChange } from '../../../../src/client/client.ts';
import { type LoadState, useLoad } from '../../../../ui/shared/load.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import type { Followed } from '../api-types.ts';
import { notify } from '../client.ts';

/** Increases when something is followed, seen or not followed any more. */
const changed = signal(0);
/** As many changes are read at once. */
const MOST = 1000;

/** What the user follows in a collection; nothing for guests. */
export function useFollowed(collection: string): LoadState<Followed> {
  return useLoad(
    session.isGuest.value ? undefined : collection,
    (signal) => lab(collection, signal).use(notify).followed(),
    changed.value,
  );
}

/** Follows a collection from now on. */
export async function follow(collection: string): Promise<void> {
  await noteVisit(collection, (await changesSince(collection, 'now')).cursor);
}

/** Notes that the changes up to a cursor were seen; null ends that the collection is followed. */
export async function noteVisit(collection: string, cursor: string | null): Promise<void> {
  await lab(collection).use(notify).noteVisit(cursor);
  changed.value++;
}

/** Follows a record, or ends that. */
export async function setFollowed(collection: string, pid: string, isFollowed: boolean): Promise<void> {
  const client = lab(collection).use(notify);
  await (isFollowed ? client.follow(pid) : client.stopFollowing(pid));
  changed.value++;
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
