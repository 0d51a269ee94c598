/** Blocks an identity that has not signed in, such as one that sends tokens of its source alone. */
import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { service } from '../../../../ui/shared/service.ts';
import { signIn } from '../client.ts';
import { IdentityFields, useIdentity } from './identity-fields.tsx';
import { ts } from './texts.ts';

export function BlockDialog(props: { onBlocked: (subject: string) => void; onClose: () => void }) {
  const { onBlocked, onClose } = props;
  const entered = useIdentity();
  const { busy, error, run } = useAction(async () => {
    await service().use(signIn).block(entered.identity);
    onBlocked(entered.identity.subject);
  });
  const problem = error?.problems.find(({ loc }) => loc.includes('subject'))?.msg;
  return (
    <Dialog
      danger
      busy={busy}
      error={problem === undefined ? error : undefined}
      title={ts('people.blockOther')}
      confirm={ts('people.block')}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{ts('people.blockOtherHelp')}</p>
      <IdentityFields entered={entered} problem={problem} />
    </Dialog>
  );
}
