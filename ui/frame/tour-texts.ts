/** Texts of the first steps, in the words of the collection: `{noun}` is the class that has most to do with it. */
import { textsOf } from '../texts/texts.ts';

const en = {
  back: 'Back',
  begin: 'Show me',
  browse: 'Look around.',
  browseText:
    'Browse lists the records of {collection} by class. Open one and follow its links; look whether yours is there already.',
  decide: 'Decide.',
  decideText:
    'Open a submission, and choose a side where two have changed the same. A accepts, R rejects with a reason, U takes the last decision back.',
  edit: 'Edit in the table.',
  editText: 'X selects rows, and V edits a value of all of them: with a preview, and with an undo.',
  finish: 'Finish',
  form: 'A new {noun}.',
  formText:
    'The form asks for what this class has. References are found by typing a name, and what is wrong is said at its field. Submit sends it to the curators.',
  go: 'Go there',
  leave: 'Leave the first steps',
  next: 'Next',
  notNow: 'Not now',
  offer: 'New here? Four steps show where things are. You find them again under “?”.',
  queue: 'What waits.',
  queueText: 'Review lists the submissions, each beside the curated record. Enter opens one.',
  record: 'record',
  stewardship: 'Keep it in order.',
  stewardshipText: 'Stewardship finds duplicates, missing records and faults, and takes merges back.',
  step: 'Step {n} of {of}:',
  submissions: 'What became of it.',
  submissionsText:
    'My submissions shows what was accepted or rejected, and why. Curators ask there, and you answer.',
  title: 'First steps',
  upload: 'Many at once.',
  uploadText: 'A table from a spreadsheet program is checked row by row before anything is sent.',
} as const;

export type TourText = keyof typeof en;

const de: Readonly<Record<TourText, string>> = {
  back: 'Zurück',
  begin: 'Zeigen',
  browse: 'Umsehen.',
  browseText:
    '„Stöbern“ zeigt die Datensätze von {collection} nach Klassen. Öffnen Sie einen und folgen Sie seinen Verweisen; sehen Sie nach, ob Ihrer schon da ist.',
  decide: 'Entscheiden.',
  decideText:
    'Öffnen Sie eine Einreichung und wählen Sie eine Seite, wo zwei dasselbe geändert haben. A nimmt an, R lehnt mit Begründung ab, U nimmt die letzte Entscheidung zurück.',
  edit: 'In der Tabelle ändern.',
  editText: 'X wählt Zeilen aus, V ändert einen Wert in allen: mit Vorschau, und zurückzunehmen.',
  finish: 'Fertig',
  form: 'Neu: {noun}.',
  formText:
    'Das Formular fragt nach dem, was diese Klasse hat. Verweise finden Sie, indem Sie einen Namen eingeben, und Fehler stehen an ihrem Feld. „Einreichen“ schickt es den Kuratoren.',
  go: 'Dorthin',
  leave: 'Erste Schritte beenden',
  next: 'Weiter',
  notNow: 'Nicht jetzt',
  offer: 'Neu hier? Vier Schritte zeigen, wo was ist. Sie finden sie wieder unter „?“.',
  queue: 'Was wartet.',
  queueText:
    '„Prüfen“ zeigt die Einreichungen, jede neben dem kuratierten Datensatz. Die Eingabetaste öffnet eine.',
  record: 'Datensatz',
  stewardship: 'Ordnung halten.',
  stewardshipText:
    '„Pflege“ findet Dubletten, fehlende Datensätze und Fehler, und nimmt Zusammenführungen zurück.',
  step: 'Schritt {n} von {of}:',
  submissions: 'Was daraus wurde.',
  submissionsText:
    '„Meine Einreichungen“ zeigt, was angenommen oder abgelehnt wurde und warum. Dort fragen Kuratoren, und Sie antworten.',
  title: 'Erste Schritte',
  upload: 'Viele auf einmal.',
  uploadText:
    'Eine Tabelle aus einem Tabellenprogramm wird Zeile für Zeile geprüft, bevor etwas gesendet wird.',
};

export const tt = textsOf<TourText>(en, de);
