/** The inbox: what has happened that concerns the user, newest first. */
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad, useRepeated } from '../../../../ui/shared/load.ts';
import { NewMark } from '../../../../ui/shared/marks.tsx';
import { Bones, Empty, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { may } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { shortTime } from '../../../../ui/shared/time.ts';
import type { InboxItem } from '../api-types.ts';
import { notify } from '../client.ts';
import { tn } from './texts.ts';
import { tt } from './title.ts';
import { countUnread } from './unread.ts';

export function InboxPage({ collection }: ViewProps) {
  const client = () => lab(collection).use(notify);
  const { value, error, reload } = useLoad(collection, (signal) =>
    lab(collection, signal).use(notify).inbox(),
  );
  useRepeated(reload);
  const { error: failed, run } = useAction(async (until: string) => {
    await client().markRead(until);
    await countUnread(collection);
    reload();
  });
  const [newest] = value?.items ?? [];
  return (
    <Sheets>
      <MainSheet
        title={tt('title')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        actions={
          newest !== undefined &&
          (value?.unread ?? 0) > 0 && (
            <button type="button" class="btn" onClick={() => run(newest.time)}>
              {tn('markAll')}
            </button>
          )
        }
      >
        <div class="page">
          {(error ?? failed) && <ErrorNote error={(error ?? failed)!} retry={reload} />}
          {!value && !error && <Bones rows={6} />}
          {value?.items.length === 0 && <Empty title={tn('none')} />}
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
                <p>
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
        </div>
      </MainSheet>
    </Sheets>
  );
}

function wordsOf({ kind, by, requests }: InboxItem): string {
  if (kind === 'accepted' || kind === 'rejected') return tn(kind);
  if (kind === 'submitted') return by === null ? tn('submittedBy') : tn('submitted', { by });
  if (requests === 'answer' || requests === 'changes') return tn(requests);
  return by === null ? tn('commented') : tn('commentOf', { by });
}

/** Curators go to the review of a submission, submitters to what became of it. */
function urlOfItem(collection: string, { kind, label, pid }: InboxItem): string {
  if (may(collection, 'curate')) return urlOf([collection, 'review', 'item'], { label, pid });
  return kind === 'accepted' ? urlOf([collection, 'record'], { pid }) : urlOf([collection, 'submissions']);
}
