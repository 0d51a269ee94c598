/** Accepts an invitation: its secret, from the fragment of the link, is exchanged for a token that is shown once. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { go, urlOf } from '../../../../ui/shared/router.ts';
import { forget } from '../../../../ui/shared/schema.ts';
import { SecretOnce } from '../../../../ui/shared/secret-once.tsx';
import { service } from '../../../../ui/shared/service.ts';
import { setToken } from '../../../../ui/shared/session.ts';
import { t } from '../../../../ui/texts/texts.ts';

export type Invitation = { readonly collection: string; readonly secret: string };

/** Takes the invitation out of the address, so that the history of the browser does not keep the secret. */
export function takeInvitation(): Invitation | undefined {
  const parts = new URLSearchParams(location.hash.slice(1));
  const [collection, secret] = [parts.get('collection'), parts.get('invitation')];
  if (collection === null || secret === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return { collection, secret };
}

export function AcceptInvitation({ invitation }: { invitation: Invitation }) {
  const { collection, secret } = invitation;
  const [token, setOwn] = useState<string>();
  // A click accepts, not the visit: programs that look at links in mails would use the invitation up.
  const { busy, error, run } = useAction(async () =>
    setOwn(await service({ token: secret }).acceptInvitation(collection)),
  );
  const use = () => {
    setToken(token);
    forget();
    go(urlOf([]), { replace: true });
  };
  if (token !== undefined)
    return (
      <div class="card">
        <SecretOnce title={t('invitation.token', { name: collection })} secret={token} onDone={use} />
      </div>
    );
  return (
    <div class="form sign-in">
      <p>{t('invitation.help', { name: collection })}</p>
      {error?.status === 401 ? (
        <p class="note st-rejected" role="alert">
          {t('invitation.refused')}
        </p>
      ) : (
        error && <ErrorNote error={error} />
      )}
      <div class="btns">
        <button type="button" class="btn primary" disabled={busy} onClick={run}>
          {t('invitation.accept')}
        </button>
      </div>
    </div>
  );
}
