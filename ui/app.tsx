/** The frame: which view is on the screen, the rail, dialogs and the toast. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ClientError } from '../src/client/client.ts';
import { Controls } from './form/controls.ts';
import { AccountPlace, signOut } from './frame/account-dialog.tsx';
import { AwayBar } from './frame/away-bar.tsx';
import { Boundary } from './frame/boundary.tsx';
import { keepDesk } from './frame/keep-desk.ts';
import { KeysPlace, openKeys } from './frame/keys-dialog.tsx';
import { LateBar } from './frame/late-bar.tsx';
import { fetchWhenIdle, LazyView } from './frame/lazy-view.tsx';
import { PARTS } from './frame/people.tsx';
import { Rail } from './frame/rail.tsx';
import { openSearch, SearchPlace } from './frame/search-dialog.tsx';
import { PANELS } from './frame/section-view.tsx';
import { switchTheme } from './frame/theme.ts';
import { Tour } from './frame/tour.tsx';
import { Home } from './home/home.tsx';
import { NotFound } from './home/not-found.tsx';
import { SampleNote } from './home/sample-note.tsx';
import { SignIn } from './home/sign-in.tsx';
import { CONTROLS, MODULES, RAIL, SUBMISSIONS } from './modules.ts';
import { DESK_VIEWS, FOR_ADMINS, MODULE_VIEWS, NEEDS, usualViews, VIEWS, viewName } from './routes.ts';
import { away, returned } from './shared/connection.ts';
import { context, currentCollection } from './shared/context.ts';
import { useKeys } from './shared/keys.ts';
import { FOLLOW_MS, useRepeated } from './shared/load.ts';
import { Bones, ErrorNote } from './shared/notes.tsx';
import { ModulePanels } from './shared/panels.tsx';
import { People, usePerson } from './shared/people.ts';
import { go, place, signInUrl, urlOf } from './shared/router.ts';
import { written } from './shared/schema.ts';
import { service } from './shared/service.ts';
import { NO_RIGHTS, session } from './shared/session.ts';
import { Sheets } from './shared/sheet.tsx';
import { Submissions } from './shared/submission-urls.ts';
import { closeToast, ToastPlace, undoToast } from './shared/toast.tsx';
import { suffices } from './shared/view-access.ts';
import { ModuleViews } from './shared/view-links.tsx';
import { StewardshipPages } from './stewardship/list.tsx';
import { STEWARDSHIP_SECTIONS } from './stewardship/sections.ts';
import { t } from './texts/texts.ts';

function CurrentView() {
  const person = usePerson();
  const { path } = place.value;
  const [first] = path;
  const me = session.me.value;
  if (path.length === 1 && first === 'sign-in') return <SignIn />;
  if (path.length === 0) return session.isOver.value ? <NotFound /> : <Home />;
  if (path.length === 1 && Object.hasOwn(DESK_VIEWS, first!))
    return <LazyView views={DESK_VIEWS} name={first!} collection="" />;
  const name = viewName(path);
  if (!name || !me) return <NotFound />;
  if (name === 'admin')
    return me.admin ? <LazyView views={VIEWS} name={name} collection="" /> : <NotFound forbidden />;
  const permissions = me.collections[first!]?.permissions ?? [];
  if (!suffices(permissions, NEEDS[name]) && !(me.admin && FOR_ADMINS.has(name)))
    return permissions.length === 0 && person && me.collections[first!] ? (
      <person.NoAccess collection={first!} />
    ) : (
      <NotFound forbidden />
    );
  return <LazyView views={VIEWS} name={name} collection={first!} />;
}

export function App() {
  const [error, setError] = useState<ClientError>();
  const [round, setRound] = useState(0);
  const token = session.token.value;
  /** Whether `me` is what this device knows, not what the service has answered. */
  const isFromDevice = useRef(false);
  useEffect(() => {
    let current = true;
    service()
      .me()
      .then(
        (me) => {
          if (!current) return;
          setError(undefined);
          const isBack = isFromDevice.current && away.peek() === undefined;
          isFromDevice.current = away.peek() !== undefined;
          // Words that are being typed stay; without a token, their user signs in to send them.
          if (isBack && token === undefined) session.refused.value = true;
          else session.me.value = me;
        },
        (problem: ClientError) => {
          if (!current) return;
          if (problem.status === 401) session.me.value = NO_RIGHTS;
          else setError(problem);
        },
      );
    return () => {
      current = false;
    };
  }, [token, round, returned.value]);
  const collection = currentCollection();
  const me = session.me.value;
  useEffect(() => {
    countForRail(collection);
  }, [collection, me, written.value]);
  useRepeated(() => countForRail(currentCollection()), FOLLOW_MS);
  useEffect(() => {
    if (!me) return;
    const views = usualViews(me);
    fetchWhenIdle(VIEWS, views);
    if (views.includes('new') || views.includes('edit')) keepDesk();
  }, [me === undefined]);
  const to = (name: string) => () => collection && go(urlOf([collection, name]));
  useKeys({
    'ctrl+k': openSearch,
    '?': openKeys,
    'g h': () => go(urlOf([])),
    'g b': to('browse'),
    ...Object.fromEntries(RAIL.flatMap(({ name, rail: { key } }) => (key ? [[`g ${key}`, to(name)]] : []))),
    'g d': to('stewardship'),
    'g a': () => go(urlOf(['admin', 'health'])),
    t: switchTheme,
    u: undoToast,
    Escape: () => (document.querySelector('.toast') ? closeToast() : false),
  });
  if (error && !me)
    return (
      <div class="alone">
        <ErrorNote error={error} retry={() => setRound(round + 1)} />
      </div>
    );
  if (!me) return <Waiting />;
  return (
    <Providers>
      <a class="skip" href="#main" onClick={skip}>
        {t('rail.skip')}
      </a>
      <div class="shell">
        <Rail context={context.value} />
        <div class="view">
          <div class="banners">
            <AwayBar />
            <LateBar />
            {session.refused.value && <SignedOut />}
            <SampleNote />
            <Tour />
          </div>
          <Boundary>
            <CurrentView />
          </Boundary>
          <ToastPlace />
        </div>
      </div>
      <SearchPlace />
      <KeysPlace />
      <AccountPlace />
    </Providers>
  );
}

