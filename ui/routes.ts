/** Which view a URL shows, and which permissions it needs. */
import type { Me } from '../src/client/client.ts';
import { ADMIN_SECTIONS } from './admin/sections.ts';
import type { Views } from './frame/lazy-view.tsx';
import type { View } from './module.ts';
import { viewsBelow } from './modules.ts';
import type { Permission } from './shared/session.ts';
import { suffices } from './shared/view-access.ts';
import { STEWARDSHIP_SECTIONS } from './stewardship/sections.ts';

/** Views of modules below a collection. */
export const MODULE_VIEWS = viewsBelow('collection');

/** Views that are found by their name alone. */
export const DESK_VIEWS: Views = {
  help: () => import('./help/help.tsx').then(({ Help }) => Help),
  ...viewsByName(viewsBelow('desk')),
};

/** Views below a collection, and administration. */
export const VIEWS: Views = {
  browse: () => import('./browse/browse.tsx').then(({ Browse }) => Browse),
  record: () => import('./browse/record.tsx').then(({ RecordView }) => RecordView),
  new: () => import('./submit/form-view.tsx').then(({ FormView }) => FormView),
  edit: () => import('./submit/form-view.tsx').then(({ FormView }) => FormView),
  stewardship: () => import('./stewardship/stewardship.tsx').then(({ Stewardship }) => Stewardship),
  admin: () => import('./admin/admin.tsx').then(({ Admin }) => Admin),
  ...viewsByName(MODULE_VIEWS),
};

const EDIT = ['write_zone', 'curate'] as const;

/** The permissions of which a view needs one; other views need any. */
export const NEEDS: Readonly<Record<string, readonly Permission[] | undefined>> = {
  new: EDIT,
  edit: EDIT,
  stewardship: ['curate'],
  ...Object.fromEntries(MODULE_VIEWS.map(({ name, needs }) => [name, needs])),
};

/** The views that administrators see without a permission in the collection. */
export const FOR_ADMINS = new Set(MODULE_VIEWS.flatMap(({ name, admins }) => (admins ? [name] : [])));

/** The name of the view of a collection or of administration that a URL shows; undefined if there is none. */
export function viewName(path: readonly string[]): string | undefined {
  const [first, second, third] = path;
  if (first === 'admin' && (second === undefined || ADMIN_SECTIONS.some(({ name }) => name === second)))
    return 'admin';
  if (first === undefined || second === undefined) return undefined;
  if (
    second === 'stewardship' &&
    third !== undefined &&
    !STEWARDSHIP_SECTIONS.some(({ name }) => name === third)
  )
    return undefined;
  return [`${second}/${third}`, second].find((name) => Object.hasOwn(VIEWS, name));
}

/** The views that the token may use, which are fetched before they are gone to. */
export function usualViews({ admin, collections }: Me): string[] {
  const permissions = Object.values(collections).flatMap((one) => one.permissions);
  const ofModules = MODULE_VIEWS.filter(({ isUsual, needs }) => isUsual && suffices(permissions, needs));
  return [
    ...(permissions.length > 0 ? ['browse', 'record'] : []),
    ...(permissions.includes('write_zone') ? ['new'] : []),
    ...(permissions.includes('curate') ? ['edit'] : []),
    ...ofModules.map(({ name }) => name),
    ...(admin ? ['admin'] : []),
  ];
}

function viewsByName(views: readonly View[]): Views {
  return Object.fromEntries(views.map(({ name, view }) => [name, view]));
}
