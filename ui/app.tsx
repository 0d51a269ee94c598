/** The frame: which view is on the screen, the rail, dialogs and the toast. */

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ClientError, Me } from '../src/client/client.ts';
import { AccountPlace } from './frame/account-dialog.tsx';
import { KeysPlace, openKeys } from './frame/keys-dialog.tsx';
import { Rail } from './frame/rail.tsx';
import { openSearch, SearchPlace } from './frame/search-dialog.tsx';
import { switchTheme } from './frame/theme.ts';
import { Home } from './home/home.tsx';
import { NotFound } from './home/not-found.tsx';
import { SignIn } from './home/sign-in.tsx';
import { context, currentCollection, type ViewProps } from './shared/context.ts';
import { useKeys } from './shared/keys.ts';
import { ErrorNote } from './shared/notes.tsx';
import { go, place, urlOf } from './shared/router.ts';
import { written } from './shared/schema.ts';
import { service } from './shared/service.ts';
import { session } from './shared/session.ts';
import { closeToast, ToastPlace } from './shared/toast.tsx';
import { countWaiting } from './shared/waiting.ts';
import { t } from './texts/texts.ts';

type View = ComponentType<ViewProps>;

/** Views below a collection, each in a separate chunk. */
const VIEWS: Readonly<Record<string, () => Promise<View>>> = {
  browse: () => import('./browse/browse.tsx').then(({ Browse }) => Browse),
  record: () => import('./browse/record.tsx').then(({ RecordView }) => RecordView),
  new: () => import('./submit/form-view.tsx').then(({ FormView }) => FormView),
  edit: () => import('./submit/form-view.tsx').then(({ FormView }) => FormView),
  submissions: () => import('./submit/submissions.tsx').then(({ Submissions }) => Submissions),
  upload: () => import('./submit/import/import.tsx').then(({ Import }) => Import),
  review: () => import('./review/queue.tsx').then(({ Queue }) => Queue),
  'review/item': () => import('./review/review.tsx').then(({ Review }) => Review),
  decisions: () => import('./review/decisions.tsx').then(({ Decisions }) => Decisions),
  stewardship: () => import('./curate/stewardship.tsx').then(({ Stewardship }) => Stewardship),
  rename: () => import('./curate/rename.tsx').then(({ Rename }) => Rename),
  merge: () => import('./curate/merge-records.tsx').then(({ MergeRecords }) => MergeRecords),
  admin: () => import('./admin/admin.tsx').then(({ Admin }) => Admin),
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
