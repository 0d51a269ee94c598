/** Texts of shared links. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const en = {
  all: 'Shared links of this collection',
  by: 'by {name}',
  confirm: 'Make the link',
  dialogTitle: 'Share this view',
  endless: 'has no end',
  help: 'Everybody who has the link sees this view without a token, and reads all curated records of “{name}” that readers see, not only those of this view. Submissions stay closed.',
  lead: 'Everybody who has one of these links reads the curated records of this collection until its end. Links are made above the table of Browse.',
  link: 'The link for {title} works until {time}.',
  none: 'No link is shared.',
  revoke: 'Revoke',
  revokeDone: 'Revoked the link for {title}.',
  revokeHelp: 'The link does not work from now on, also where it is open.',
  revokeTitle: 'Revoke the link for {title}?',
  for: 'Whom it is for',
  for_help: 'Such as a group or an occasion: links are listed by it.',
  until: 'Link ends',
  until_help: 'The last day on which it works, at most 366 days from now.',
  untilTime: 'until {time}',
  unused: 'not used yet',
  used: 'last used {time}',
};

const de: typeof en = {
  all: 'Geteilte Links dieser Sammlung',
  by: 'von {name}',
  confirm: 'Link anlegen',
  dialogTitle: 'Diese Ansicht teilen',
  endless: 'ohne Ende',
  help: 'Wer den Link hat, sieht diese Ansicht ohne Token und liest alle kuratierten Datensätze von „{name}“, die Lesende sehen, nicht nur die dieser Ansicht. Einreichungen bleiben geschlossen.',
  lead: 'Wer einen dieser Links hat, liest die kuratierten Datensätze dieser Sammlung, bis er endet. Links werden in „Stöbern“ über der Tabelle angelegt.',
  link: 'Der Link für {title} gilt bis {time}.',
  none: 'Kein Link ist geteilt.',
  revoke: 'Widerrufen',
  revokeDone: 'Link für {title} widerrufen.',
  revokeHelp: 'Der Link gilt ab jetzt nicht mehr, auch wo er geöffnet ist.',
  revokeTitle: 'Den Link für {title} widerrufen?',
  for: 'Für wen',
  for_help: 'Etwa eine Gruppe oder ein Anlass: so stehen Links in der Liste.',
  until: 'Link endet',
  until_help: 'Der letzte Tag, an dem er gilt, höchstens in 366 Tagen.',
  untilTime: 'bis {time}',
  unused: 'noch nicht benutzt',
  used: 'zuletzt benutzt {time}',
};

export const tl = textsOf<keyof typeof en>(en, de);
