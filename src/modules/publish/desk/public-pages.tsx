/** What everybody finds on the web of a public collection; before it is one, only where that will be. */
import type { PanelProps } from '../../../../ui/module.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { SERVICE } from '../../../../ui/shared/router.ts';
import { readsCurated, visitorIn } from '../../../../ui/shared/visitor.ts';
import { tp } from './texts.ts';

/** Below the URL of the collection. */
const PAGES = [
  ['sitemap', 'sitemap.xml'],
  ['catalog', 'catalog'],
  ['oai', 'oai?verb=Identify'],
  ['changes', 'changes'],
] as const;

export function PublicPages({ collection }: PanelProps) {
  const { value: visitor } = useLoad(collection, (signal) => visitorIn(collection, signal));
  const own = new URL(`-/${encodeURIComponent(collection)}/`, SERVICE).href;
  return (
    <section aria-labelledby="public-pages">
      <h3 id="public-pages">{tp('pages')}</h3>
      <ul class="stack-s small addresses">
        <li>
          {tp('example')}: <span class="mono">{own}resource/…</span>
        </li>
        {PAGES.map(([page, below]) => (
          <li key={page}>
            {tp(page)}:{' '}
            {readsCurated(visitor) ? (
              <a class="mono" href={own + below} target="_blank" rel="noopener">
                {own + below}
              </a>
            ) : (
              <span class="mono">{own + below}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
