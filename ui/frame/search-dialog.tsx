/** Search and go to: views, classes and records by typing. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { treeOf } from '../shared/class-tree.tsx';
import { currentCollection } from '../shared/context.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icons.tsx';
import { useDebounced, useLoad } from '../shared/load.ts';
import { searchRecords } from '../shared/records.ts';
import { go, urlOf } from '../shared/router.ts';
import { readClasses } from '../shared/schema.ts';
import { may, session } from '../shared/session.ts';
import { Tile } from '../shared/tile.tsx';
import { nounOf, t } from '../texts/texts.ts';
import { signOut } from './account-dialog.tsx';
import { openKeys } from './keys-dialog.tsx';
import { switchTheme } from './theme.ts';

const open = signal(false);
export function openSearch(): void {
  open.value = true;
}

type Hit = { key: string; text: string; note: string; tile?: string } & (
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
  const { value: hits = [], slow } = useLoad(`${collection}/${wanted}`, (abort) =>
    findAll(collection, wanted, abort),
  );
  const choose = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    if ('run' in hit) hit.run();
    else go(hit.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') choose(hits[at]);
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
              <bdi>{hit.text}</bdi>
            </span>
            <span class="id">{hit.note}</span>
          </li>
        ))}
      </ul>
      {hits.length === 0 && wanted !== '' && (
        <p class="small muted" aria-live="polite">
          {slow ? t('search.searching') : t('search.none', { text: wanted })}
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
  const roots = treeOf(classes).filter(({ summary }) => summary.count > 0);
  const found = await Promise.all(
    roots.map(({ summary }) => searchRecords(collection, summary.class, wanted, MOST, abort)),
  );
  return [
    ...found
      .flat()
      .slice(0, MOST)
      .map(({ pid, title, class: name }) => ({
        key: pid,
        text: title,
        note: pid,
        href: urlOf([collection, 'record'], { pid }),
        tile: name || '··',
      })),
    ...hits,
  ];
}
