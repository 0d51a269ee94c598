/** Settings by administrators for one collection at a time: the collections, and the view of the chosen one. */
import type { ComponentType } from 'preact';
import type { ViewProps } from '../shared/context.ts';
import { Empty } from '../shared/notes.tsx';
import { urlOf } from '../shared/router.ts';
import { t } from '../texts/texts.ts';

export function OfCollection(props: {
  section: string;
  names: readonly string[];
  chosen: string | undefined;
  View: ComponentType<ViewProps>;
}) {
  const { section, names, chosen, View } = props;
  const name = names.find((one) => one === chosen) ?? names[0];
  if (name === undefined) return <Empty title={t('collections.none')} />;
  return (
    <>
      <nav class="seg wrap" aria-label={t('admin.collections')}>
        {names.map((one) => (
          <a key={one} href={urlOf(['admin', section, one])} aria-current={one === name ? 'page' : undefined}>
            <bdi>{one}</bdi>
          </a>
        ))}
      </nav>
      <View key={name} collection={name} />
    </>
  );
}
