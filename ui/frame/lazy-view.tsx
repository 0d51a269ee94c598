/** Views below a collection, each in a separate chunk that is fetched when it is first gone to, or when the browser is idle. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { askAgain, returned } from '../shared/connection.ts';
import type { ViewProps } from '../shared/context.ts';
import { Bones, Empty } from '../shared/notes.tsx';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { t } from '../texts/texts.ts';

type View = ComponentType<ViewProps>;
export type Views = Readonly<Record<string, () => Promise<View>>>;

const loaded = new Map<string, View>();

async function load(views: Views, name: string): Promise<void> {
  const view = await views[name]?.();
  if (view) loaded.set(name, view);
}

/** Fetches views before they are gone to. What cannot be fetched now is fetched then. */
export function fetchWhenIdle(views: Views, names: readonly string[]): void {
  const later = (work: () => void) =>
    'requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work, 2000);
  later(() => {
    for (const name of names) load(views, name).catch(() => {});
  });
}

/**
 * Fetches a chunk; while the service is away, again when it has returned.
 *
 * @throws if the service responds and has no such chunk: it is of another release
 */
async function fetchView(views: Views, name: string): Promise<'there' | 'away'> {
  try {
    await load(views, name);
  } catch {
    if (!(await askAgain())) return 'away';
    await load(views, name);
  }
  return 'there';
}

export function LazyView({ views, name, collection }: { views: Views; name: string; collection: string }) {
  const [, redraw] = useState(0);
  const [outdated, setOutdated] = useState(false);
  useEffect(() => {
    if (loaded.has(name)) return undefined;
    let current = true;
    fetchView(views, name).then(
      () => current && redraw((n) => n + 1),
      () => current && setOutdated(true),
    );
    return () => {
      current = false;
    };
  }, [name, returned.value]);
  const View = loaded.get(name);
  if (View) return <View key={`${name}/${collection}`} collection={collection} />;
  return (
    <Sheets>
      <MainSheet title={outdated ? t('outdated.title') : 'Accession'}>
        {outdated ? (
          <div class="page narrow">
            <Empty title={t('outdated.title')}>
              <p>{t('outdated.help')}</p>
              <p class="btns">
                <button type="button" class="btn primary" onClick={() => location.reload()}>
                  {t('outdated.reload')}
                </button>
              </p>
            </Empty>
          </div>
        ) : (
          <div aria-busy="true">
            <Bones rows={12} />
          </div>
        )}
      </MainSheet>
    </Sheets>
  );
}
