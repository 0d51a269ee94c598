/** Changes in a followed collection since the last visit. */

import { NotFound } from '../../../../ui/home/not-found.tsx';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Bones, Empty, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { GONE, OthersLine, useOthers } from '../../../../ui/shared/others.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { localPart, written } from '../../../../ui/shared/schema.ts';
import { session } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { RecordLink, Tile, useTitles } from '../../../../ui/shared/tile.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { UserName } from '../../../../ui/shared/user-name.tsx';
import { changesSince, follow, type News, noteVisit, useFollowed } from './followed.ts';
import { tf } from './followed-texts.ts';

export function Changes({ collection }: ViewProps) {
  const followed = useFollowed(collection);
  const visit = followed.value?.visit ?? undefined;
  const others = useOthers(collection, visit && {});
  const { value, error, reload } = useLoad(
    visit && `${collection}/${visit.cursor}`,
    (signal) => changesSince(collection, visit!.cursor, signal),
    written.value,
  );
  const start = useAction(() => follow(collection));
  const note = useAction((cursor: string | null) => noteVisit(collection, cursor));
  if (session.isGuest.value) return <NotFound forbidden />;
  const failed = start.error ?? note.error ?? followed.error;
  const isGone = error?.status === GONE;
  return (
    <Sheets>
      <MainSheet
        title={tf('title')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        actions={
          visit && (
            <>
              <button type="button" class="btn quiet" disabled={note.busy} onClick={() => note.run(null)}>
                {tf('stop')}
              </button>
              {value && value.changes.length > 0 && (
                <button
                  type="button"
                  class="btn primary"
                  disabled={note.busy}
                  onClick={() => note.run(value.cursor)}
                >
                  {tf('seen')}
                </button>
              )}
            </>
          )
        }
      >
        <OthersLine collection={collection} changes={others} of="list" />
        <div class="page narrow">
          {failed && <ErrorNote error={failed} retry={followed.reload} />}
          {((followed.value && !visit) || isGone) && (
            <Empty title={tf(isGone ? 'gone' : 'notFollowed')}>
              <p>{tf('notFollowedHelp')}</p>
              <p class="btns">
                <button type="button" class="btn primary" disabled={start.busy} onClick={start.run}>
                  {tf('follow')}
                </button>
              </p>
            </Empty>
          )}
          {error && !isGone && <ErrorNote error={error} retry={reload} />}
          {(visit ? !value && !error : !followed.value && !followed.error) && <Bones />}
          {visit && value && <Listed collection={collection} news={value} time={fullTime(visit.time)} />}
        </div>
      </MainSheet>
    </Sheets>
  );
}

function Listed({ collection, news, time }: { collection: string; news: News; time: string }) {
  const titles = useTitles(
    collection,
    news.changes.map(({ pid }) => pid),
  );
  if (news.changes.length === 0) return <Empty title={tf('none', { time })} mark="accepted" />;
  return (
    <>
      <p class="muted">{tf('since', { time })}</p>
      {news.more && <p class="note">{tf('more')}</p>}
      <ul class="list">
        {news.changes.map((one) => (
          <li class="line" key={one.pid}>
            <span>
              {one.kind === 'deleted' ? (
                <span class="ref">
                  <Tile name={one.class} />
                  <bdi class="t">{localPart(one.pid)}</bdi>
                </span>
              ) : (
                <RecordLink
                  collection={collection}
                  pid={one.moved_to ?? one.pid}
                  title={one.moved_to ? undefined : titles?.get(one.pid)}
                />
              )}{' '}
              <span class="muted">{tf(one.kind)}</span>
              <br />
              <span class="faint small">
                {fullTime(one.time)}
                {one.author && (
                  <>
                    {' · '}
                    <UserName collection={collection} id={one.author} />
                  </>
                )}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
