/** Counts waiting submissions of the collection on the screen: for curators in its queue, for submitters in their zone. */

import { type Signal, signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { asClientError, type ClientError, lab } from '../../../../ui/shared/service.ts';
import { may } from '../../../../ui/shared/session.ts';
import type { OwnSubmissionPage, QueueSummary } from '../api-types.ts';
import { review, submissions } from '../client.ts';
import { justAfter, lastSeen } from './unseen.ts';
import { ANY_REQUEST } from './verdicts.ts';

type Of<T> = { readonly collection: string; readonly value: T };

/** The summary of the queue without filters; undefined if it is not known. */
export const summary = signal<Of<QueueSummary> | undefined>(undefined);
/** The user's own submissions; undefined if they are not known. */
export const ownCounts = signal<Of<OwnCounts> | undefined>(undefined);
/** Why one of them was not read last time. */
export const uncounted = signal<ClientError | undefined>(undefined);

/** How many there are with each status, how many curators ask about, and how many were decided since the last look. */
export type OwnCounts = OwnSubmissionPage['counts'] & { readonly requested: number; readonly news: number };

const DECIDED = 'accepted,rejected,deferred,removed';

/** Reads both again. While the service does not respond, the last counts stay. */
export async function countWaiting(collection: string | undefined): Promise<void> {
  const failures: ClientError[] = [];
  const note = (error: unknown) => void failures.push(asClientError(error));
  await Promise.all([countQueue(collection, note), countOwn(collection, note)]);
  [uncounted.value] = failures;
}

async function countQueue(collection: string | undefined, note: (error: unknown) => void): Promise<void> {
  if (collection === undefined || !may(collection, 'curate')) {
    summary.value = undefined;
    return;
  }
  const value = await lab(collection).use(review).summary().catch(note);
  if (value) setChanged(summary, { collection, value });
  else if (summary.peek()?.collection !== collection) summary.value = undefined;
}

async function countOwn(collection: string | undefined, note: (error: unknown) => void): Promise<void> {
  if (collection === undefined || !mayFollow(collection)) {
    ownCounts.value = undefined;
    return;
  }
  const own = lab(collection).use(submissions);
  const since = lastSeen(collection, 'submissions');
  const found = await Promise.all([
    own.list({ size: 1 }),
    own.list({ size: 1, requested: ANY_REQUEST }),
    since !== undefined && own.list({ size: 1, since: justAfter(since), status: DECIDED }),
  ]).catch(note);
  if (found) {
    const [{ counts }, { total: requested }, decided] = found;
    const news = decided ? decided.total : 0;
    setChanged(ownCounts, { collection, value: { ...counts, requested, news } });
  } else if (ownCounts.peek()?.collection !== collection) ownCounts.value = undefined;
}

/** Nothing is drawn again for the same counts; those of a queue have the number of its changes, too. */
function setChanged<T>(counts: Signal<Of<T> | undefined>, next: Of<T>): void {
  if (JSON.stringify(counts.peek()) !== JSON.stringify(next)) counts.value = next;
}

/**
 * Increases when counts of a collection change: others have submitted or decided. The first counts do, too, if they come after a
 * view has begun to read: what has changed between both is in them, and not in the view.
 */
export function useChanges(counts: Of<unknown> | undefined): number {
  const seen = useRef({ counts, changes: 0 }).current;
  if (counts !== seen.counts) {
    if (counts) seen.changes++;
    seen.counts = counts;
  }
  return seen.changes;
}

/** Whether the user submits to a collection and may see what became of it. */
export function mayFollow(collection: string | undefined): boolean {
  return may(collection, 'write_zone') && may(collection, 'read_zone');
}
