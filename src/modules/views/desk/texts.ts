/** Texts of saved views. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const en = {
  delete: 'Delete the view {name}',
  forAll: 'For everybody',
  forAllHelp: 'Save it for all who may read this class',
  forMe: 'In this browser',
  help: 'A view keeps the search, the filters, the columns with their widths, and the order.',
  label: 'Views',
  name: 'Name of the view',
  none: 'No view is saved yet.',
  save: 'Save this view',
  saved: 'Saved the view {name}.',
  title: 'Views of {name}',
};

const de: typeof en = {
  delete: 'Ansicht {name} löschen',
  forAll: 'Für alle',
  forAllHelp: 'Für alle speichern, die diese Klasse lesen dürfen',
  forMe: 'In diesem Browser',
  help: 'Eine Ansicht behält Suche, Filter, Spalten mit ihren Breiten und die Reihenfolge.',
  label: 'Ansichten',
  name: 'Name der Ansicht',
  none: 'Noch ist keine Ansicht gespeichert.',
  save: 'Diese Ansicht speichern',
  saved: 'Ansicht {name} gespeichert.',
  title: 'Ansichten von {name}',
};

export const tv = textsOf<keyof typeof en>(en, de);
