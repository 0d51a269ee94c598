/** Actions on the queue as a whole, and its counts. */
import { keyNames, t } from '../../../../ui/texts/texts.ts';
import type { BulkKind } from './bulk-dialog.tsx';
import { tr } from './texts.ts';

export function QueueTools({
  selected,
  valid,
  onBulk,
}: {
  selected: number;
  /** How many submissions of the filter are new and valid. */
  valid: number;
  onBulk: (kind: BulkKind) => void;
}) {
  if (selected > 0)
    return (
      <span class="btns">
        <button type="button" class="btn" onClick={() => onBulk('accept')}>
          {tr('queue.acceptN', { n: selected })}
        </button>
        <button type="button" class="btn" onClick={() => onBulk('reject')}>
          {tr('queue.rejectN', { n: selected })}
        </button>
        <button type="button" class="btn" onClick={() => onBulk('ask')}>
          {tr('queue.askN', { n: selected })}
        </button>
        <button type="button" class="btn" onClick={() => onBulk('assign')}>
          {tr('queue.assignN', { n: selected })}
        </button>
      </span>
    );
  if (valid === 0) return null;
  return (
    <button type="button" class="btn" onClick={() => onBulk('valid')}>
      {tr('queue.acceptValid', { n: valid })} <kbd class="not-small">{keyNames('Shift A')}</kbd>
    </button>
  );
}

export function QueueFoot({
  selected,
  total,
  pending,
}: {
  selected: number;
  /** Undefined until it is known. */
  total: number | undefined;
  pending: number;
}) {
  return (
    <div class="foot">
      <span aria-live="polite">
        {selected > 0
          ? tr('queue.selected', { n: selected })
          : total !== undefined && tr('queue.count', { n: total })}
      </span>
      {pending > 0 && <span>{tr('queue.pending', { n: pending })}</span>}
      <span class="push keys-hint">
        <kbd>J</kbd>
        <kbd>K</kbd> {t('hint.move')} <kbd>X</kbd> {t('hint.select')} <kbd>A</kbd> {tr('hint.accept')}{' '}
        <kbd>R</kbd> {tr('hint.reject')} <kbd>D</kbd> {tr('hint.defer')} <kbd>?</kbd> {t('hint.keys')}
      </span>
    </div>
  );
}
