/** Texts of stewardship. */
import { type Text, textsOf } from '../texts/texts.ts';

const en = {
  activityNone: 'Nothing was changed yet.',
  changed: 'changed',
  created: 'created',
  deleted: 'deleted',
  maintenance: 'Maintenance',
  maintenanceOff: 'During maintenance, only curators of this collection get through.',
  maintenanceOn: 'Only curators get through now. All other requests are refused.',
  noLanguage: 'none: words as they are written',
  onDelete: 'Deleting a record that others refer to',
  refuse: 'is refused',
  save: 'Save',
  saved: 'Saved the settings.',
  searchLanguage: 'Language of searches',
  searchLanguageHelp:
    'Words find others with the same stem: with English, “recording” finds “recorded”. After a change, the index is built again within minutes.',
  warn: 'warns',
} as const;

const de: Readonly<Record<keyof typeof en, Text>> = {
  activityNone: 'Noch wurde nichts geändert.',
  changed: 'geändert',
  created: 'angelegt',
  deleted: 'gelöscht',
  maintenance: 'Wartung',
  maintenanceOff: 'Während der Wartung kommen nur Kuratoren dieser Sammlung durch.',
  maintenanceOn: 'Jetzt kommen nur Kuratoren durch. Alle anderen Anfragen werden abgewiesen.',
  noLanguage: 'keine: Wörter, wie sie geschrieben sind',
  onDelete: 'Einen Datensatz löschen, auf den andere verweisen',
  refuse: 'wird abgewiesen',
  save: 'Speichern',
  saved: 'Einstellungen gespeichert.',
  searchLanguage: 'Sprache der Suche',
  searchLanguageHelp:
    'Wörter finden andere mit demselben Stamm: auf Deutsch findet „Messungen“ auch „Messung“. Nach einer Änderung wird der Index binnen Minuten neu aufgebaut.',
  warn: 'warnt',
};

export const tst = textsOf<keyof typeof en>(en, de);
