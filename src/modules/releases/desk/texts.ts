/** Texts of releases. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const en = {
  archive: 'All files (ZIP)',
  changes: '{created} created, {replaced} replaced, {deleted} deleted since {since}',
  done: 'Released',
  failed: 'Failed',
  filesOf: 'Files of {name}',
  forever:
    'The release has all curated records as they are now. It never changes; an administrator can withdraw it.',
  lead: 'A release is a state of the curated records that never changes: for citations and archives.',
  made: 'Released {name}.',
  make: 'Release',
  making: 'In progress',
  makingOf: 'Progress of {name}',
  name: 'Name',
  name_help: 'Part of its URL: letters, digits, dots, hyphens and underscores. For example 2026-11.',
  new: 'New release',
  none: 'Nothing is released yet.',
  notes: 'Notes: what is new, for people',
  reason: 'Reason, for all who read releases',
  records: { one: '{n} record', other: '{n} records' },
  releases: 'Releases',
  withdraw: 'Withdraw',
  withdrawHelp:
    'Its files are removed for good. Its name, its digest and the reason stay, for those who have cited it.',
  withdrawTitle: 'Withdraw {name}?',
  withdrawn: 'Withdrawn',
  withdrawnNow: 'Withdrew {name}.',
};

const de: typeof en = {
  archive: 'Alle Dateien (ZIP)',
  changes: 'seit {since}: {created} neu, {replaced} ersetzt, {deleted} gelöscht',
  done: 'Veröffentlicht',
  failed: 'Fehlgeschlagen',
  filesOf: 'Dateien von {name}',
  forever:
    'Die Ausgabe enthält alle kuratierten Datensätze, wie sie jetzt sind. Sie ändert sich nie; nur die Administration kann sie zurückziehen.',
  lead: 'Eine Ausgabe ist ein Stand der kuratierten Datensätze, der sich nie ändert: für Zitate und Archive.',
  made: 'Ausgabe {name} veröffentlicht.',
  make: 'Veröffentlichen',
  making: 'In Arbeit',
  makingOf: 'Fortschritt von {name}',
  name: 'Name',
  name_help:
    'Teil ihrer URL: Buchstaben, Ziffern, Punkte, Bindestriche und Unterstriche. Zum Beispiel 2026-11.',
  new: 'Neue Ausgabe',
  none: 'Noch ist nichts veröffentlicht.',
  notes: 'Anmerkungen: was neu ist, für Menschen',
  reason: 'Grund, für alle, die Ausgaben lesen',
  records: { one: '{n} Datensatz', other: '{n} Datensätze' },
  releases: 'Ausgaben',
  withdraw: 'Zurückziehen',
  withdrawHelp:
    'Ihre Dateien werden endgültig entfernt. Name, Prüfsumme und Grund bleiben, für alle, die sie zitiert haben.',
  withdrawTitle: '{name} zurückziehen?',
  withdrawn: 'Zurückgezogen',
  withdrawnNow: '{name} zurückgezogen.',
};

export const tr = textsOf<keyof typeof en>(en, de);
