/** Shows the last event, with its undo. One toast at most; errors are never toasts. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Icon } from './icons.tsx';

type Toast = { readonly text: string; readonly undo?: () => void; readonly stays?: boolean };

const current = signal<Toast | undefined>(undefined);
/** Said to screen readers at the next opportunity. */
export const announcement = signal('');

/** @param stays whether it is there until it is closed: what it undoes can be had nowhere else */
export function toast(text: string, undo?: () => void, stays = false): void {
  current.value = undo ? { text, undo, stays } : { text };
  announcement.value = text;
}

export function closeToast(): void {
  current.value = undefined;
}

/** Undoes what the toast says, and closes it. @returns false if it has nothing to undo */
export function undoToast(): boolean {
  const { undo } = current.peek() ?? {};
  if (!undo) return false;
  closeToast();
  undo();
  return true;
}

const STAYS_MS = 20_000;

export function ToastPlace() {
  const shown = current.value;
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (!shown || held || shown.stays) return undefined;
    const timer = setTimeout(closeToast, STAYS_MS);
    return () => clearTimeout(timer);
  }, [shown, held]);
  return (
    <>
      <output class="vh" aria-live="polite">
        {announcement.value}
      </output>
      {shown && (
        <section
          class="toast"
          aria-label={t('toast.label')}
          onMouseEnter={() => setHeld(true)}
          onMouseLeave={() => setHeld(false)}
          onFocusIn={() => setHeld(true)}
          onFocusOut={() => setHeld(false)}
        >
          <span>{shown.text}</span>
          {shown.undo && (
            <button type="button" class="btn" onClick={undoToast}>
              {t('action.undo')} <kbd>U</kbd>
            </button>
          )}
          <button type="button" class="icon" aria-label={t('action.close')} onClick={closeToast}>
            <Icon name="close" />
          </button>
        </section>
      )}
    </>
  );
}
