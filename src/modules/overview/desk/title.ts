/** The title of the view, which links to it show before its other texts are loaded. */
import { textsOf } from '../../../../ui/texts/texts.ts';

const texts = textsOf({ title: 'Overview' }, { title: 'Überblick' });

export const title = () => texts('title');
