/** What has happened, in words: for the desk, mail and feeds. */
import type { EventKind, ReviewEvent } from '../review/queue/events.ts';
import type { FollowedKind } from './followed.ts';

/** What has happened to a submission, or to a record that the user follows. */
export type InboxEvent = Omit<ReviewEvent, 'kind'> & { readonly kind: EventKind | FollowedKind };

export const EVENT_TEXTS = {
  en: {
    accepted: 'Your submission was accepted',
    answer: 'A curator asks a question',
    changed: 'A record that you follow has changed',
    changedBy: '{by} changed a record that you follow',
    changes: 'A curator asks for changes',
    commentOf: '{by} wrote',
    commented: 'A curator wrote',
    deleted: 'A record that you follow was deleted',
    deletedBy: '{by} deleted a record that you follow',
    faulty: 'The schema has changed, and your submission does not fit it',
    inbox: 'Inbox',
    rejected: 'Your submission was rejected',
    submitted: '{by} submitted a record',
    submittedBy: 'A record was submitted',
  },
  de: {
    accepted: 'Ihre Einreichung wurde angenommen',
    answer: 'Eine Frage zu Ihrer Einreichung',
    changed: 'Ein Datensatz, dem Sie folgen, wurde geändert',
    changedBy: '{by} hat einen Datensatz geändert, dem Sie folgen',
    changes: 'Um Änderungen wird gebeten',
    commentOf: '{by} schreibt',
    commented: 'Ein Kommentar zu Ihrer Einreichung',
    deleted: 'Ein Datensatz, dem Sie folgen, wurde gelöscht',
    deletedBy: '{by} hat einen Datensatz gelöscht, dem Sie folgen',
    faulty: 'Das Schema wurde geändert, und Ihre Einreichung passt nicht dazu',
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
}: Pick<InboxEvent, 'kind' | 'by' | 'requests'>): readonly [
  key: keyof (typeof EVENT_TEXTS)['en'],
  by: string | null,
] {
  if (kind === 'accepted' || kind === 'rejected' || kind === 'faulty') return [kind, null];
  if (kind === 'changed' || kind === 'deleted') return [by === null ? kind : `${kind}By`, by];
  if (kind === 'submitted') return [by === null ? 'submittedBy' : 'submitted', by];
  if (requests === 'answer' || requests === 'changes') return [requests, null];
  return [by === null ? 'commented' : 'commentOf', by];
}

const ON_RECORD: readonly InboxEvent['kind'][] = ['accepted', 'changed', 'deleted'];
/** They are about submissions of the own zone, also for curators. */
const OF_OWN: readonly InboxEvent['kind'][] = ['rejected', 'faulty'];

/** Where an event leads in the desk: to a record, for curators to the review of submissions of others, else to the own ones. */
export function placeOfEvent(
  collection: string,
  { kind, label, pid }: Pick<InboxEvent, 'kind' | 'label' | 'pid'>,
  curates: boolean,
): { readonly path: readonly string[]; readonly query: Readonly<Record<string, string>> } {
  if (ON_RECORD.includes(kind)) return { path: [collection, 'record'], query: { pid } };
  return !OF_OWN.includes(kind) && curates
    ? { path: [collection, 'review', 'item'], query: { label, pid } }
    : { path: [collection, 'submissions'], query: {} };
}
