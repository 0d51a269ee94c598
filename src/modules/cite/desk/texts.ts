/** Texts of citations. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const en = {
  addCreator: 'Add a creator',
  addFunder: 'Add a funder',
  award: 'Grant number',
  citations: 'Citations',
  cite: 'Cite this',
  citeOf: 'Cite {name}',
  copy: 'Copy the citation',
  creator: 'Creator {n}',
  csl: 'CSL JSON',
  doi: 'DOI of the collection',
  doiHelp: 'Such as 10.5072/lab.',
  format: 'Format of the citation',
  funder: 'Funder {n}',
  name: 'Name',
  nameHelp: 'Family, Given; or the name of an organization.',
  orcid: 'ORCID iD',
  remove: 'Remove {what}',
  bibtex: 'BibTeX',
  ris: 'RIS',
  text: 'Text',
};

const de: typeof en = {
  addCreator: 'Urheber hinzufügen',
  addFunder: 'Förderer hinzufügen',
  award: 'Förderkennzeichen',
  citations: 'Zitate',
  cite: 'Zitieren',
  citeOf: '{name} zitieren',
  copy: 'Zitat kopieren',
  creator: 'Urheber {n}',
  csl: 'CSL JSON',
  doi: 'DOI der Sammlung',
  doiHelp: 'Zum Beispiel 10.5072/lab.',
  format: 'Format des Zitats',
  funder: 'Förderer {n}',
  name: 'Name',
  nameHelp: 'Nachname, Vorname; oder der Name einer Einrichtung.',
  orcid: 'ORCID iD',
  remove: '{what} entfernen',
  bibtex: 'BibTeX',
  ris: 'RIS',
  text: 'Text',
};

export const tc = textsOf<keyof typeof en>(en, de);
