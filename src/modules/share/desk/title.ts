/** The names of the button and of the page, which are in the first view. */
import { textsOf } from '../../../../ui/texts/texts.ts';

export const tt = textsOf(
  { button: 'Share', page: 'Shared links' },
  { button: 'Teilen', page: 'Geteilte Links' },
);
