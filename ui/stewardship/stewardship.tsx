/** Stewardship of a collection: duplicates, missing records, faults, renames and merges, history, settings. */
import type { ComponentType } from 'preact';
import { Dangling } from '../../src/modules/curate/desk/dangling.tsx';
import { Duplicates } from '../../src/modules/curate/desk/duplicates.tsx';
import { Faults } from '../../src/modules/curate/desk/faults.tsx';
import { Moves } from '../../src/modules/curate/desk/moves.tsx';
import { tc } from '../../src/modules/curate/desk/texts.ts';
import { viewOf } from '../frame/section-view.tsx';
import { sectionsIn } from '../modules.ts';
import { useContext, type ViewProps } from '../shared/context.ts';
import { place, urlOf } from '../shared/router.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { useLinkedViews } from '../shared/view-links.tsx';
import { Activity } from './activity.tsx';
import { CollectionSettings } from './settings.tsx';

const SECTIONS: readonly { name: string; title(): string; View: ComponentType<ViewProps> }[] = [
  ...(
    [
      ['duplicates', Duplicates],
      ['dangling', Dangling],
      ['faults', Faults],
      ['moves', Moves],
      ['activity', Activity],
      ['settings', CollectionSettings],
    ] as const
  ).map(([name, View]) => ({ name, title: () => tc(name), View })),
  ...sectionsIn('stewardship').map((section) => ({ ...section, View: viewOf(section) })),
];

export function Stewardship({ collection }: ViewProps) {
  const section = SECTIONS.find(({ name }) => name === place.value.path[2]) ?? SECTIONS[0]!;
  const links = SECTIONS.map(({ name, title }) => (
    <li key={name}>
      <a
        class="item"
        href={urlOf([collection, 'stewardship', name])}
        aria-current={name === section.name ? 'page' : undefined}
      >
        {title()}
      </a>
    </li>
  ));
  const views = useLinkedViews('stewardship', collection);
  useContext(
    <section aria-labelledby="stewardship-sections">
      <h2 id="stewardship-sections">{tc('sections')}</h2>
      <ul>
        {links}
        {views.map(({ name, link }) => (
          <li key={name}>
            <a class="item" href={urlOf([collection, name])}>
              {link.title()}
            </a>
          </li>
        ))}
      </ul>
    </section>,
    `${collection} ${section.name}`,
  );
  const { name, title, View } = section;
  return (
    <Sheets>
      <MainSheet
        title={title()}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          { text: tc('sections'), href: urlOf([collection, 'stewardship']) },
        ]}
      >
        <div class="page wide">
          <View key={name} collection={collection} />
        </div>
      </MainSheet>
    </Sheets>
  );
}
