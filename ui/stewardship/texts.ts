/** Texts of stewardship. */
import { type Text, textsOf } from '../texts/texts.ts';

const en = {
  activity: 'History',
  activityNone: 'Nothing was changed yet.',
  changed: 'changed',
  created: 'created',
  deleted: 'deleted',
  maintenance: 'Maintenance',
  maintenanceOff: 'During maintenance, only curators of this collection get through.',
  maintenanceOn: 'Only curators get through now. All other requests are refused.',
  onDelete: 'Deleting a record that others refer to',
  refuse: 'is refused',
  save: 'Save',
  saved: 'Saved the settings.',
  settings: 'Settings',
  warn: 'warns',
} as const;

const de: Readonly<Record<keyof typeof en, Text>> = {
  activity: 'Verlauf',
  activityNone: 'Noch wurde nichts geändert.',
  changed: 'geändert',
  created: 'angelegt',
  deleted: 'gelöscht',
  maintenance: 'Wartung',
  maintenanceOff: 'Während der Wartung kommen nur Kuratoren dieser Sammlung durch.',
  maintenanceOn: 'Jetzt kommen nur Kuratoren durch. Alle anderen Anfragen werden abgewiesen.',
  onDelete: 'Einen Datensatz löschen, auf den andere verweisen',
  refuse: 'wird abgewiesen',
  save: 'Speichern',
  saved: 'Einstellungen gespeichert.',
  settings: 'Einstellungen',
  warn: 'warnt',
};

export const tst = textsOf<keyof typeof en>(en, de);
