/** The rail: the same entries in every view, the context of the view below, and who is signed in. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { RailCount, RailEntry } from '../module.ts';
import { RAIL, viewsBelow } from '../modules.ts';
import { currentCollection, drawer, lastCollection } from '../shared/context.ts';
import { Brand, Icon, type IconName } from '../shared/icons.tsx';
import { useLayer } from '../shared/keys.ts';
import { NewMark } from '../shared/marks.tsx';
import { place, signInUrl, urlOf } from '../shared/router.ts';
import { may, type Permission, session } from '../shared/session.ts';
import { count } from '../shared/time.ts';
import { collectionFor } from '../shared/view-access.ts';
import { keyNames, t } from '../texts/texts.ts';
import { openAccount, signOut } from './account-dialog.tsx';
import { openKeys } from './keys-dialog.tsx';
import { openSearch } from './search-dialog.tsx';

type Entry = {
  key: string;
  icon: IconName;
  text: string;
  href: string;
  count?: RailCount | undefined;
};

function entries(): Entry[] {
  const collection = currentCollection();
  const inCollection = (name: string, needs?: readonly Permission[]): string | undefined => {
    const chosen = collectionFor(session.me.value?.collections ?? {}, collection, needs);
    return chosen === undefined ? undefined : urlOf([chosen, name]);
  };
  const ofModules = (after: RailEntry['after']): Entry[] =>
    RAIL.filter(({ rail }) => rail.after === after).flatMap(({ name, needs, rail }) => {
      const href = session.isGuest.value && !needs ? undefined : inCollection(name, needs);
      return href ? [{ key: name, icon: rail.icon, text: rail.title(), href, count: rail.count?.() }] : [];
    });
  const list: Entry[] = [{ key: 'home', icon: 'home', text: t('rail.home'), href: urlOf([]) }];
  if (collection)
    list.push({ key: 'browse', icon: 'browse', text: t('rail.browse'), href: urlOf([collection, 'browse']) });
  list.push(...ofModules('browse'));
  const stewardship = inCollection('stewardship', ['curate']);
  if (stewardship)
    list.push({ key: 'stewardship', icon: 'mend', text: t('rail.stewardship'), href: stewardship });
  list.push(...ofModules('stewardship'), ...ofModules(undefined));
  if (session.me.value?.admin)
    list.push({ key: 'admin', icon: 'sliders', text: t('rail.admin'), href: urlOf(['admin', 'health']) });
  return list;
}

/** The entry that is marked in a view, by the second part of its URL. */
const SECTION: Readonly<Record<string, string>> = {
  browse: 'browse',
  record: 'browse',
  new: 'browse',
  edit: 'browse',
  stewardship: 'stewardship',
  ...Object.fromEntries(
    RAIL.flatMap(({ name, rail: { covers = [] } }) => covers.map((view) => [view, name])),
  ),
  ...Object.fromEntries(viewsBelow('collection').map(({ name, entry = name }) => [name, entry])),
};

function currentEntry(): string {
  const [first, second] = place.value.path;
  if (first === undefined) return 'home';
  if (first === 'admin') return 'admin';
  if (second === 'schema' && session.me.value?.admin) return 'admin';
  // Without the permission to curate, who edits a record corrects a submission.
  const view = second === 'edit' && !may(first, 'curate') ? 'new' : second;
  return SECTION[view ?? ''] ?? '';
}

function RailContent({ context }: { context: ComponentChildren }) {
  const { me, isGuest, isOver } = session;
  const user = me.value?.user_id;
  return (
    <>
      <a class="brand" href={urlOf([])}>
        <Brand />
        Accession
      </a>
      <button type="button" class="find" onClick={openSearch}>
        <Icon name="search" />
        {t('rail.search')}
        <kbd>{keyNames('Ctrl K')}</kbd>
      </button>
      <ul class="nav">
        {entries().map(({ key, icon, text, href, count: { n = 0, mayBeMore, title, isNew } = {} }) => (
          <li key={key}>
            <a class="item" href={href} aria-current={currentEntry() === key ? 'page' : undefined}>
              <Icon name={icon} />
              {text}
              {isNew && <NewMark />}
              {n > 0 && (
                <span class="n call">
                  {count(n)}
                  {mayBeMore && '+'}
                  <span class="vh"> {title}</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
      <div class="context">{context}</div>
      <div class="who">
        {isGuest.value || isOver.value ? (
          <>
            <a class="btn primary wide" href={signInUrl()}>
              {t('signIn.action')}
            </a>
            {isOver.value && (
              <button
                type="button"
                class="icon"
                aria-label={t('account.signOut')}
                title={t('account.signOut')}
                onClick={signOut}
              >
                <Icon name="leave" />
              </button>
            )}
          </>
        ) : (
          <button type="button" class="person" onClick={openAccount}>
            <span class="face" aria-hidden="true">
              {(user ?? '?').charAt(0).toUpperCase()}
            </span>
            <span class="name">
              <b class="vh">{t('rail.account')} </b>
              {user ?? t('rail.administrator')}
              <span>{role()}</span>
            </span>
          </button>
        )}
        <button type="button" class="icon" aria-label={t('keys.open')} onClick={openKeys}>
          <Icon name="help" />
        </button>
      </div>
    </>
  );
}

function role(): string {
  const name = currentCollection();
  if (session.me.value?.admin && !name) return t('rail.administers');
  const permissions = name === undefined ? [] : (session.me.value?.collections[name]?.permissions ?? []);
  if (permissions.includes('curate')) return t('rail.curates', { name: name! });
  if (permissions.includes('write_zone')) return t('rail.submits', { name: name! });
  return name === undefined ? '' : t('rail.reads', { name });
}

export function Rail({ context }: { context: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { key, path } = place.value;
  useEffect(() => {
    drawer.value = false;
    if (path[0] !== undefined && path[0] in (session.me.value?.collections ?? {}))
      lastCollection.value = path[0];
  }, [key]);
  useEffect(() => {
    if (drawer.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [drawer.value]);
  const close = () => {
    drawer.value = false;
  };
  useLayer('dialog', { Escape: close }, drawer.value);
  return (
    <>
      <nav class="rail" aria-label={t('rail.label')}>
        <RailContent context={context} />
      </nav>
      <dialog
        class="drawer"
        ref={dialog}
        aria-label={t('rail.label')}
        onClose={close}
        onClick={(event) => event.target === dialog.current && close()}
      >
        {drawer.value && (
          <nav class="rail-inner" aria-label={t('rail.label')}>
            <RailContent context={context} />
          </nav>
        )}
      </dialog>
    </>
  );
}
