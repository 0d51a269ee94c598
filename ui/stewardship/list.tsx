/** The list of the pages of stewardship in the rail, and of the views of modules that belong to it. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useContext as useRail } from '../shared/context.ts';
import { urlOf } from '../shared/router.ts';
import { may } from '../shared/session.ts';
import { useLinkedViews } from '../shared/view-links.tsx';
import { t } from '../texts/texts.ts';

export type StewardshipPage = { readonly name: string; title(): string };
type PageLink = { readonly name: string; readonly title: string; readonly href: string };

/** The pages, for views of modules, too. */
export const StewardshipPages = createContext<readonly StewardshipPage[]>([]);

/** Links to all of them. */
export function usePageLinks(collection: string): readonly PageLink[] {
  const pages = useContext(StewardshipPages);
  const views = useLinkedViews('stewardship', collection);
  return [
    ...pages.map(({ name, title }) => ({
      name,
      title: title(),
      href: urlOf([collection, 'stewardship', name]),
    })),
    ...views.map(({ name, link }) => ({ name, title: link.title(), href: urlOf([collection, name]) })),
  ];
}

/** The list on a phone, where the rail is in a drawer. @param current the name of the page or view on the screen */
export function StewardshipTabs({ collection, current }: { collection: string; current: string }) {
  const links = usePageLinks(collection);
  return (
    <nav class="seg only-small" aria-label={t('rail.stewardship')}>
      {links.map(({ name, title, href }) => (
        <a key={name} href={href} aria-current={name === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}

/** Shows the list in the rail to those who may open its pages. @param current the name of the page or view on the screen */
export function useStewardshipList(collection: string, current: string): void {
  const links = usePageLinks(collection);
  useRail(
    may(collection, 'curate') && (
      <section aria-labelledby="stewardship-sections">
        <h2 id="stewardship-sections">{t('rail.stewardship')}</h2>
        <ul>
          {links.map(({ name, title, href }) => (
            <li key={name}>
              <a class="item" href={href} aria-current={name === current ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </section>
    ),
    `${collection} ${current}`,
  );
}
