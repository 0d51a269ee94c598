/** How many submissions wait for review in the collection that is on the screen. */
import { signal } from '@preact/signals';
import { ask } from './api.ts';
import { may } from './session.ts';

export type Summary = {
  readonly total: number;
  readonly as_of: string | number | null;
  readonly zones_pending: number;
  readonly by_standing: Readonly<Record<string, number>>;
  readonly by_state: Readonly<Record<string, number>>;
  readonly by_label: Readonly<Record<string, number>>;
  readonly by_class: Readonly<Record<string, number>>;
  readonly by_submitter: Readonly<Record<string, number>>;
  readonly by_batch: Readonly<Record<string, number>>;
};

/** The number; undefined if it is not known. */
export const waiting = signal<number | undefined>(undefined);
/** The summary without filters that the number comes from. */
export const summary = signal<{ collection: string; value: Summary } | undefined>(undefined);

/** Reads the number again. */
export async function countWaiting(collection: string | undefined): Promise<void> {
  if (collection === undefined || !may(collection, 'curate')) {
    waiting.value = undefined;
    summary.value = undefined;
    return;
  }
  try {
    const { value } = await ask<Summary>(['-', collection, 'review', 'summary']);
    waiting.value = value.total;
    summary.value = { collection, value };
  } catch {
    waiting.value = undefined;
  }
}
