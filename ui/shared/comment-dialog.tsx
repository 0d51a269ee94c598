/** Writes a comment: a curator to the submitter, with what is asked for, or a submitter to the curators. */
import { useState } from 'preact/hooks';
import { useAction } from './action.ts';
import { tt } from './comment-texts.ts';
import type { CommentRequest } from './comments.tsx';
import { Dialog } from './dialog.tsx';
import { useKept } from './kept.ts';
import { LONGEST_COMMENT } from './review.ts';
import { written } from './schema.ts';
import { StateMark } from './state.tsx';
import { toast } from './toast.tsx';

const ASKS = { answer: 'forAnswer', changes: 'forChanges', none: 'none' } as const;
type Ask = keyof typeof ASKS;

type Props = {
  title: string;
  help: string;
  /** The subject of the comment: the words are kept for it until they are sent. */
  about: string;
  /** Whether the writer, a curator, may ask for something. */
  asks?: boolean;
  send: (text: string, requests: CommentRequest | undefined) => Promise<unknown>;
  onClose: () => void;
};

export function CommentDialog({ title, help, about, asks = false, send, onClose }: Props) {
  const [text, setText, forget] = useKept<string>(`comment/${about}`, '');
  const [ask, setAsk] = useState<Ask>('answer');
  const [missing, setMissing] = useState(false);
  const { busy, error, run } = useAction(async () => {
    await send(text.trim(), asks && ask !== 'none' ? ask : undefined);
    forget();
    toast(tt('sent'));
    written.value++;
    onClose();
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
      confirm={tt('send')}
      busy={busy}
      error={error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p class="muted">{help}</p>
      <div class={isBad ? 'field bad' : 'field'}>
        <label for="comment">{tt('text')}</label>
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
            {tt('missing')}
          </p>
        )}
      </div>
      {asks && (
        <fieldset class="plain-set field">
          <legend class="label">{tt('kind')}</legend>
          <div class="radios">
            {(Object.keys(ASKS) as Ask[]).map((one) => (
              <label key={one}>
                <input type="radio" name="ask" checked={ask === one} onChange={() => setAsk(one)} />
                {tt(ASKS[one])}
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </Dialog>
  );
}
