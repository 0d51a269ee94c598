/** Sections and panels of modules, which are fetched when they are first shown. */
import type { ComponentType } from 'preact';
import type { Section } from '../module.ts';
import { MODULES } from '../modules.ts';
import type { ViewProps } from '../shared/context.ts';
import { useFetched } from '../shared/fetched.ts';
import { Loading } from '../shared/notes.tsx';
import type { ShownPanel } from '../shared/panels.tsx';
import { lazily } from './lazily.tsx';

/** The view of a section, which shows the one of the module once it is there. */
export function viewOf({ name, view }: Section): ComponentType<ViewProps> {
  return function SectionView({ collection }) {
    const { part: Shown, error, reload } = useFetched(name, view);
    if (!Shown) return <Loading error={error} retry={reload} />;
    return <Shown collection={collection} />;
  };
}

export const PANELS: readonly ShownPanel[] = MODULES.flatMap(({ panels = [] }) => panels).map((panel) => ({
  ...panel,
  View: lazily(panel.name, panel.view),
}));
