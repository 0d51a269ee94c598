/** Lists the changes of the curated area: who, when, which record, which slots. */
import type { Activity as Page } from '../../src/client/client.ts';
import type { ViewProps } from '../shared/context.ts';
import { OlderEntries, useEntries } from '../shared/entries.tsx';
import { pathWords } from '../shared/history.tsx';
import { type SlotsOf, useSlotsOf } from '../shared/inlined.ts';
import { isObject } from '../shared/json.ts';
import { useLoad } from '../shared/load.ts';
import { Empty, Loading } from '../shared/notes.tsx';
import { useOthers } from '../shared/others.tsx';
import { place, urlOf, withQuery } from '../shared/router.ts';
import { type ClassDescription, readClass, type Title, titleIn, written } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { RecordLink, Tile, useTitles } from '../shared/tile.tsx';
import { fullTime } from '../shared/time.ts';
import { UserName } from '../shared/user-name.tsx';
import { t } from '../texts/texts.ts';
import { tst } from './texts.ts';

type Entry = Page['items'][number];

export function Activity({ collection }: ViewProps) {
  const author = place.value.query.get('author') ?? undefined;
  return <Entries key={`${collection}/${author}`} collection={collection} author={author} />;
}

/** The latest changes; further ones appear above them as they are made. */
function Entries({ collection, author }: ViewProps & { author: string | undefined }) {
  const others = useOthers(collection, {});
  const {
    items: shown,
    error,
    reload,
    readOlder,
  } = useEntries(
    'activity',
    (before, signal) => lab(collection, signal).curation.activity({ author, before }),
    `${written.value}/${others.length}`,
  );
  const items = shown ?? [];
  const titles = useTitles(collection, [...new Set(items.map(({ pid }) => pid))]);
  if (error || !shown) return <Loading error={error} retry={reload} />;
  return (
    <>
      {author !== undefined && (
        <p class="btns">
          <UserName collection={collection} id={author} />
          <a class="btn small" href={withQuery({ author: null })}>
            {t('action.clearFilter')}
          </a>
        </p>
      )}
      {items.length === 0 && <Empty title={tst('activityNone')} />}
      <ul class="list">
        {items.map((entry) => (
          <li class="line" key={entry.revision}>
            <div class="stack-s">
              <span>
                <EntryRecord collection={collection} entry={entry} title={titles?.get(entry.pid)} />
              </span>
              <span class="faint small">
                {fullTime(entry.time_stamp)}
                {entry.author_id !== null && (
                  <>
                    {' · '}
                    <a href={urlOf([collection, 'stewardship', 'activity'], { author: entry.author_id })}>
                      <UserName collection={collection} id={entry.author_id} />
                    </a>
                  </>
                )}
              </span>
            </div>
            <a class="btn small" href={urlOf([collection, 'record'], { pid: entry.pid, view: 'history' })}>
              {t('record.history')}
            </a>
          </li>
        ))}
      </ul>
      <OlderEntries read={readOlder} />
    </>
  );
}

/** The record of an entry and what changed in it; one that is gone is called as it was. */
function EntryRecord(props: { collection: string; entry: Entry; title: Title | null | undefined }) {
  const { collection, entry, title } = props;
  const { after, before } = entry.changes.find(({ path }) => path === '') ?? {};
  const record = after ?? before;
  const isGone = title === null && isObject(record);
  const { value: description } = useLoad(`${collection}/${entry.class}`, () =>
    readClass(collection, entry.class).catch(() => undefined),
  );
  const slotsOf = useSlotsOf(collection, description?.slots ?? []);
  return (
    <>
      {isGone ? (
        <span class="st" title={entry.pid}>
          <Tile name={entry.class} />
          <bdi>{titleIn(description, record)}</bdi>
        </span>
      ) : (
        <RecordLink collection={collection} pid={entry.pid} title={title} />
      )}{' '}
      <span class="muted">{whatOf(entry, description, slotsOf)}</span>
    </>
  );
}

const SHOWN_SLOTS = 3;

/** Created, deleted, or which slots changed. */
function whatOf(
  { deleted, changes }: Entry,
  description: ClassDescription | undefined,
  slotsOf: SlotsOf,
): string {
  if (deleted) return tst('deleted');
  if (changes.some(({ path }) => path === '')) return tst('created');
  const words = [...new Set(changes.map(({ path }) => pathWords(path, description, slotsOf)))];
  const more = words.length - SHOWN_SLOTS;
  return `${tst('changed')}: ${words.slice(0, SHOWN_SLOTS).join(', ')}${more > 0 ? ` +${more}` : ''}`;
}
