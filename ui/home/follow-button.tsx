/** In the list of collections: what has changed in one since the last visit, or the button that follows it. */
import { useAction } from '../shared/action.ts';
import { useLoad } from '../shared/load.ts';
import { urlOf } from '../shared/router.ts';
import { written } from '../shared/schema.ts';
import { fullTime } from '../shared/time.ts';
import { changesSince, follow, lastVisit, tf } from './followed.ts';

export function FollowButton({ collection, title }: { collection: string; title: string }) {
  const visit = lastVisit(collection);
  const { value } = useLoad(
    visit && `${collection}/${visit.cursor}`,
    (signal) => changesSince(collection, visit!.cursor, signal),
    written.value,
  );
  const start = useAction(() => follow(collection));
  if (!visit)
    return (
      <button
        type="button"
        class="btn small"
        aria-label={tf('followOf', { name: title })}
        disabled={start.busy}
        onClick={start.run}
      >
        {tf('follow')}
      </button>
    );
  const n = value?.changes.length ?? 0;
  return (
    <a class={n > 0 ? 'tag' : 'small muted'} href={urlOf([collection, 'changes'])}>
      {n === 0
        ? tf('nothing', { time: fullTime(visit.time) })
        : tf(value?.more ? 'changedMore' : 'changed', { n })}
    </a>
  );
}
