/** The modules of the desk: the one list. */
import { webhooks } from '../src/modules/webhooks/desk/module.ts';
import type { DeskModule, Section } from './module.ts';

export const MODULES: readonly DeskModule[] = [webhooks];

/** The sections that modules add to a view. */
export function sectionsIn(place: Section['places'][number]): readonly Section[] {
  return MODULES.flatMap(({ sections = [] }) => sections).filter(({ places }) => places.includes(place));
}