/** Reads again what entries of modules count. */
async function countForRail(collection: string | undefined): Promise<void> {
  await Promise.all(MODULES.map(({ count }) => count?.(collection)));
}

/** What modules have for components of every view. */
function Providers({ children }: { children: ComponentChildren }) {
  return (
    <Controls.Provider value={CONTROLS}>
      <ModuleViews.Provider value={MODULE_VIEWS}>
        <StewardshipPages.Provider value={STEWARDSHIP_SECTIONS}>
          <Submissions.Provider value={SUBMISSIONS}>
            <ModulePanels.Provider value={PANELS}>
              <People.Provider value={PARTS}>{children}</People.Provider>
            </ModulePanels.Provider>
          </Submissions.Provider>
        </StewardshipPages.Provider>
      </ModuleViews.Provider>
    </Controls.Provider>
  );
}

/** The frame without words, as the page has it before this file runs. */
function Waiting() {
  return (
    <div class="shell" aria-busy="true">
      <div class="rail" />
      <div class="view">
        <div class="banners">
          <LateBar />
        </div>
        <Sheets>
          <div class="sheet">
            <div class="bar" />
            <Bones rows={8} />
          </div>
        </Sheets>
      </div>
    </div>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('main h1')?.focus();
}

function SignedOut() {
  const hasToken = session.token.value !== undefined;
  return (
    <p class="banner st-rejected" role="alert">
      {t(hasToken ? 'error.signedOut' : 'error.signInToSend')} <a href={signInUrl()}>{t('signIn.action')}</a>
      {hasToken && (
        <button type="button" class="linkish" onClick={signOut}>
          {t('account.signOut')}
        </button>
      )}
    </p>
  );
}
