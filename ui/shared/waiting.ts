/** What waits in the collection that is on the screen: for curators in its queue, for submitters in their zone. */
import { signal } from '@preact/signals';
import type { OwnSubmissionPage, QueueSummary } from '../../src/client/client.ts';
import { lab } from './service.ts';
import { may } from './session.ts';

type Of<T> = { readonly collection: string; readonly value: T };

/** The summary of the queue without filters; undefined if it is not known. */
export const summary = signal<Of<QueueSummary> | undefined>(undefined);
/** How many of the user's own submissions have each status; undefined if it is not known. */
export const ownCounts = signal<Of<OwnSubmissionPage['counts']> | undefined>(undefined);

/** Reads both again. */
export async function countWaiting(collection: string | undefined): Promise<void> {
  await Promise.all([countQueue(collection), countOwn(collection)]);
}

async function countQueue(collection: string | undefined): Promise<void> {
  const value = may(collection, 'curate')
    ? await lab(collection!)
        .review.summary()
        .catch(() => undefined)
    : undefined;
  summary.value = value && { collection: collection!, value };
}

async function countOwn(collection: string | undefined): Promise<void> {
  const page = mayFollow(collection)
    ? await lab(collection!)
        .submissions.list({ size: 1 })
        .catch(() => undefined)
    : undefined;
  ownCounts.value = page && { collection: collection!, value: page.counts };
}

/** Whether the user submits to a collection and may see what became of it. */
export function mayFollow(collection: string | undefined): boolean {
  return may(collection, 'write_zone') && may(collection, 'read_zone');
}
