/** What a person gets in a collection: chosen for someone who is known, or for an identity that has not signed in yet. */
import { useState } from 'preact/hooks';
import { ModeOptions } from '../../../../ui/admin/mode-options.tsx';
import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { SelectField } from '../../../../ui/shared/select-field.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import { grants, type PutIdentityGrant } from '../client.ts';
import { IdentityFields, useIdentity } from './identity-fields.tsx';
import { ts } from './texts.ts';

export type Grantee = { readonly source: string; readonly subject: string; readonly name: string };

export function GrantDialog(props: {
  collection: string;
  grantee: Partial<Grantee>;
  onGranted: (name: string) => void;
  onClose: () => void;
}) {
  const { collection, grantee, onGranted, onClose } = props;
  const isKnown = grantee.subject !== undefined;
  const entered = useIdentity(grantee);
  const [name, setName] = useState(grantee.name ?? '');
  const [mode, setMode] = useState<string>('WRITE_COLLECTION');
  const [expires, setExpires] = useState('');
  const { busy, error, run } = useAction(async () => {
    const { source, subject } = entered.identity;
    const called = name.trim() || subject;
    await lab(collection)
      .use(grants)
      .put({
        source,
        subject,
        name: called,
        mode: mode as PutIdentityGrant['mode'],
        ...(expires !== '' && { expires }),
      });
    onGranted(called);
  });
  const problemIn = (key: string) => error?.problems.find(({ loc }) => loc.includes(key))?.msg;
  const isShown = ['subject', 'expires'].some((key) => problemIn(key) !== undefined);
  return (
    <Dialog
      wide
      busy={busy}
      error={isShown ? undefined : error}
      title={isKnown ? `${ts('grant.add')}: ${name}` : ts('grant.add')}
      confirm={ts('grant.confirm')}
      onConfirm={run}
      onClose={onClose}
    >
      {!isKnown && (
        <>
          <IdentityFields entered={entered} problem={problemIn('subject')} />
          <TextField id="grant-name" label={ts('grant.name')} value={name} onText={setName} />
        </>
      )}
      <SelectField
        first={isKnown}
        id="grant-mode"
        label={t('tokens.modeIn', { name: collection })}
        value={mode}
        onChoose={setMode}
      >
        <ModeOptions />
      </SelectField>
      <TextField
        id="grant-expires"
        label={ts('grant.expires')}
        help={ts('grant.expires_help')}
        problem={problemIn('expires')}
        type="date"
        value={expires}
        onText={setExpires}
      />
    </Dialog>
  );
}
