/** The modules of the desk: the one list. */
import { cite } from '../src/modules/cite/desk/module.ts';
import { curate } from '../src/modules/curate/desk/module.ts';
import { invitations } from '../src/modules/invitations/desk/module.ts';
import { migrate } from '../src/modules/migrate/desk/module.ts';
import { notify } from '../src/modules/notify/desk/module.ts';
import { overview } from '../src/modules/overview/desk/module.ts';
import { publish } from '../src/modules/publish/desk/module.ts';
import { releases } from '../src/modules/releases/desk/module.ts';
import { review } from '../src/modules/review/desk/module.ts';
import { share } from '../src/modules/share/desk/module.ts';
import { signIn } from '../src/modules/sign-in/desk/module.ts';
import { tables } from '../src/modules/tables/desk/module.ts';
import { views } from '../src/modules/views/desk/module.ts';
import { vocabularies } from '../src/modules/vocabularies/desk/module.ts';
import { webhooks } from '../src/modules/webhooks/desk/module.ts';
import type { DeskModule, Section, View } from './module.ts';

export const MODULES: readonly DeskModule[] = [
  cite,
  curate,
  invitations,
  migrate,
  notify,
  overview,
  publish,
  releases,
  review,
  share,
  signIn,
  tables,
  views,
  vocabularies,
  webhooks,
];

/** The sections that modules add to a view. */
export function sectionsIn(place: Section['places'][number]): readonly Section[] {
  return MODULES.flatMap(({ sections = [] }) => sections).filter(({ places }) => places.includes(place));
}

/** The views that modules add, below each collection or below the desk. */
export function viewsBelow(part: View['below']): readonly View[] {
  return MODULES.flatMap(({ views = [] }) => views).filter(({ below }) => below === part);
}

/** The view of a module for the last parts of a URL below a collection: of both, or of the first alone. */
export function moduleView(name = '', part = ''): View | undefined {
  const views = viewsBelow('collection');
  return views.find((view) => view.name === `${name}/${part}`) ?? views.find((view) => view.name === name);
}

/** The formats of exports that modules add. */
export const EXPORT_FORMATS = MODULES.flatMap(({ exportFormats = [] }) => exportFormats);

/** The views with an entry in the rail. */
export const RAIL = viewsBelow('collection').flatMap(({ rail, ...view }) =>
  rail ? [{ ...view, rail }] : [],
);

export const BROWSE_TOOLS = MODULES.flatMap(({ browseTools = [] }) => browseTools);

/** Draws how many records have a value of a slot in each range. */
export const RANGE_CHART = MODULES.find(({ rangeChart }) => rangeChart)?.rangeChart;

/** Rehearses another schema before a collection is saved with it. */
export const REHEARSE = MODULES.find(({ rehearse }) => rehearse)?.rehearse;

/** The controls for values in forms that modules have. */
export const CONTROLS = MODULES.flatMap(({ controls = [] }) => controls);

/** What the desk does for people who sign in with an identity. */
export const PEOPLE = MODULES.find(({ people }) => people)?.people;

/** Where the module of submissions shows them. */
export const SUBMISSIONS = MODULES.find(({ submissions }) => submissions)?.submissions;
