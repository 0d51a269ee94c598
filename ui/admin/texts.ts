/** Texts of administration: permissions in words, new secrets, problems with links. */
import { textsOf } from '../texts/texts.ts';

const en = {
  CURATOR: 'reviews, edits and reads everything',
  NOTHING: 'nothing',
  READ_COLLECTION: 'reads curated records and the own zone',
  READ_CURATED: 'reads curated records',
  READ_SUBMISSIONS: 'reads the own zone',
  SUBMIT: 'reads curated records and submits, without reading the own zone',
  SUBMIT_ONLY: 'submits, and reads nothing',
  WRITE_COLLECTION: 'reads curated records, submits, and reads the own zone',
  WRITE_INCOMING: 'submits and reads the own zone, without curated records',
  WRITE_SUBMISSIONS: 'submits and reads the own zone, without curated records',
  help_curated: 'The directory of the curated records, relative to the store.',
  help_default_token: 'The name of the token for requests without one: what it may do, every visitor may do.',
  help_incoming: 'The directory with a zone for each submitter. Leave it empty if no one submits.',
  help_name: 'Part of every URL of the collection.',
  help_schema: 'A LinkML schema: a URL, or a path on the machine of the service.',
  inZone: 'zone {label}',
  schemaFile: 'Or a file from this computer',
  schemaText: 'Or its text',
  required: 'A value is required.',
  rotate: 'New secret',
  rotateHelp: 'The former secret is accepted for {n} more days. The new one is shown once.',
  rotateOf: 'New secret for {name}',
  rotateTitle: 'Make a new secret for {name}?',
  show: 'Show these records',
};

const de: typeof en = {
  CURATOR: 'prüft, bearbeitet und liest alles',
  NOTHING: 'nichts',
  READ_COLLECTION: 'liest kuratierte Datensätze und die eigene Zone',
  READ_CURATED: 'liest kuratierte Datensätze',
  READ_SUBMISSIONS: 'liest die eigene Zone',
  SUBMIT: 'liest kuratierte Datensätze und reicht ein, ohne die eigene Zone zu lesen',
  SUBMIT_ONLY: 'reicht ein und liest nichts',
  WRITE_COLLECTION: 'liest kuratierte Datensätze, reicht ein und liest die eigene Zone',
  WRITE_INCOMING: 'reicht ein und liest die eigene Zone, ohne kuratierte Datensätze',
  WRITE_SUBMISSIONS: 'reicht ein und liest die eigene Zone, ohne kuratierte Datensätze',
  help_curated: 'Das Verzeichnis der kuratierten Datensätze, vom Speicher aus gesehen.',
  help_default_token: 'Der Name des Tokens für Anfragen ohne Token: was es darf, darf jeder Besucher.',
  help_incoming: 'Das Verzeichnis mit einer Zone je einreichender Person. Leer, wenn niemand einreicht.',
  help_name: 'Teil jeder URL der Sammlung.',
  help_schema: 'Ein LinkML-Schema: eine URL, oder ein Pfad auf dem Rechner des Dienstes.',
  inZone: 'Zone {label}',
  schemaFile: 'Oder eine Datei von diesem Rechner',
  schemaText: 'Oder sein Text',
  required: 'Ein Wert ist nötig.',
  rotate: 'Neues Geheimnis',
  rotateHelp: 'Das bisherige Geheimnis gilt noch {n} Tage. Das neue wird einmal gezeigt.',
  rotateOf: 'Neues Geheimnis für {name}',
  rotateTitle: 'Ein neues Geheimnis für {name} anlegen?',
  show: 'Diese Datensätze zeigen',
};

export const ta = textsOf<keyof typeof en>(en, de);

/** What a mode permits, in words; a mode that is not known is its name. */
export function modeWords(mode: string): string {
  return mode in en ? ta(mode as keyof typeof en) : mode;
}
