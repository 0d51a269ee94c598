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

/** The views that a place links to, with their links. */
export function useLinkedViews(place: Place, collection: string) {
  const { admin = false, collections } = session.me.value ?? {};
  const permissions = collections?.[collection]?.permissions ?? [];
  return useContext(ModuleViews).flatMap(({ name, needs, admins, link }) => {
    const isOpen = suffices(permissions, needs) || (admin && admins === true);
    return isOpen && link?.places.includes(place) ? [{ name, link }] : [];
  });
}

export function ViewLinks(props: { place: Place; collection: string; class: string }) {
  const { place, collection } = props;
  return useLinkedViews(place, collection).map(({ name, link }) => (
    <a key={name} class={props.class} href={urlOf([collection, name])}>
      {link.icon && <Icon name={link.icon} />}
      {link.title()}
    </a>
  ));
}
