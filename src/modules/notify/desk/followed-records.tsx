/** Below the inbox: the records that the user follows. */
import { useAction } from '../../../../ui/shared/action.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { RecordLink, useTitles } from '../../../../ui/shared/tile.tsx';
import { setFollowed, useFollowed } from './followed.ts';
import { tf } from './followed-texts.ts';

export function FollowedRecords({ collection }: { collection: string }) {
  const { value, error, reload } = useFollowed(collection);
  const records = value?.records ?? [];
  const titles = useTitles(collection, records);
  const { busy, error: failed, run } = useAction((pid: string) => setFollowed(collection, pid, false));
  const problem = error ?? failed;
  if (!problem && records.length === 0) return null;
  return (
    <section aria-labelledby="inbox-followed">
      <div class="head">
        <h2 id="inbox-followed">{tf('followed')}</h2>
      </div>
      {problem && <ErrorNote error={problem} retry={reload} />}
      {records.length > 0 && <p class="muted">{tf('followedHelp')}</p>}
      <ul class="list">
        {records.map((pid) => {
          const title = titles?.get(pid);
          return (
            <li class="line" key={pid}>
              <RecordLink collection={collection} pid={pid} title={title} />
              <button
                type="button"
                class="btn small"
                aria-label={tf('stopOf', { name: title?.title ?? pid })}
                disabled={busy}
                onClick={() => run(pid)}
              >
                {tf('stop')}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
