/** Views below a collection, each in a separate file that is fetched when it is first gone to, or when the browser is idle. */
import type { ComponentType } from 'preact';
import type { ViewProps } from '../shared/context.ts';
import { fetchAhead, useFetched } from '../shared/fetched.ts';
import { Bones, ErrorNote } from '../shared/notes.tsx';
import { MainSheet, Sheets } from '../shared/sheet.tsx';

export type Views = Readonly<Record<string, () => Promise<ComponentType<ViewProps>>>>;

/** Fetches views before they are gone to. */
export function fetchWhenIdle(views: Views, names: readonly string[]): void {
  const later = (work: () => void) =>
    'requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work, 2000);
  later(() => {
    for (const name of names) fetchAhead(views[name]!);
  });
}

export function LazyView({ views, name, collection }: { views: Views; name: string; collection: string }) {
  const { part: View, error, reload } = useFetched(name, views[name]!);
  if (View) return <View key={`${name}/${collection}`} collection={collection} />;
  return (
    <Sheets>
      <MainSheet title="Accession">
        {error ? (
          <div class="page">
            <ErrorNote error={error} retry={reload} />
          </div>
        ) : (
          <Bones rows={12} />
        )}
      </MainSheet>
    </Sheets>
  );
}
