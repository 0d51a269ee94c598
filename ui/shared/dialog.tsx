/** Dialogs: native, with the title as a question or an action, and a confirming button that repeats the verb. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keyNames, t } from '../texts/texts.ts';
import { type Bindings, focusHeading, isTyping, useLayer } from './keys.ts';
import { ErrorNote } from './notes.tsx';
import type { ClientError } from './service.ts';

/** Moves to the text that a dialog asks for, behind what it has. */
function goOnIn(dialog: HTMLDialogElement | null): void {
  const field = dialog?.querySelector<HTMLTextAreaElement>('textarea[data-first]');
  if (!field) return;
  field.focus();
  if (/\S$/.test(field.value)) {
    field.setRangeText(' ', field.value.length, field.value.length, 'end');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  } else field.setSelectionRange(field.value.length, field.value.length);
}

export function Dialog(props: {
  title: string;
  icon?: ComponentChildren;
  /** The word of the confirming button; none for a dialog that only informs. */
  confirm?: string;
  /** The word of the other button; default: Cancel, or Close if nothing is confirmed. */
  close?: string;
  danger?: boolean;
  busy?: boolean;
  /** Why what was confirmed is refused, unless a field says so. */
  error?: ClientError | undefined;
  wide?: boolean;
  /** Keys besides those that confirm and close. */
  keys?: Bindings;
  /** The id of the element that gets the focus; default: the first field, and in a dangerous dialog the way out. */
  focus?: string | undefined;
  onConfirm?: () => void;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const {
    title,
    icon,
    confirm,
    close = t(confirm === undefined ? 'action.close' : 'action.cancel'),
    danger = false,
    busy = false,
    error,
    wide = false,
    keys = {},
    focus,
    onConfirm,
    onClose,
    children,
  } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    const first =
      (focus === undefined ? null : document.getElementById(focus)) ??
      dialog.current?.querySelector<HTMLElement>(danger ? '[data-cancel]' : '[data-first]') ??
      dialog.current?.querySelector<HTMLElement>('h2');
    first?.focus();
    first?.scrollIntoView({ block: 'nearest' });
    return () => {
      dialog.current?.close();
      if (opener?.isConnected && opener !== document.body) opener.focus();
      else focusHeading();
    };
  }, []);
  useLayer('dialog', {
    ...keys,
    Escape: onClose,
    'ctrl+Enter': () => (confirm === undefined || busy ? undefined : onConfirm?.()),
  });
  return (
    <dialog
      class={wide ? 'dialog wide' : 'dialog'}
      ref={dialog}
      aria-labelledby="dialog-title"
      onKeyDown={(event) => {
        // Words that are typed beside the field which the dialog asks for belong there; a blank among them would press a button.
        const isLetter = /^\p{L}$/u.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey;
        if (isLetter && !isTyping(event)) goOnIn(dialog.current);
      }}
      // A request to close without a key, such as the gesture of a phone.
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div class="cap">
        {icon}
        <h2 id="dialog-title" tabIndex={-1}>
          {title}
        </h2>
      </div>
      <div class="body">
        {children}
        {error && <ErrorNote error={error} />}
      </div>
      <div class="end">
        <button type="button" class="btn" data-cancel onClick={onClose}>
          {close} <kbd>Esc</kbd>
        </button>
        {confirm !== undefined && (
          <button
            type="button"
            class={danger ? 'btn primary danger' : 'btn primary'}
            disabled={busy}
            onClick={onConfirm}
          >
            {confirm} <kbd>{keyNames('Ctrl ↵')}</kbd>
          </button>
        )}
      </div>
    </dialog>
  );
}
