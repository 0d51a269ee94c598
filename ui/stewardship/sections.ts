/** The pages of stewardship. The frame knows their URLs before the view is loaded. */
import { sectionsIn } from '../modules.ts';
import { t } from '../texts/texts.ts';
import type { StewardshipPage } from './list.tsx';

/** The pages that are not of modules. */
const OWN = ['activity', 'settings'] as const;

/** By the last part of the URL, with the title. */
export const STEWARDSHIP_SECTIONS: readonly StewardshipPage[] = [
  ...sectionsIn('stewardship'),
  ...OWN.map((name) => ({ name, title: () => t(`stewardship.${name}`) })),
];
