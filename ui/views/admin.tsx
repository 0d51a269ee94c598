/** Administration: health, collections, tokens, the history of the configuration. */

import type { Collection, Token } from '../base/admin.ts';
import { useLoad } from '../base/load.ts';
import { place, urlOf } from '../base/router.ts';
import { written } from '../base/schema.ts';
import { service } from '../base/service.ts';
import { AdminCollections } from '../parts/admin-collections.tsx';
import { AdminHealth } from '../parts/admin-health.tsx';
import { AdminHistory } from '../parts/admin-history.tsx';
import { AdminTokens } from '../parts/admin-tokens.tsx';
import { useContext } from '../parts/context.ts';
import { Bones, ErrorNote } from '../parts/notes.tsx';
import { MainSheet, Sheets } from '../parts/sheet.tsx';
import { t } from '../texts/texts.ts';

const SECTIONS = ['health', 'collections', 'tokens', 'configuration'] as const;

export function Admin() {
  const { path } = place.value;
  const section = SECTIONS.find((name) => name === path[1]) ?? 'health';
  const { value, error, reload } = useLoad(`admin/${written.value}`, async (signal) => {
    const { configuration } = service({ signal });
    const [collections, tokens, history] = await Promise.all([
      configuration.list<Collection>('collections'),
      configuration.list<Token>('tokens'),
      configuration.history().then((entries) => entries.toReversed()),
    ]);
    return { collections, tokens, history };
  });
  const counts: Record<string, number | undefined> = {
    collections: value?.collections.length,
    tokens: value?.tokens.length,
    configuration: value?.history.length,
  };
  useContext(
    <section aria-labelledby="rail-sections">
      <h2 id="rail-sections">{t('admin.sections')}</h2>
      <ul>
        {SECTIONS.map((name) => (
          <li key={name}>
            <a
              class="item"
              href={urlOf(['admin', name])}
              aria-current={name === section ? 'page' : undefined}
            >
              {t(`admin.${name}`)}
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
      <MainSheet
        title={t(`admin.${section}`)}
        crumbs={[{ text: t('rail.admin'), href: urlOf(['admin', 'health']) }]}
      >
        <div class="page wide">
          <nav class="seg only-small" aria-label={t('admin.sections')}>
            {SECTIONS.map((name) => (
              <a
                key={name}
                href={urlOf(['admin', name])}
                aria-current={name === section ? 'page' : undefined}
              >
                {t(`admin.${name}`)}
              </a>
            ))}
          </nav>
          {error && <ErrorNote error={error} retry={reload} />}
          {!value && !error && <Bones />}
          {value && section === 'health' && (
            <AdminHealth collections={value.collections.map(({ name }) => name)} />
          )}
          {value && section === 'collections' && (
            <AdminCollections collections={value.collections} tokens={value.tokens} chosen={path[2]} />
          )}
          {value && section === 'tokens' && (
            <AdminTokens collections={value.collections} tokens={value.tokens} />
          )}
          {value && section === 'configuration' && <AdminHistory entries={value.history} />}
        </div>
      </MainSheet>
    </Sheets>
  );
}
