/** Texts of comments on submissions. */
import { textsOf } from '../texts/texts.ts';

const en = {
  answer: 'Answer…',
  answerTitle: 'Answer about {title}',
  ask: 'Ask…',
  askTitle: 'Write to the submitter of {title}',
  asked: 'Question',
  changes: 'Changes requested',
  comment: 'Comment',
  curator: 'A curator',
  forAnswer: 'I ask for an answer',
  forChanges: 'I ask for changes',
  kind: 'What you ask for',
  missing: 'Write something first.',
  none: 'I only comment',
  send: 'Send',
  sent: 'Sent.',
  talk: 'Conversation',
  text: 'Text',
  toAnswer: 'To answer',
  youAnswer: 'The curators of {name} ask for this. Your answer goes back to them.',
  youAsk: 'The submitter reads this. The submission stays in the queue, undecided.',
};

const de: Record<keyof typeof en, string> = {
  answer: 'Antworten…',
  answerTitle: 'Antwort zu {title}',
  ask: 'Nachfragen…',
  askTitle: 'An die einreichende Person von {title}',
  asked: 'Frage',
  changes: 'Änderungen erbeten',
  comment: 'Anmerkung',
  curator: 'Kuratierende',
  forAnswer: 'Ich bitte um Antwort',
  forChanges: 'Ich bitte um Änderungen',
  kind: 'Worum Sie bitten',
  missing: 'Schreiben Sie zuerst etwas.',
  none: 'Ich merke nur etwas an',
  send: 'Senden',
  sent: 'Gesendet.',
  talk: 'Gespräch',
  text: 'Text',
  toAnswer: 'Zu beantworten',
  youAnswer: 'Die Kuratierenden von {name} bitten darum. Ihre Antwort geht an sie zurück.',
  youAsk: 'Die einreichende Person liest dies. Die Einreichung bleibt unentschieden in der Liste.',
};

export const tt = textsOf<keyof typeof en>(en, de);
