/** Says that a form shows what was typed before and not saved. */
import { useRef } from 'preact/hooks';
import { t } from '../texts/texts.ts';

export function KeptNote({ isChanged, onDiscard }: { isChanged: boolean; onDiscard: () => void }) {
  const wasKept = useRef(isChanged).current;
  if (!wasKept || !isChanged) return null;
  return (
    <p class="note">
      {t('form.editsKept')}{' '}
      <button type="button" class="linkish" onClick={onDiscard}>
        {t('form.discard')}
      </button>
    </p>
  );
}
