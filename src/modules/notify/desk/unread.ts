/** How much is unread in the inbox of the collection on the screen. */
import { signal } from '@preact/signals';
import { lab } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import { notify } from '../client.ts';

export const unread = signal<number | undefined>(undefined);

export async function countUnread(collection: string | undefined): Promise<void> {
  if (collection === undefined || session.isGuest.peek()) {
    unread.value = undefined;
    return;
  }
  const inbox = await lab(collection)
    .use(notify)
    .inbox({ limit: 1 })
    .catch(() => undefined);
  if (inbox) unread.value = inbox.unread;
}
