/** In the list of collections: what has changed in one since the last visit, or the button that follows it. */
import type { PanelProps } from '../../../../ui/module.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { urlOf } from '../../../../ui/shared/router.ts';
import { written } from '../../../../ui/shared/schema.ts';
import { fullTime } from '../../../../ui/shared/time.ts';
import { changesSince, follow, useFollowed } from './followed.ts';
import { tf } from './followed-texts.ts';

export function FollowButton({ collection, of: title }: PanelProps) {
  const followed = useFollowed(collection).value;
  const visit = followed?.visit ?? undefined;
  const { value } = useLoad(
    visit && `${collection}/${visit.cursor}`,
    (signal) => changesSince(collection, visit!.cursor, signal),
    written.value,
  );
  const start = useAction(() => follow(collection));
  if (!followed) return null;
  if (!visit)
    return (
      <p class="follow">
        <button
          type="button"
          class="btn small"
          aria-label={tf('followOf', { name: title })}
          disabled={start.busy}
          onClick={start.run}
        >
          {tf('follow')}
        </button>
      </p>
    );
  const n = value?.changes.length ?? 0;
  return (
    <p class="follow">
      <a class={n > 0 ? 'tag' : 'small muted'} href={urlOf([collection, 'changes'])}>
        {n === 0
          ? tf('nothing', { time: fullTime(visit.time) })
          : tf(value?.more ? 'changedMore' : 'changed', { n })}
      </a>
    </p>
  );
}
