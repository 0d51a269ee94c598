/** Texts of publishing a collection. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const en = {
  copyPublic: 'Copy the public address',
  publicAddress: 'Public address',
  publish: 'Publish',
  base: 'Base of the IRIs',
  base_help:
    'A URL with which the IRIs of records start and which a proxy leads to this service. Records are then cited by their IRIs.',
  complete: 'Nothing is missing.',
  contact: 'Contact',
  contact_help:
    'The e-mail address of those who answer questions and issue tokens. The first page of the desk shows it.',
  example: 'The page of a record',
  catalog: 'Catalog for harvesters',
  changes: 'Feed of changes',
  makePublic: 'Make it public',
  oai: 'OAI-PMH',
  pages: 'Public pages',
  license: 'License',
  license_help: 'The URL of the license of the records, such as one of Creative Commons.',
  missing: 'What is missing',
  no_base:
    'Records are cited by the URLs of this service, not by their IRIs. That is enough if it keeps its address.',
  no_contact: 'No contact: visitors do not see whom to ask for a token.',
  no_license: 'No license: others cannot know whether they may use the records.',
  no_publisher: 'No publisher: citations of records name the collection alone.',
  no_title: 'No title: pages call the collection “{name}”.',
  private:
    'The pages are not public: requests without a token do not read curated records. An administrator has to let them.',
  public: 'Everybody can read the curated records, and the page of each one.',
  publisher: 'Publisher',
  publisher_help: 'The organization or person that publishes the records.',
  save: 'Save',
  saved: 'Saved how {name} is published.',
  sitemap: 'Sitemap for search engines',
  title: 'Title',
  title_help: 'As people call the collection. Without one, the title of its schema.',
};

const de: typeof en = {
  copyPublic: 'Öffentliche Adresse kopieren',
  publicAddress: 'Öffentliche Adresse',
  publish: 'Veröffentlichen',
  base: 'Anfang der IRIs',
  base_help:
    'Eine URL, mit der die IRIs der Datensätze beginnen und die ein Proxy zu diesem Dienst leitet. Datensätze werden dann mit ihren IRIs zitiert.',
  complete: 'Es fehlt nichts.',
  contact: 'Kontakt',
  contact_help: 'Die E-Mail-Adresse für Fragen und Token. Die Startseite zeigt sie.',
  example: 'Die Seite eines Datensatzes',
  catalog: 'Katalog für Harvester',
  changes: 'Feed der Änderungen',
  makePublic: 'Öffentlich machen',
  oai: 'OAI-PMH',
  pages: 'Öffentliche Seiten',
  license: 'Lizenz',
  license_help: 'Die URL der Lizenz der Datensätze, etwa eine von Creative Commons.',
  missing: 'Was fehlt',
  no_base:
    'Datensätze werden mit den URLs dieses Dienstes zitiert, nicht mit ihren IRIs. Das genügt, wenn er seine Adresse behält.',
  no_contact: 'Kein Kontakt: Gäste sehen nicht, wen sie um ein Token bitten.',
  no_license: 'Keine Lizenz: andere wissen nicht, ob sie die Datensätze nutzen dürfen.',
  no_publisher: 'Kein Herausgeber: Zitate nennen nur die Sammlung.',
  no_title: 'Kein Titel: die Seiten nennen die Sammlung „{name}“.',
  private:
    'Die Seiten sind nicht öffentlich: Ohne Token werden keine kuratierten Datensätze gelesen. Eine Administratorin muss es erlauben.',
  public: 'Alle können die kuratierten Datensätze lesen, und jeder hat eine Seite.',
  publisher: 'Herausgeber',
  publisher_help: 'Die Einrichtung oder Person, die die Datensätze veröffentlicht.',
  save: 'Speichern',
  saved: 'Gespeichert, wie {name} veröffentlicht wird.',
  sitemap: 'Sitemap für Suchmaschinen',
  title: 'Titel',
  title_help: 'Wie man die Sammlung nennt. Ohne ihn gilt der Titel des Schemas.',
};

export const tp = textsOf<keyof typeof en>(en, de);
