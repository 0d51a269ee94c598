/** Stewardship of a collection: the sections of modules, the history of its records, its settings. */
import type { ComponentType } from 'preact';
import { viewOf } from '../frame/section-view.tsx';
import { sectionsIn } from '../modules.ts';
import type { ViewProps } from '../shared/context.ts';
import { place, urlOf } from '../shared/router.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { t } from '../texts/texts.ts';
import { Activity } from './activity.tsx';
import { StewardshipTabs, usePageLinks, useStewardshipList } from './list.tsx';
import { STEWARDSHIP_SECTIONS } from './sections.ts';
import { CollectionSettings } from './settings.tsx';

const VIEWS: Readonly<Record<string, ComponentType<ViewProps>>> = {
  ...Object.fromEntries(sectionsIn('stewardship').map((section) => [section.name, viewOf(section)])),
  activity: Activity,
  settings: CollectionSettings,
};

export function Stewardship({ collection }: ViewProps) {
  const name = place.value.path[2] ?? STEWARDSHIP_SECTIONS[0]!.name;
  const View = VIEWS[name]!;
  const links = usePageLinks(collection);
  useStewardshipList(collection, name);
  return (
    <Sheets>
      <MainSheet
        title={links.find((link) => link.name === name)!.title}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          { text: t('rail.stewardship'), href: urlOf([collection, 'stewardship']) },
        ]}
      >
        <div class="page wide">
          <StewardshipTabs collection={collection} current={name} />
          <View key={name} collection={collection} />
        </div>
      </MainSheet>
    </Sheets>
  );
}
