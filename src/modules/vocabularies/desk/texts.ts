/** Texts of vocabularies. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const en = {
  add: 'Add a vocabulary, or take one from elsewhere',
  daily: 'refreshed every day',
  help: 'Where the terms come from that values are chosen from. What another state of a source would change is tried first.',
  missing: 'No snapshot: terms are not enforced',
  monthly: 'refreshed every month',
  name: 'Name',
  nameHelp: 'As the enums of the schema call it.',
  none: 'This collection has no vocabularies.',
  noneHelp: 'Administrators add one: a name that the schema uses, and the source of its terms.',
  refresh: 'Refresh…',
  remove: 'Remove…',
  size: { one: '{n} term', other: '{n} terms' },
  source: 'Source',
  sourceHelp:
    'A URL or path of an OBO graph, SKOS or a table, or a class of a collection: thesaurus/Concept.',
  taken: 'taken {time}',
  title: 'Vocabularies',
  trial: 'The trial',
  try: 'What would change',
  trying: 'Reading the source, and checking all records…',
  version: 'version {version}',
  weekly: 'refreshed every week',
  allTerms: 'All terms',
  narrower: 'Narrower terms',
  terms: 'Terms',
  typeTerm: 'Type a term',
};

const de: Record<keyof typeof en, string | { one: string; other: string }> = {
  add: 'Ein Vokabular hinzufügen oder anderswoher nehmen',
  daily: 'wird täglich neu geholt',
  help: 'Woher die Begriffe kommen, aus denen Werte gewählt werden. Was ein anderer Stand der Quelle ändern würde, wird zuerst geprüft.',
  missing: 'Kein Abbild: Begriffe werden nicht geprüft',
  monthly: 'wird monatlich neu geholt',
  name: 'Name',
  nameHelp: 'Wie die Enums des Schemas es nennen.',
  none: 'Diese Sammlung hat keine Vokabulare.',
  noneHelp:
    'Die Administration fügt eines hinzu: einen Namen, den das Schema benutzt, und die Quelle der Begriffe.',
  refresh: 'Neu holen…',
  remove: 'Entfernen…',
  size: { one: '{n} Begriff', other: '{n} Begriffe' },
  source: 'Quelle',
  sourceHelp:
    'URL oder Pfad eines OBO-Graphen, von SKOS oder einer Tabelle, oder eine Klasse einer Sammlung: thesaurus/Concept.',
  taken: 'geholt {time}',
  title: 'Vokabulare',
  trial: 'Die Probe',
  try: 'Was sich ändern würde',
  trying: 'Die Quelle wird gelesen, und alle Datensätze werden geprüft…',
  version: 'Fassung {version}',
  weekly: 'wird wöchentlich neu geholt',
  allTerms: 'Alle Begriffe',
  narrower: 'Engere Begriffe',
  terms: 'Begriffe',
  typeTerm: 'Begriff tippen',
};

export const tv = textsOf<keyof typeof en>(en, de);
