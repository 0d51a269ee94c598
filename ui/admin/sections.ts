/** The sections of administration. The frame knows their URLs before the view is loaded. */
import { sectionsIn } from '../modules.ts';
import { t } from '../texts/texts.ts';

const FIRST = ['health', 'collections'] as const;
const LAST = ['tokens', 'configuration'] as const;

const ofModules = sectionsIn('admin');

/** By the last part of the URL, with the title. */
export const ADMIN_SECTIONS: readonly { readonly name: string; title(): string }[] = [
  ...FIRST.map((name) => ({ name, title: () => t(`admin.${name}`) })),
  ...ofModules,
  ...LAST.map((name) => ({ name, title: () => t(`admin.${name}`) })),
];
