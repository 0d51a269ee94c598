/** Beside a curated record: the button that follows it. */
import type { PanelProps } from '../../../../ui/module.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { setFollowed, useFollowed } from './followed.ts';
import { tf } from './followed-texts.ts';

export function FollowRecord({ collection, of: pid }: PanelProps) {
  const { value } = useFollowed(collection);
  const { busy, error, run } = useAction((isFollowed: boolean) => setFollowed(collection, pid, isFollowed));
  if (!value) return null;
  const isFollowed = value.records.includes(pid);
  return (
    <section aria-label={tf('followRecord')}>
      {error && <ErrorNote error={error} />}
      <button type="button" class="btn small" disabled={busy} onClick={() => run(!isFollowed)}>
        {tf(isFollowed ? 'stopRecord' : 'followRecord')}
      </button>
    </section>
  );
}
