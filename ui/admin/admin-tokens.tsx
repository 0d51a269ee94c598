/** Tokens of administrators: names, new ones whose secret is made here and shown once, and their end. */
import { useState } from 'preact/hooks';
import { useAction } from '../shared/action.ts';
import { TrashButton } from '../shared/delete-element.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { useKept } from '../shared/kept.ts';
import { useLoad } from '../shared/load.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { forget, written } from '../shared/schema.ts';
import { SecretOnce } from '../shared/secret-once.tsx';
import { service } from '../shared/service.ts';
import { session } from '../shared/session.ts';
import { TextField } from '../shared/text-field.tsx';
import { t } from '../texts/texts.ts';
import { AdminList } from './element-list.tsx';
import { ta } from './texts.ts';

type AdminToken = { readonly name: string };

const SECRET_BYTES = 24;

export function AdministratorTokens() {
  const { value, error, reload } = useLoad(
    'admin-tokens',
    (signal) => service({ signal }).configuration.list<AdminToken>('admin_tokens'),
    written.value,
  );
  const [created, setCreated] = useState<{ name: string; secret: string }>();
  const own = session.me.value?.user_id;
  return (
    <section class="admin-tokens" aria-label={ta('adminTokens')}>
      <AdminList<AdminToken>
        kind="admin_tokens"
        title={ta('adminTokens')}
        count={value?.length ?? 0}
        add={ta('adminNew')}
        form={(_, close) => (
          <AdminTokenDialog
            onCreated={(made) => {
              setCreated(made);
              forget();
              close();
            }}
            onClose={close}
          />
        )}
        deleting={({ name }) => ({
          title: ta('adminDeleteTitle', { name }),
          help: ta(name === own ? 'adminDeleteOwn' : 'adminDeleteHelp'),
          done: ta('adminDeleted', { name }),
        })}
      >
        {({ remove }) => (
          <>
            <p class="muted small">{ta('adminHelp')}</p>
            {error && <ErrorNote error={error} retry={reload} />}
            {created && (
              <div class="card">
                <SecretOnce
                  title={ta('adminCreated', { name: created.name })}
                  secret={created.secret}
                  onDone={() => setCreated(undefined)}
                />
              </div>
            )}
            <ul class="list">
              {value?.map((token) => (
                <li class="line" key={token.name}>
                  <span>
                    <bdi class="strong">{token.name}</bdi>{' '}
                    {token.name === own && <span class="muted">{ta('adminOwn')}</span>}
                  </span>
                  <TrashButton
                    label={t('tokens.delete', { name: token.name })}
                    onClick={() => remove(token)}
                  />
                </li>
              ))}
            </ul>
          </>
        )}
      </AdminList>
    </section>
  );
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function AdminTokenDialog(props: {
  onCreated: (made: { name: string; secret: string }) => void;
  onClose: () => void;
}) {
  const { onCreated, onClose } = props;
  const [typed, setName, forgetName] = useKept<string>('admin-token', '');
  // The service is sent the hash alone, and browsers hash only on pages that came over HTTPS or from this machine.
  const canHash = isSecureContext;
  const { busy, error, run } = useAction(async () => {
    const name = typed.trim();
    const secret = hex(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
    const representation = hex(new Uint8Array(digest));
    await service().configuration.create('admin_tokens', { name, representation });
    forgetName();
    onCreated({ name, secret });
  });
  return (
    <Dialog
      busy={busy || !canHash}
      error={error}
      title={ta('adminNew')}
      confirm={t('tokens.create')}
      onConfirm={run}
      onClose={onClose}
    >
      <TextField
        id="admin-token-name"
        label={t('tokens.name')}
        help={ta(canHash ? 'adminNameHelp' : 'adminInsecure')}
        first
        value={typed}
        onText={setName}
      />
    </Dialog>
  );
}
