/** Texts of citations. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const en = {
  cite: 'Cite this',
  copy: 'Copy the citation',
  csl: 'CSL JSON',
  format: 'Format of the citation',
  bibtex: 'BibTeX',
  ris: 'RIS',
  text: 'Text',
};

const de: typeof en = {
  cite: 'Zitieren',
  copy: 'Zitat kopieren',
  csl: 'CSL JSON',
  format: 'Format des Zitats',
  bibtex: 'BibTeX',
  ris: 'RIS',
  text: 'Text',
};

export const tc = textsOf<keyof typeof en>(en, de);
