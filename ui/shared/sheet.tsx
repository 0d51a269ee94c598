/** Sheets: a bar with path and actions, tools, one scroll region, a foot. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { drawer } from './context.ts';
import { Icon } from './icons.tsx';
import { formerScroll, place } from './router.ts';

type Crumb = { readonly text: string; readonly href?: string };

export function Sheets({
  second,
  children,
}: {
  second?: 'two' | 'side' | undefined;
  children: ComponentChildren;
}) {
  return <div class={second ? `sheets ${second}` : 'sheets'}>{children}</div>;
}

/** The main sheet. Its title gets the focus when the view is entered. */
export function MainSheet(props: {
  title: string;
  crumbs?: readonly Crumb[];
  /** The title of the page is in the content, not in the bar. */
  headed?: boolean;
  aside?: ComponentChildren;
  actions?: ComponentChildren;
  tools?: ComponentChildren;
  /** What limits the content, below the tools: it does not scroll away. */
  filters?: ComponentChildren;
  /** What is at the left of the content and scrolls by itself; null as long as it is folded. */
  beside?: ComponentChildren;
  foot?: ComponentChildren;
  label?: string;
  children: ComponentChildren;
}) {
  const {
    title,
    crumbs = [],
    headed = false,
    aside,
    actions,
    tools,
    filters,
    beside,
    foot,
    children,
  } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const { path } = place.value;
  const view = path.join('/');
  useEffect(() => {
    document.title = `${title} · Accession`;
  }, [title]);
  useLayoutEffect(() => {
    if (scroll.current) scroll.current.scrollTop = formerScroll(place.peek().key);
    if (
      !document.activeElement ||
      document.activeElement === document.body ||
      !document.activeElement.closest('main')
    ) {
      (heading.current ?? document.querySelector<HTMLElement>('main h1'))?.focus({ preventScroll: true });
    }
  }, [view]);
  const name = <bdi title={title}>{title}</bdi>;
  const content = (
    <div
      class="scroll"
      data-main-scroll
      tabIndex={0}
      role="region"
      aria-label={props.label ?? title}
      ref={scroll}
    >
      {children}
    </div>
  );
  return (
    <main class="sheet" id="main">
      <header class="bar">
        <button
          type="button"
          class="icon menu"
          aria-label={t('rail.menu')}
          onClick={() => {
            drawer.value = true;
          }}
        >
          <Icon name="menu" />
        </button>
        <nav class="crumbs" aria-label={t('rail.path')}>
          {crumbs.map(({ text, href }) => (
            <>
              {href ? <a href={href}>{text}</a> : <span>{text}</span>}
              <span class="sep" aria-hidden="true">
                /
              </span>
            </>
          ))}
          {headed ? (
            <span class="here">
              {name}
              {aside}
            </span>
          ) : (
            <h1 class="here" tabIndex={-1} ref={heading}>
              {name}
              {aside}
            </h1>
          )}
        </nav>
        <span class="push" />
        {actions}
      </header>
      {tools && <div class="tools">{tools}</div>}
      {filters}
      {beside === undefined ? (
        content
      ) : (
        <div class="beside">
          {beside}
          {content}
        </div>
      )}
      {foot}
    </main>
  );
}

export function SideSheet({
  label,
  bar,
  children,
  foot,
}: {
  label: string;
  bar?: ComponentChildren;
  children: ComponentChildren;
  foot?: ComponentChildren;
}) {
  return (
    <aside class="sheet aside" aria-label={label}>
      {bar && <div class="bar">{bar}</div>}
      <div class="scroll" tabIndex={0} role="region" aria-label={label}>
        {children}
      </div>
      {foot}
    </aside>
  );
}

/** The large title of a record, with its class and what is known of it. */
export function Heading({
  tile,
  title,
  children,
}: {
  tile: ComponentChildren;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="title">
      {tile}
      <div>
        <h1 tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        <div class="ids">{children}</div>
      </div>
    </div>
  );
}
