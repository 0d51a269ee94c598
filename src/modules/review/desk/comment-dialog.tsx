/** Writes a comment: a curator to the submitter, with what is asked for, or a submitter to the curators. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useKept } from '../../../../ui/shared/kept.ts';
import { written } from '../../../../ui/shared/schema.ts';
import type { ClientError } from '../../../../ui/shared/service.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { toast } from '../../../../ui/shared/toast.tsx';
import type { CommentRequest } from './comments.tsx';
import { tr } from './texts.ts';
import { LONGEST_COMMENT } from './verdicts.ts';

const ASKS = { answer: 'comment.forAnswer', changes: 'comment.forChanges', none: 'comment.none' } as const;
type Ask = keyof typeof ASKS;

type Props = {
  title: string;
  help: string;
  /** The subject of the comment: the words are kept for it until they are sent. */
  about: string;
  /** What the writer, a curator, asks for if nothing else is chosen; undefined for a submitter, who asks for nothing. */
  asks?: CommentRequest;
  /** @returns false if it was not sent, though nothing was thrown */
  send: (text: string, requests: CommentRequest | undefined) => Promise<unknown>;
  /** Whether it cannot be sent yet. */
  busy?: boolean;
  /** Why it was not sent. */
  failure?: ClientError | undefined;
  /** Instead of a toast, after it was sent. */
  onSent?: () => void;
  onClose: () => void;
};

export function CommentDialog({
  title,
  help,
  about,
  asks,
  send,
  busy: isEarly = false,
  failure,
  onSent,
  onClose,
}: Props) {
  const [text, setText, forget] = useKept<string>(`comment/${about}`, '');
  const [ask, setAsk] = useState<Ask>(asks ?? 'none');
  const [missing, setMissing] = useState(false);
  const { busy, error, run } = useAction(async () => {
    if ((await send(text.trim(), ask === 'none' ? undefined : ask)) === false) return undefined;
    forget();
    if (onSent) return onSent();
    toast(tr('comment.sent'));
    written.value++;
    return onClose();
  });
  const confirm = () => {
    if (text.trim() === '') {
      setMissing(true);
      document.getElementById('comment')?.focus();
    } else run();
  };
  const isBad = missing && text.trim() === '';
  return (
    <Dialog
      title={title}
      confirm={tr('comment.send')}
      busy={busy || isEarly}
      error={error ?? failure}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p class="muted">{help}</p>
      <div class={isBad ? 'field bad' : 'field'}>
        <label for="comment">{tr('comment.text')}</label>
        <textarea
          class="input"
          id="comment"
          data-first
          maxLength={LONGEST_COMMENT}
          value={text}
          aria-invalid={isBad}
          aria-describedby={isBad ? 'comment-error' : undefined}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {isBad && (
          <p class="error" id="comment-error" role="alert">
            <StateMark name="rejected" />
            {tr('comment.missing')}
          </p>
        )}
      </div>
      {asks && (
        <fieldset class="plain-set field">
          <legend class="label">{tr('comment.kind')}</legend>
          <div class="radios">
            {(Object.keys(ASKS) as Ask[]).map((one) => (
              <label key={one}>
                <input type="radio" name="ask" checked={ask === one} onChange={() => setAsk(one)} />
                {tr(ASKS[one])}
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </Dialog>
  );
}
