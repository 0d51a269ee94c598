/** The inbox: what has happened that concerns the user, newest first. */
import { useState } from 'preact/hooks';
import { NotFound } from '../../../../ui/home/not-found.tsx';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad, useRepeated } from '../../../../ui/shared/load.ts';
import { NewMark } from '../../../../ui/shared/marks.tsx';
import { Bones, Empty, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { may, session } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { shortTime } from '../../../../ui/shared/time.ts';
import { t } from '../../../../ui/texts/texts.ts';
import type { Inbox, InboxItem } from '../api-types.ts';
import { notify } from '../client.ts';
import { eventText, placeOfEvent } from '../event-texts.ts';
import { Elsewhere } from './elsewhere.tsx';
import { FollowedRecords } from './followed-records.tsx';
import { tn } from './texts.ts';
import { tt } from './title.ts';
import { countUnread } from './unread.ts';

export function InboxPage({ collection }: ViewProps) {
  const client = () => lab(collection).use(notify);
  const [pages, setPages] = useState(1);
  const { value, error, reload } = useLoad(
    session.isGuest.value ? undefined : collection,
    (signal) => pagesOf((after) => lab(collection, signal).use(notify).inbox(after), pages),
    pages,
  );
  useRepeated(reload);
  const { error: failed, run } = useAction(async (cursor: string) => {
    await client().markRead(cursor);
    await countUnread(collection);
    reload();
  });
  if (session.isGuest.value) return <NotFound forbidden />;
  return (
    <Sheets>
      <MainSheet
        title={tt('title')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        actions={
          value !== undefined &&
          value.unread > 0 && (
            <button type="button" class="btn" onClick={() => run(value.cursor)}>
              {tn('markAll')}
            </button>
          )
        }
      >
        <div class="page">
          {(error ?? failed) && <ErrorNote error={(error ?? failed)!} retry={reload} />}
          {!value && !error && <Bones rows={6} />}
          {value?.items.length === 0 && (
            <Empty title={tn('none')}>
              <p>{tn('noneHelp')}</p>
            </Empty>
          )}
          <ul class="list spacious">
            {value?.items.map((item) => (
              <li key={`${item.kind} ${item.time} ${item.label} ${item.pid}`}>
                <p>
                  {item.unread && (
                    <>
                      <NewMark /> <span class="vh">{tt('unread')} </span>
                    </>
                  )}
                  <span class={item.unread ? 'strong' : undefined}>{wordsOf(item)}</span>{' '}
                  <span class="faint small">{shortTime(item.time)}</span>
                </p>
                <p class="wrap-any">
                  <a href={urlOfItem(collection, item)}>
                    <bdi>{item.title ?? item.pid}</bdi>
                  </a>
                </p>
                {item.text && (
                  <p class="pre muted wrap-any">
                    <bdi>{item.text}</bdi>
                  </p>
                )}
              </li>
            ))}
          </ul>
          {value && value.next !== null && (
            <p>
              <button type="button" class="btn" onClick={() => setPages(pages + 1)}>
                {t('action.more')}
              </button>
            </p>
          )}
          <FollowedRecords collection={collection} />
          {value && <Elsewhere collection={collection} />}
        </div>
      </MainSheet>
    </Sheets>
  );
}

/** The first pages as one. All are read again, so none repeats or leaves out what has moved to another. */
async function pagesOf(read: (query: { after?: string }) => Promise<Inbox>, pages: number): Promise<Inbox> {
  let inbox = await read({});
  for (let page = 1; page < pages && inbox.next !== null; page++) {
    const { items, next } = await read({ after: inbox.next });
    inbox = { ...inbox, items: [...inbox.items, ...items], next };
  }
  return inbox;
}

function wordsOf(item: InboxItem): string {
  const [key, by] = eventText(item);
  return by === null ? tn(key) : tn(key, { by });
}

function urlOfItem(collection: string, item: InboxItem): string {
  const { path, query } = placeOfEvent(collection, item, may(collection, 'curate'));
  return urlOf(path, query);
}
