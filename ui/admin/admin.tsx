/** Administration: health, collections, tokens, the history of the configuration. */

import type { ComponentType } from 'preact';
import { viewOf } from '../frame/section-view.tsx';
import { sectionsIn } from '../modules.ts';
import { useContext, type ViewProps } from '../shared/context.ts';
import { useLoad } from '../shared/load.ts';
import { Loading } from '../shared/notes.tsx';
import { place, urlOf } from '../shared/router.ts';
import { written } from '../shared/schema.ts';
import { service } from '../shared/service.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { t } from '../texts/texts.ts';
import { AdministratorTokens } from './admin-tokens.tsx';
import { AdminCollections } from './collections.tsx';
import { AdminHistory } from './configuration-history.tsx';
import type { Collection, Token } from './elements.ts';
import { AdminHealth } from './health.tsx';
import { OfCollection } from './of-collection.tsx';
import { ADMIN_SECTIONS } from './sections.ts';
import { AdminTokens } from './tokens.tsx';

/** Sections that are about one collection at a time. */
const OF_COLLECTION: Readonly<Record<string, ComponentType<ViewProps>>> = {
  ...Object.fromEntries(sectionsIn('admin').map((section) => [section.name, viewOf(section)])),
};

export function Admin() {
  const { path } = place.value;
  const { name: section, title } = ADMIN_SECTIONS.find(({ name }) => name === path[1]) ?? ADMIN_SECTIONS[0]!;
  const View = OF_COLLECTION[section];
  const { value, error, reload } = useLoad(
    `admin`,
    async (signal) => {
      const { configuration } = service({ signal });
      const [collections, tokens] = await Promise.all([
        configuration.list<Collection>('collections'),
        configuration.list<Token>('tokens'),
      ]);
      return { collections, tokens };
    },
    written.value,
  );
  const counts: Record<string, number | undefined> = {
    collections: value?.collections.length,
    tokens: value?.tokens.length,
  };
  useContext(
    <section aria-labelledby="rail-sections">
      <h2 id="rail-sections">{t('admin.sections')}</h2>
      <ul>
        {ADMIN_SECTIONS.map(({ name, title }) => (
          <li key={name}>
            <a
              class="item"
              href={urlOf(['admin', name])}
              aria-current={name === section ? 'page' : undefined}
            >
              {title()}
              <span class="n">{counts[name]}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>,
    `${section}/${JSON.stringify(counts)}`,
  );
  return (
    <Sheets>
      <MainSheet title={title()} crumbs={[{ text: t('rail.admin'), href: urlOf(['admin', 'health']) }]}>
        <div class="page wide">
          <nav class="seg only-small" aria-label={t('admin.sections')}>
            {ADMIN_SECTIONS.map(({ name, title }) => (
              <a
                key={name}
                href={urlOf(['admin', name])}
                aria-current={name === section ? 'page' : undefined}
              >
                {title()}
              </a>
            ))}
          </nav>
          {(error || !value) && section !== 'configuration' && <Loading error={error} retry={reload} />}
          {value && section === 'health' && (
            <AdminHealth collections={value.collections.map(({ name }) => name)} />
          )}
          {value && section === 'collections' && (
            <AdminCollections collections={value.collections} tokens={value.tokens} chosen={path[2]} />
          )}
          {value && View && (
            <OfCollection
              section={section}
              names={value.collections.map(({ name }) => name)}
              chosen={path[2]}
              View={View}
            />
          )}
          {value && section === 'tokens' && (
            <>
              <AdminTokens collections={value.collections} tokens={value.tokens} />
              <AdministratorTokens />
            </>
          )}
          {section === 'configuration' && <AdminHistory />}
        </div>
      </MainSheet>
    </Sheets>
  );
}
