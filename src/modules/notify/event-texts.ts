/** What has happened, in words: for the desk, mail and feeds. */
import type { ReviewEvent } from '../review/events.ts';

export const EVENT_TEXTS = {
  en: {
    accepted: 'Your submission was accepted',
    answer: 'A curator asks a question',
    changes: 'A curator asks for changes',
    commentOf: '{by} wrote',
    commented: 'A curator wrote',
    inbox: 'Inbox',
    rejected: 'Your submission was rejected',
    submitted: '{by} submitted a record',
    submittedBy: 'A record was submitted',
  },
  de: {
    accepted: 'Ihre Einreichung wurde angenommen',
    answer: 'Eine Frage zu Ihrer Einreichung',
    changes: 'Um Änderungen wird gebeten',
    commentOf: '{by} schreibt',
    commented: 'Ein Kommentar zu Ihrer Einreichung',
    inbox: 'Posteingang',
    rejected: 'Ihre Einreichung wurde abgelehnt',
    submitted: '{by} hat einen Datensatz eingereicht',
    submittedBy: 'Ein Datensatz wurde eingereicht',
  },
} as const;

export type Language = keyof typeof EVENT_TEXTS;
export const LANGUAGES = ['en', 'de'] as const satisfies readonly Language[];

/** The text of an event, by its key, and the name that it has. */
export function eventText({
  kind,
  by,
  requests,
}: Pick<ReviewEvent, 'kind' | 'by' | 'requests'>): readonly [
  key: keyof (typeof EVENT_TEXTS)['en'],
  by: string | null,
] {
  if (kind === 'accepted' || kind === 'rejected') return [kind, null];
  if (kind === 'submitted') return [by === null ? 'submittedBy' : 'submitted', by];
  if (requests === 'answer' || requests === 'changes') return [requests, null];
  return [by === null ? 'commented' : 'commentOf', by];
}

/**
 * Where an event leads in the desk. What was decided is of the own zone, also for curators. They go to the review of other
 * submissions, submitters to theirs.
 */
export function placeOfEvent(
  collection: string,
  { kind, label, pid }: Pick<ReviewEvent, 'kind' | 'label' | 'pid'>,
  curates: boolean,
): { readonly path: readonly string[]; readonly query: Readonly<Record<string, string>> } {
  if (kind === 'accepted') return { path: [collection, 'record'], query: { pid } };
  return kind !== 'rejected' && curates
    ? { path: [collection, 'review', 'item'], query: { label, pid } }
    : { path: [collection, 'submissions'], query: {} };
}
