/** The frame: which view is on the screen, the rail, dialogs and the toast. */

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ClientError, Me } from '../src/client/client.ts';
import { useKeys } from './base/keys.ts';
import { go, place, urlOf } from './base/router.ts';
import { written } from './base/schema.ts';
import { service } from './base/service.ts';
import { session } from './base/session.ts';
import { switchTheme } from './base/theme.ts';
import type { ViewProps } from './base/view.ts';
import { countWaiting } from './base/waiting.ts';
import { AccountPlace } from './parts/account-dialog.tsx';
import { context } from './parts/context.ts';
import { KeysPlace, openKeys } from './parts/keys-dialog.tsx';
import { ErrorNote } from './parts/notes.tsx';
import { currentCollection, Rail } from './parts/rail.tsx';
import { openSearch, SearchPlace } from './parts/search-dialog.tsx';
import { closeToast, ToastPlace } from './parts/toast.tsx';
import { t } from './texts/texts.ts';
import { Home } from './views/home.tsx';
import { NotFound } from './views/not-found.tsx';
import { SignIn } from './views/sign-in.tsx';

type View = ComponentType<ViewProps>;

/** Views below a collection, each in a separate chunk. */
const VIEWS: Readonly<Record<string, () => Promise<View>>> = {
  browse: () => import('./views/browse.tsx').then(({ Browse }) => Browse),
  record: () => import('./views/record.tsx').then(({ RecordView }) => RecordView),
  new: () => import('./views/form.tsx').then(({ FormView }) => FormView),
  edit: () => import('./views/form.tsx').then(({ FormView }) => FormView),
  submissions: () => import('./views/submissions.tsx').then(({ Submissions }) => Submissions),
  upload: () => import('./views/upload.tsx').then(({ Upload }) => Upload),
  review: () => import('./views/queue.tsx').then(({ Queue }) => Queue),
  'review/item': () => import('./views/review.tsx').then(({ Review }) => Review),
  decisions: () => import('./views/decisions.tsx').then(({ Decisions }) => Decisions),
  admin: () => import('./views/admin.tsx').then(({ Admin }) => Admin),
};

const ADMIN_SECTIONS = ['health', 'collections', 'tokens', 'configuration'];

function viewName(path: readonly string[]): string | undefined {
  const [first, second, third] = path;
  if (first === 'admin' && (second === undefined || ADMIN_SECTIONS.includes(second))) return 'admin';
  if (first === undefined || second === undefined) return undefined;
  const name = second === 'review' && third === 'item' ? 'review/item' : second;
  return name in VIEWS ? name : undefined;
}

const loaded = new Map<string, View>();

function LazyView({ name, collection }: { name: string; collection: string }) {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (loaded.has(name)) return;
    VIEWS[name]?.().then((view) => {
      loaded.set(name, view);
      redraw((n) => n + 1);
    });
  }, [name]);
  const View = loaded.get(name);
  return View ? (
    <View key={`${name}/${collection}`} collection={collection} />
  ) : (
    <div class="sheets">
      <main class="sheet" id="main" aria-busy="true" />
    </div>
  );
}

function CurrentView() {
  const { path } = place.value;
  const [first] = path;
  const me = session.me.value;
  if (path.length === 0) return <Home />;
  if (path.length === 1 && first === 'sign-in') return <SignIn />;
  const name = viewName(path);
  if (!name || !me) return <NotFound />;
  if (name === 'admin') return me.admin ? <LazyView name={name} collection="" /> : <NotFound forbidden />;
  if (!(first! in me.collections)) return <NotFound forbidden />;
  return <LazyView name={name} collection={first!} />;
}

const NO_RIGHTS: Me = { user_id: null, admin: false, token: null, collections: {} };
const POLL_MS = 10_000;

export function App() {
  const [error, setError] = useState<ClientError>();
  const [round, setRound] = useState(0);
  const token = session.token.value;
  useEffect(() => {
    let current = true;
    service()
      .me()
      .then(
        (me) => {
          if (!current) return;
          setError(undefined);
          session.me.value = me;
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
  }, [token, round]);
  const collection = currentCollection();
  const me = session.me.value;
  useEffect(() => {
    countWaiting(collection);
    const timer = setInterval(
      () => document.visibilityState === 'visible' && countWaiting(currentCollection()),
      POLL_MS,
    );
    return () => clearInterval(timer);
  }, [collection, me, written.value]);
  const to = (name: string) => () => collection && go(urlOf([collection, name]));
  useKeys({
    'ctrl+k': openSearch,
    '?': openKeys,
    'g h': () => go(urlOf([])),
    'g b': to('browse'),
    'g r': to('review'),
    'g s': to('submissions'),
    'g a': () => go(urlOf(['admin', 'health'])),
    t: switchTheme,
    Escape: () => (document.querySelector('.toast') ? closeToast() : false),
  });
  if (error)
    return (
      <div class="alone">
        <ErrorNote error={error} retry={() => setRound(round + 1)} />
      </div>
    );
  if (!me) return <div class="alone" aria-busy="true" />;
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {t('rail.skip')}
      </a>
      <div class="shell">
        <Rail context={context.value} />
        <div class="view">
          {session.refused.value && <SignedOut />}
          <CurrentView />
          <ToastPlace />
        </div>
      </div>
      <SearchPlace />
      <KeysPlace />
      <AccountPlace />
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('main h1')?.focus();
}

function SignedOut() {
  return (
    <p class="banner st-rejected" role="alert">
      {t('error.signedOut')}{' '}
      <a href={urlOf(['sign-in'], { next: location.pathname + location.search })}>{t('signIn.action')}</a>
    </p>
  );
}
