/** Dialogs: native, with the title as a question or an action, and a confirming button that repeats the verb. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { type Bindings, useDialogKeys } from './keys.ts';

export function Dialog(props: {
  title: string;
  icon?: ComponentChildren;
  /** The word of the confirming button; none for a dialog that only informs. */
  confirm?: string;
  danger?: boolean;
  busy?: boolean;
  wide?: boolean;
  /** Keys besides those that confirm and close. */
  keys?: Bindings;
  onConfirm?: () => void;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const {
    title,
    icon,
    confirm,
    danger = false,
    busy = false,
    wide = false,
    keys = {},
    onConfirm,
    onClose,
    children,
  } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    const first = dialog.current?.querySelector<HTMLElement>(danger ? '[data-cancel]' : '[data-first]');
    first?.focus();
    return () => {
      dialog.current?.close();
      if (opener?.isConnected) opener.focus();
    };
  }, []);
  useDialogKeys({ ...keys, 'ctrl+Enter': () => (confirm === undefined || busy ? undefined : onConfirm?.()) });
  return (
    <dialog
      class={wide ? 'dialog wide' : 'dialog'}
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="cap">
        {icon}
        <h2 id="dialog-title">{title}</h2>
      </div>
      <div class="body">{children}</div>
      <div class="end">
        <button type="button" class="btn" data-cancel onClick={onClose}>
          {confirm === undefined ? t('action.close') : t('action.cancel')} <kbd>Esc</kbd>
        </button>
        {confirm !== undefined && (
          <button
            type="button"
            class={danger ? 'btn primary danger' : 'btn primary'}
            disabled={busy}
            onClick={onConfirm}
          >
            {confirm} <kbd>Ctrl ↵</kbd>
          </button>
        )}
      </div>
    </dialog>
  );
}
