/** Links to views that modules add, for users who may open them. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { View } from '../module.ts';
import { Icon } from './icons.tsx';
import { urlOf } from './router.ts';
import { session } from './session.ts';
import { suffices } from './view-access.ts';

type Place = NonNullable<View['link']>['places'][number];

/** The views below a collection that modules add. */
export const ModuleViews = createContext<readonly View[]>([]);

export function ViewLinks(props: { place: Place; collection: string; class: string }) {
  const { place, collection } = props;
  const permissions = session.me.value?.collections[collection]?.permissions ?? [];
  return useContext(ModuleViews).map(
    ({ name, needs, link }) =>
      link?.places.includes(place) &&
      suffices(permissions, needs) && (
        <a key={name} class={props.class} href={urlOf([collection, name])}>
          <Icon name={link.icon} />
          {link.title()}
        </a>
      ),
  );
}
