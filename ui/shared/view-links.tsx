/** Links to views that modules add, for users who may open them. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { View } from '../module.ts';
import { Icon } from './icons.tsx';
import { place, queryOf, urlOf } from './router.ts';
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

/** @param props `className` is that of Browse, whose filter is in the address */
export function ViewLinks(props: { place: Place; collection: string; class: string; className?: string }) {
  const { place: from, collection, className } = props;
  const filtered = (name: string) =>
    urlOf([collection, name, ...(className === undefined ? [] : [className])], {
      ...queryOf(place.value.query),
      sort: null,
      columns: null,
      preview: null,
    });
  return useLinkedViews(from, collection).map(({ name, link }) => (
    <a key={name} class={props.class} href={link.carriesFilter ? filtered(name) : urlOf([collection, name])}>
      {link.icon && <Icon name={link.icon} />}
      {link.title()}
    </a>
  ));
}
