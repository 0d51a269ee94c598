/** What modules show about a record, a release or a collection. */
import { type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Panel, PanelProps } from '../module.ts';

/** A panel whose view is fetched when it is first shown. */
export type ShownPanel = Pick<Panel, 'name' | 'place'> & { readonly View: ComponentType<PanelProps> };

export const ModulePanels = createContext<readonly ShownPanel[]>([]);

/** What modules show at a place. */
export function Panels({ place, ...props }: PanelProps & Pick<Panel, 'place'>) {
  return useContext(ModulePanels)
    .filter((panel) => panel.place === place)
    .map(({ name, View }) => <View key={name} {...props} />);
}
