/** How many submissions wait for review in the collection that is on the screen. */
import { signal } from '@preact/signals';
import type { QueueSummary } from '../../src/client/client.ts';
import { lab } from './service.ts';
import { may } from './session.ts';

/** The number; undefined if it is not known. */
export const waiting = signal<number | undefined>(undefined);
/** The summary without filters that the number comes from. */
export const summary = signal<{ collection: string; value: QueueSummary } | undefined>(undefined);

/** Reads the number again. */
export async function countWaiting(collection: string | undefined): Promise<void> {
  if (collection === undefined || !may(collection, 'curate')) {
    waiting.value = undefined;
    summary.value = undefined;
    return;
  }
  try {
    const value = await lab(collection).review.summary();
    waiting.value = value.total;
    summary.value = { collection, value };
  } catch {
    waiting.value = undefined;
  }
}
