/** Stewardship of a collection: the sections of modules, the history of its records, its settings. */
import type { ComponentType } from 'preact';
import { viewOf } from '../frame/section-view.tsx';
import { sectionsIn } from '../modules.ts';
import { useContext, type ViewProps } from '../shared/context.ts';
import { place, urlOf } from '../shared/router.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { useLinkedViews } from '../shared/view-links.tsx';
import { t } from '../texts/texts.ts';
import { Activity } from './activity.tsx';
import { OWN_SECTIONS } from './sections.ts';
import { CollectionSettings } from './settings.tsx';
import { tst } from './texts.ts';

const OWN_VIEWS = { activity: Activity, settings: CollectionSettings };
const SECTIONS: readonly { name: string; title(): string; View: ComponentType<ViewProps> }[] = [
  ...sectionsIn('stewardship').map((section) => ({ ...section, View: viewOf(section) })),
  ...OWN_SECTIONS.map((name) => ({ name, title: () => tst(name), View: OWN_VIEWS[name] })),
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
      <h2 id="stewardship-sections">{t('rail.stewardship')}</h2>
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
          { text: t('rail.stewardship'), href: urlOf([collection, 'stewardship']) },
        ]}
      >
        <div class="page wide">
          <View key={name} collection={collection} />
        </div>
      </MainSheet>
    </Sheets>
  );
}
