/** Copies a string and confirms it in the button. */
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Icon } from './icons.tsx';

const CONFIRMED_MS = 2000;

export function Copy({
  text,
  label,
  onCopied,
  big = false,
}: {
  text: string;
  label: string;
  onCopied?: () => void;
  big?: boolean;
}) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return;
    }
    setDone(true);
    onCopied?.();
    setTimeout(() => setDone(false), CONFIRMED_MS);
  };
  if (big) {
    return (
      <button type="button" class="btn primary" onClick={copy}>
        <Icon name="copy" />
        <span aria-live="polite">{done ? t('action.copied') : t('action.copy')}</span>
      </button>
    );
  }
  return (
    <button
      type="button"
      class="icon"
      aria-label={done ? t('action.copied') : label}
      title={done ? t('action.copied') : label}
      onClick={copy}
    >
      <Icon name={done ? 'check' : 'copy'} />
    </button>
  );
}
