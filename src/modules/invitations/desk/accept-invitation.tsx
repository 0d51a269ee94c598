/** Accepts an invitation: its secret, from the fragment of the link, is exchanged for a token that is shown once. */
import { useState } from 'preact/hooks';
import { NotFound } from '../../../../ui/home/not-found.tsx';
import { useAction } from '../../../../ui/shared/action.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { go, urlOf } from '../../../../ui/shared/router.ts';
import { forget } from '../../../../ui/shared/schema.ts';
import { SecretOnce } from '../../../../ui/shared/secret-once.tsx';
import { service } from '../../../../ui/shared/service.ts';
import { setToken } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { invitations } from '../client.ts';
import { type InvitationLink, takeLink } from './link.ts';
import { ti } from './texts.ts';

/** The page of the link. Without an invitation in its address, nothing is there. */
export function AcceptInvitation() {
  const [linked] = useState(takeLink);
  if (!linked) return <NotFound />;
  return (
    <Sheets>
      <MainSheet title={ti('acceptTitle')}>
        <div class="page">
          <Accept {...linked} />
        </div>
      </MainSheet>
    </Sheets>
  );
}

function Accept({ collection, secret }: InvitationLink) {
  const [token, setOwn] = useState<string>();
  // A click accepts, not the visit: programs that look at links in mails would use the invitation up.
  const { busy, error, run } = useAction(async () =>
    setOwn(await service({ token: secret }).collection(collection).use(invitations).accept()),
  );
  const use = () => {
    setToken(token);
    forget();
    go(urlOf([]), { replace: true });
  };
  if (token !== undefined)
    return (
      <div class="card">
        <SecretOnce title={ti('acceptToken', { name: collection })} secret={token} onDone={use} />
      </div>
    );
  return (
    <div class="form sign-in">
      <p>{ti('acceptHelp', { name: collection })}</p>
      {error?.status === 401 ? (
        <p class="note st-rejected" role="alert">
          {ti('acceptRefused')}
        </p>
      ) : (
        error && <ErrorNote error={error} />
      )}
      <div class="btns">
        <button type="button" class="btn primary" disabled={busy} onClick={run}>
          {ti('accept')}
        </button>
      </div>
    </div>
  );
}
