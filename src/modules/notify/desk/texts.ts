/** Texts of the inbox. */
import { textsOf } from '../../../../ui/texts/texts.ts';
import { EVENT_TEXTS } from '../event-texts.ts';

const en = {
  ...EVENT_TEXTS.en,
  address: 'Address',
  addressHelp: 'A link is sent to it first, and nothing else before you open that.',
  at_once: 'at once',
  confirmed: 'Mail is sent to {address}.',
  daily: 'once a day',
  endFeed: 'End the URL',
  feed: 'Feed',
  feedHelp:
    'A program that reads Atom feeds needs the URL alone. Anyone who has it can read this inbox, until you end it.',
  feedMade: 'The URL of your feed is made.',
  mail: 'Mail',
  makeAnother: 'Make another URL',
  makeFeed: 'Make a URL',
  markAll: 'Mark all as read',
  noMail: 'This collection sends no mail.',
  noneHelp: 'What others do with your submissions, and what waits for you, appears here.',
  notConfirmed: 'A link was sent to {address}. Open it to get mail.',
  refused: '{address} gets no more mail: {reason}. Enter the address again to try once more.',
  sendAgain: 'Send the link again',
  store: 'Save',
  stored: 'It is saved.',
  when: 'Send it by mail',
  without: 'never',
  none: 'Nothing has happened yet.',
};

const de: Record<keyof typeof en, string> = {
  ...EVENT_TEXTS.de,
  address: 'Adresse',
  addressHelp: 'Zuerst wird ein Link an sie gesendet, und nichts anderes, bevor Sie ihn öffnen.',
  at_once: 'sofort',
  confirmed: 'Mails gehen an {address}.',
  daily: 'einmal am Tag',
  endFeed: 'URL beenden',
  feed: 'Feed',
  feedHelp:
    'Ein Programm für Atom-Feeds braucht nur die URL. Wer sie hat, liest diesen Posteingang, bis Sie sie beenden.',
  feedMade: 'Die URL Ihres Feeds ist angelegt.',
  mail: 'Mail',
  makeAnother: 'Andere URL anlegen',
  makeFeed: 'URL anlegen',
  markAll: 'Alle gelesen',
  noMail: 'Diese Sammlung sendet keine Mails.',
  noneHelp: 'Was andere mit Ihren Einreichungen tun und was auf Sie wartet, erscheint hier.',
  notConfirmed: 'An {address} wurde ein Link gesendet. Öffnen Sie ihn, um Mails zu erhalten.',
  refused:
    '{address} erhält keine Mails mehr: {reason}. Geben Sie die Adresse noch einmal ein, um es wieder zu versuchen.',
  sendAgain: 'Link noch einmal senden',
  store: 'Speichern',
  stored: 'Es ist gespeichert.',
  when: 'Als Mail senden',
  without: 'nie',
  none: 'Noch ist nichts geschehen.',
};

export const tn = textsOf<keyof typeof en>(en, de);
