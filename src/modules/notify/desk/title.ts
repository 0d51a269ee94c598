/** The texts of the entry in the rail, which it has before the others are loaded. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const en = { title: 'Inbox', unread: 'unread' };
const de: typeof en = { title: 'Posteingang', unread: 'ungelesen' };

export const tt = textsOf<keyof typeof en>(en, de);
