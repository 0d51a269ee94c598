/** The pages of a collection for crawlers (sitemaps.org, protocol 0.9). */
import { escapeMarkup } from '../../core/formats/html.ts';

/** The most pages that a sitemap may have. */
export const PAGES_OF_SITEMAP = 50_000;

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** A page or a sitemap, and when it changed. */
export type SitemapEntry = { readonly url: string; readonly modified?: string };

/** A sitemap: of pages as `urlset`, of other sitemaps as `sitemapindex`. */
export async function* sitemap(
  kind: 'urlset' | 'sitemapindex',
  entries: AsyncIterable<SitemapEntry>,
): AsyncGenerator<string> {
  const element = kind === 'urlset' ? 'url' : 'sitemap';
  yield `${XML}<${kind} xmlns="${NAMESPACE}">`;
  for await (const { url, modified } of entries) {
    const time = modified === undefined ? '' : `<lastmod>${escapeMarkup(modified)}</lastmod>`;
    yield `<${element}><loc>${escapeMarkup(url)}</loc>${time}</${element}>`;
  }
  yield `</${kind}>`;
}
