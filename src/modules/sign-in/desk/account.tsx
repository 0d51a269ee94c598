/** What someone has who has signed in, in the dialog of the account. */
import { useAction } from '../../../../ui/shared/action.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { service } from '../../../../ui/shared/service.ts';
import { signIn } from '../client.ts';
import { ts } from './texts.ts';

export function AccountLinks({ onClose, onSignedOut }: { onClose: () => void; onSignedOut: () => void }) {
  const { busy, error, run } = useAction(async () => {
    await service().use(signIn).signOut({ everywhere: true });
    onSignedOut();
  });
  return (
    <>
      <p class="btns">
        <a class="btn" href={urlOf(['my-tokens'])} onClick={onClose}>
          {ts('account.tokens')}
        </a>
        <button type="button" class="btn" disabled={busy} onClick={run}>
          {ts('account.everywhere')}
        </button>
      </p>
      {error && <ErrorNote error={error} />}
    </>
  );
}
