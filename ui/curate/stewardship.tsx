/** Stewardship of a collection: duplicates, missing records, faults, renames and merges, history, settings. */
import type { ComponentType } from 'preact';
import { Publish } from '../collection/publish.tsx';
import { Webhooks } from '../collection/webhooks.tsx';
import { useContext, type ViewProps } from '../shared/context.ts';
import { place, urlOf } from '../shared/router.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { Activity } from './activity.tsx';
import { Dangling } from './dangling.tsx';
import { Duplicates } from './duplicates.tsx';
import { Faults } from './faults.tsx';
import { Moves } from './moves.tsx';
import { CollectionSettings } from './settings.tsx';
import { tc } from './texts.ts';

const SECTIONS: Readonly<Record<Section, ComponentType<ViewProps>>> = {
  duplicates: Duplicates,
  dangling: Dangling,
  faults: Faults,
  moves: Moves,
  activity: Activity,
  settings: CollectionSettings,
  publish: Publish,
  webhooks: Webhooks,
};
const NAMES = [
  'duplicates',
  'dangling',
  'faults',
  'moves',
  'activity',
  'settings',
  'publish',
  'webhooks',
] as const;
type Section = (typeof NAMES)[number];

export function Stewardship({ collection }: ViewProps) {
  const section = NAMES.find((name) => name === place.value.path[2]) ?? 'duplicates';
  const links = NAMES.map((name) => (
    <li key={name}>
      <a
        class="item"
        href={urlOf([collection, 'stewardship', name])}
        aria-current={name === section ? 'page' : undefined}
      >
        {tc(name)}
      </a>
    </li>
  ));
  useContext(
    <section aria-labelledby="stewardship-sections">
      <h2 id="stewardship-sections">{tc('sections')}</h2>
      <ul>
        {links}
        <li>
          <a class="item" href={urlOf([collection, 'schema'])}>
            {tc('schema')}
          </a>
        </li>
      </ul>
    </section>,
    `${collection} ${section}`,
  );
  const View = SECTIONS[section];
  return (
    <Sheets>
      <MainSheet
        title={tc(section)}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          { text: tc('sections'), href: urlOf([collection, 'stewardship']) },
        ]}
      >
        <div class="page wide">
          <View key={section} collection={collection} />
        </div>
      </MainSheet>
    </Sheets>
  );
}
