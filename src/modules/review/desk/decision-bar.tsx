/** Shows the sources of the result, and the three decisions. */

import { type Choices, sideOf } from '../../../../ui/shared/merge.ts';
import type { ReviewItem } from '../api-types.ts';
import { tr } from './texts.ts';

type Props = {
  item: ReviewItem;
  choices: Choices;
  open: number;
  busy: boolean;
  onAccept: () => void;
  onReject: () => void;
  onDefer: () => void;
  onAsk: () => void;
};

export function DecisionBar({ item, choices, open, busy, onAccept, onReject, onDefer, onAsk }: Props) {
  const conflicts = item.differences.filter(({ conflict }) => conflict).length;
  const settled = conflicts - open;
  const from = (side: string) => item.differences.filter((one) => sideOf(one, choices) === side).length;
  return (
    <div class="decide" role="group" aria-label={tr('review.decision')}>
      <p class="sum">
        {conflicts > 0 && (
          <b class="strong">
            {conflicts <= 12 && (
              <span class="steps" aria-hidden="true">
                {Array.from({ length: conflicts }, (_, i) => (
                  <i key={i} class={i < settled ? 'done' : undefined} />
                ))}
              </span>
            )}
            {tr('review.settledOf', { settled, n: conflicts })}
          </b>
        )}
        {item.state !== 'new' && item.differences.length > 0 && (
          <span>
            {tr('review.result', { submitted: from('submitted'), curated: from('curated') })}
            {from('base') > 0 && `, ${tr('review.resultBase', { n: from('base') })}`}
          </span>
        )}
        {item.state === 'new' && <span>{tr('review.newHelp')}</span>}
      </p>
      <span class="push" />
      <div class="btns" aria-busy={busy}>
        <button type="button" class="btn quiet" onClick={onAsk}>
          {tr('comment.ask')} <kbd>Q</kbd>
        </button>
        <button type="button" class="btn quiet" onClick={onDefer}>
          {tr('review.defer')} <kbd>D</kbd>
        </button>
        <button type="button" class="btn" onClick={onReject}>
          {tr('review.reject')} <kbd>R</kbd>
        </button>
        <button
          type="button"
          class="btn primary"
          title={item.conflicts === 1 && open === 1 ? tr('review.acceptSubmitted') : undefined}
          onClick={onAccept}
        >
          {tr('review.accept')} <kbd>A</kbd>
        </button>
      </div>
    </div>
  );
}
