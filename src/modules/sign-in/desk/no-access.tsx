/** For someone who has signed in and may do nothing in a collection: whom to ask, and a request that its curators see. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { grants } from '../client.ts';
import { ts } from './texts.ts';

export function NoAccess({ collection }: { collection: string }) {
  const [message, setMessage] = useState('');
  const [isSent, setSent] = useState(false);
  const { busy, error, run } = useAction(async () => {
    await lab(collection).use(grants).ask(message.trim());
    setSent(true);
  });
  const access = session.me.value?.collections[collection];
  const name = session.me.value?.user_id ?? '';
  return (
    <Sheets>
      <MainSheet title={ts('access.title')}>
        <div class="page">
          <form
            class="form sign-in"
            onSubmit={(event) => {
              event.preventDefault();
              void run();
            }}
          >
            <p>{ts('access.help', { name, collection: access?.title ?? collection })}</p>
            {access?.contact && (
              <p>
                {ts('access.contact')} <a href={`mailto:${access.contact}`}>{access.contact}</a>
              </p>
            )}
            {isSent ? (
              <p class="note st-new" role="status">
                <StateMark name="accepted" />
                {ts('access.asked')}
              </p>
            ) : (
              <>
                <div class="field">
                  <label for="access-message">{ts('access.message')}</label>
                  <textarea
                    class="input"
                    id="access-message"
                    rows={3}
                    maxLength={1000}
                    value={message}
                    aria-describedby="access-message-help"
                    onInput={(event) => setMessage(event.currentTarget.value)}
                  />
                  <p class="help" id="access-message-help">
                    {ts('access.message_help')}
                  </p>
                </div>
                {error && <ErrorNote error={error} />}
                <div class="btns">
                  <button type="submit" class="btn primary" disabled={busy}>
                    {ts('access.ask')}
                  </button>
                </div>
              </>
            )}
          </form>
        </div>
      </MainSheet>
    </Sheets>
  );
}
