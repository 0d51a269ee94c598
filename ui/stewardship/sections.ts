/** The pages of stewardship, by the last part of their URLs. The frame knows them before the view is loaded. */
import { sectionsIn } from '../modules.ts';

/** The pages that are not of modules. */
export const OWN_SECTIONS = ['activity', 'settings'] as const;

export const STEWARDSHIP_SECTIONS: readonly string[] = [
  ...sectionsIn('stewardship').map(({ name }) => name),
  ...OWN_SECTIONS,
];
