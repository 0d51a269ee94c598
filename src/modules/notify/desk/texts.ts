/** Texts of the inbox. */
import { textsOf } from '../../../../ui/texts/texts.ts';
import { EVENT_TEXTS } from '../event-texts.ts';

const en = {
  ...EVENT_TEXTS.en,
  markAll: 'Mark all as read',
  none: 'Nothing has happened yet.',
};

const de: Record<keyof typeof en, string> = {
  ...EVENT_TEXTS.de,
  markAll: 'Alle gelesen',
  none: 'Noch ist nichts geschehen.',
};

export const tn = textsOf<keyof typeof en>(en, de);
