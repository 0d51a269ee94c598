/** Copies a string and confirms it in the button. */
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Icon } from './icons.tsx';

const CONFIRMED_MS = 2000;

/** Copies a string. Over plain HTTP browsers have no clipboard for scripts, but copy what is selected. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const field = document.createElement('textarea');
  field.value = text;
  document.activeElement?.after(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}

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
    if (!(await copyText(text))) return;
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
