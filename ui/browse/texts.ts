/** Texts of filters, exports and saved views. */
import { textsOf } from '../texts/texts.ts';

const en = {
  apply: 'Filter',
  columnsHelp: 'Tables have the columns that are shown. Files can be uploaded again.',
  counts: 'Values',
  export: 'Export',
  exportTitle: 'Export {name}',
  exported: { one: 'Exported {n} record.', other: 'Exported {n} records.' },
  exporting: 'Exporting {done} of {total}',
  filter: 'Filter',
  filterTitle: 'Filter {name}',
  filters: 'Filters',
  format: 'Format',
  frequent: 'The values of enumerations, else the most frequent ones of the first 100 records.',
  nameOfView: 'Name of the view',
  none: 'No view is saved yet.',
  otherValue: 'Value',
  removeFilter: 'Remove the filter {name}',
  removeView: 'Delete the view {name}',
  save: 'Save this view',
  slot: 'Slot',
  views: 'Views',
  viewsHelp: 'A view keeps the search, the filters and the order. Views are kept in this browser.',
  viewsTitle: 'Views of {name}',
};

const de: Record<keyof typeof en, string | { one: string; other: string }> = {
  apply: 'Filtern',
  columnsHelp: 'Tabellen haben die gezeigten Spalten. Dateien können wieder hochgeladen werden.',
  counts: 'Werte',
  export: 'Exportieren',
  exportTitle: '{name} exportieren',
  exported: { one: '{n} Datensatz exportiert.', other: '{n} Datensätze exportiert.' },
  exporting: '{done} von {total} exportiert',
  filter: 'Filter',
  filterTitle: '{name} filtern',
  filters: 'Filter',
  format: 'Format',
  frequent: 'Die Werte von Auswahllisten, sonst die häufigsten der ersten 100 Datensätze.',
  nameOfView: 'Name der Ansicht',
  none: 'Noch ist keine Ansicht gespeichert.',
  otherValue: 'Wert',
  removeFilter: 'Filter {name} entfernen',
  removeView: 'Ansicht {name} löschen',
  save: 'Diese Ansicht speichern',
  slot: 'Angabe',
  views: 'Ansichten',
  viewsHelp: 'Eine Ansicht behält Suche, Filter und Reihenfolge. Ansichten bleiben in diesem Browser.',
  viewsTitle: 'Ansichten von {name}',
};

export const tb = textsOf<keyof typeof en>(en, de);
