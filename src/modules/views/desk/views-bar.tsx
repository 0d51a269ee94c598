/** Links to the saved views of a class, above its table. */
import type { BrowseBarProps } from '../../../../ui/module.ts';
import { place } from '../../../../ui/shared/router.ts';
import { urlOfView, useSavedViews } from './saved.ts';
import { tv } from './texts.ts';

export function ViewsBar({ collection, className }: BrowseBarProps) {
  const { own, common } = useSavedViews(collection, className);
  const entries = [...Object.entries(common), ...Object.entries(own)];
  if (entries.length === 0) return null;
  const shown = new URLSearchParams(place.value.query);
  shown.delete('preview');
  return (
    <nav class="seg views" aria-label={tv('label')}>
      {entries.map(([name, query], index) => (
        <a
          key={`${index} ${name}`}
          href={urlOfView(collection, className, query)}
          aria-current={query === shown.toString() ? 'page' : undefined}
        >
          <bdi>{name}</bdi>
        </a>
      ))}
    </nav>
  );
}
