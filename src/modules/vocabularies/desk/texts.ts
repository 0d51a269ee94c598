/** Texts of vocabularies. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const en = {
  allTerms: 'All terms',
  narrower: 'Narrower terms',
  terms: 'Terms',
  typeTerm: 'Type a term',
};

const de: typeof en = {
  allTerms: 'Alle Begriffe',
  narrower: 'Engere Begriffe',
  terms: 'Begriffe',
  typeTerm: 'Begriff tippen',
};

export const tv = textsOf(en, de);
