/** Search and go to: views, classes and records by typing. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { currentCollection } from '../shared/context.ts';
import { Dialog } from '../shared/dialog.tsx';
import { useEnter } from '../shared/enter.ts';
import { Icon } from '../shared/icons.tsx';
import { useDebounced, useLoad } from '../shared/load.ts';
import { Found } from '../shared/marks.tsx';
import { type Highlight, readPage, searchRecords } from '../shared/records.ts';
import { go, urlOf } from '../shared/router.ts';
import { readClasses } from '../shared/schema.ts';
import { may, session } from '../shared/session.ts';
import { Tile } from '../shared/tile.tsx';
import { nounOf, t } from '../texts/texts.ts';
import { signOut } from './account-dialog.tsx';
import { openKeys } from './keys-dialog.tsx';
import { switchTheme } from './theme.ts';
import { beginTour, hasTour } from './tour.tsx';
import { tt } from './tour-texts.ts';

const open = signal(false);
export function openSearch(): void {
  open.value = true;
}

type Hit = { key: string; text: string; note: string; tile?: string; highlight?: Highlight | undefined } & (
  | { readonly href: string }
  | { readonly run: () => void }
);

export function SearchPlace() {
  return open.value ? (
    <SearchDialog
      onClose={() => {
        open.value = false;
      }}
    />
  ) : null;
}

function SearchDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = useDebounced(text.trim());
  const collection = currentCollection();
  const {
    value: hits = [],
    slow,
    loading,
  } = useLoad(`${collection}/${wanted}`, (abort) => findAll(collection, wanted, abort));
  const isEmpty = !loading && hits.length === 0 && wanted !== '';
  const meant = useLoad(isEmpty && collection ? `${collection}/${wanted}` : undefined, async (abort) => {
    const page = await readPage(collection!, '', { page: 1, size: 1, text: wanted }, abort);
    return page.did_you_mean;
  });
  const choose = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    if ('run' in hit) hit.run();
    else go(hit.href);
  };
  const setEntered = useEnter(!loading && wanted === text.trim(), () => choose(hits[at]));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') setEntered(true);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t('search.title')} onClose={onClose}>
      <div class="find">
        <Icon name="search" />
        <input
          data-first
          role="combobox"
          aria-expanded={hits.length > 0}
          aria-controls="search-hits"
          aria-activedescendant={hits[at] ? `hit-${at}` : undefined}
          aria-label={t('search.title')}
          placeholder={t('search.placeholder')}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setEntered(false);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul class="menu-list hits" id="search-hits" role="listbox" aria-label={t('search.title')}>
        {hits.map((hit, index) => (
          <li
            key={hit.key}
            id={`hit-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => choose(hit)}
          >
            {hit.tile ? <Tile name={hit.tile} /> : <Icon name="right" />}
            <span class="clip">
              <Found text={hit.text} marked={hit.highlight?.title} />
            </span>
            <span class="id">
              <Found text={hit.highlight?.snippet?.text ?? hit.note} marked={hit.highlight?.snippet} />
            </span>
          </li>
        ))}
      </ul>
      {isEmpty && (
        <p class="small muted" aria-live="polite">
          {slow ? t('search.searching') : t('search.none', { text: wanted })}{' '}
          {!slow && meant.value !== undefined && !meant.loading && (
            <button
              type="button"
              class="linkish"
              onClick={() => {
                setText(meant.value!);
                setAt(0);
              }}
            >
              {t('browse.didYouMean', { text: meant.value })}
            </button>
          )}
        </p>
      )}
    </Dialog>
  );
}

const MOST = 8;

/** Commands, which have no URL. */
function commands(): Hit[] {
  const note = t('search.command');
  return [
    { key: 'theme', text: t('account.theme'), note, run: switchTheme },
    { key: 'keys', text: t('keys.open'), note, run: openKeys },
    ...(hasTour() ? [{ key: 'tour', text: tt('title'), note, run: beginTour }] : []),
    ...(session.isGuest.value ? [] : [{ key: 'out', text: t('account.signOut'), note, run: signOut }]),
  ];
}

async function findAll(collection: string | undefined, wanted: string, abort: AbortSignal): Promise<Hit[]> {
  const lower = wanted.toLowerCase();
  const collections = Object.keys(session.me.peek()?.collections ?? {}).filter((name) =>
    name.toLowerCase().includes(lower),
  );
  const hits: Hit[] = collections.map((name) => ({
    key: `c ${name}`,
    text: name,
    note: t('home.collection'),
    href: urlOf([name, 'browse']),
  }));
  hits.push(...commands().filter(({ text }) => wanted !== '' && text.toLowerCase().includes(lower)));
  if (collection === undefined) return hits;
  const classes = await readClasses(collection, abort).catch(() => []);
  const named = classes
    .filter((one) => `${one.title ?? ''} ${one.class}`.toLowerCase().includes(lower))
    .slice(0, MOST);
  hits.push(
    ...named.map((one) => ({
      key: `k ${one.class}`,
      text: one.title ?? one.class,
      note: t('search.class'),
      href: urlOf([collection, 'browse', one.class]),
      tile: one.class,
    })),
  );
  if (may(collection, 'write_zone') || may(collection, 'curate'))
    hits.push(
      ...classes
        .filter(({ abstract }) => !abstract)
        .map((one) => ({
          key: `n ${one.class}`,
          text: t('browse.new', { noun: nounOf(one.title ?? one.class) }),
          note: t('search.command'),
          href: urlOf([collection, 'new', one.class]),
        }))
        .filter(({ text }) => wanted !== '' && text.toLowerCase().includes(lower)),
    );
  if (wanted === '') return hits;
  const found = await searchRecords(collection, '', wanted, MOST, abort);
  return [
    ...found.map(({ pid, title, class: name, highlight }) => ({
      key: pid,
      text: title,
      note: pid,
      highlight,
      href: urlOf([collection, 'record'], { pid }),
      tile: name || '··',
    })),
    ...hits,
  ];
}
