/** Texts of the inbox. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const en = {
  accepted: 'Your submission was accepted',
  answer: 'A curator asks a question',
  changes: 'A curator asks for changes',
  commentOf: '{by} wrote',
  commented: 'A curator wrote',
  markAll: 'Mark all as read',
  none: 'Nothing has happened yet.',
  rejected: 'Your submission was rejected',
  submitted: '{by} submitted a record',
  submittedBy: 'A record was submitted',
};

const de: typeof en = {
  accepted: 'Ihre Einreichung wurde angenommen',
  answer: 'Eine Frage zu Ihrer Einreichung',
  changes: 'Um Änderungen wird gebeten',
  commentOf: '{by} schreibt',
  commented: 'Ein Kommentar zu Ihrer Einreichung',
  markAll: 'Alle gelesen',
  none: 'Noch ist nichts geschehen.',
  rejected: 'Ihre Einreichung wurde abgelehnt',
  submitted: '{by} hat einen Datensatz eingereicht',
  submittedBy: 'Ein Datensatz wurde eingereicht',
};

export const tn = textsOf<keyof typeof en>(en, de);
