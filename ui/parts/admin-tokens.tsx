/** Tokens: who may do what, new secrets shown once. */

import { useEffect, useState } from 'preact/hooks';
import type { ClientError } from '../../src/client/client.ts';
import { type Collection, newSecret, sha256, type Token, WRITING } from '../base/admin.ts';
import { guard } from '../base/router.ts';
import { forget } from '../base/schema.ts';
import { service } from '../base/service.ts';
import { t } from '../texts/texts.ts';
import { Copy } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { Icon } from './icons.tsx';
import { ErrorNote } from './notes.tsx';
import { StateMark } from './state.tsx';
import { toast } from './toast.tsx';
import { TokenDialog } from './token-dialog.tsx';

export function AdminTokens({
  collections,
  tokens,
}: {
  collections: readonly Collection[];
  tokens: readonly Token[];
}) {
  const [editing, setEditing] = useState<Token | 'new'>();
  const [created, setCreated] = useState<{ name: string; secret: string }>();
  const [deleting, setDeleting] = useState<Token>();
  const store = async (token: Token, isNew: boolean) => {
    if (!isNew) {
      await service().configuration.put('tokens', token);
      toast(t('tokens.saved', { name: token.name }));
    } else {
      const secret = newSecret();
      const stored = { ...token, hashed: true, representation: await sha256(secret) };
      await service().configuration.create('tokens', stored);
      setCreated({ name: token.name, secret });
    }
    forget();
    setEditing(undefined);
  };
  return (
    <>
      <div class="head first">
        <h2>
          {t('admin.tokens')} <span class="faint">{tokens.length}</span>
        </h2>
        <span class="push" />
        <button type="button" class="btn" onClick={() => setEditing('new')}>
          <Icon name="plus" />
          {t('tokens.new')}
        </button>
      </div>
      <div class="card">
        {created && <Created {...created} onDone={() => setCreated(undefined)} />}
        <table class="table list-like">
          <caption class="vh">{t('admin.tokens')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('tokens.name')}</th>
              <th scope="col" class="opt">
                {t('tokens.user')}
              </th>
              <th scope="col" class="opt">
                {t('tokens.rights')}
              </th>
              <th scope="col" class="w-s right">
                <span class="vh">{t('tokens.actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <tr key={token.name}>
                <td>
                  <div class="main">
                    <button type="button" class="linkish strong" onClick={() => setEditing(token)}>
                      <bdi>{token.name}</bdi>
                    </button>
                  </div>
                  <div class="under">
                    <span>
                      {token.user_id} · {rights(token)}
                    </span>
                  </div>
                </td>
                <td class="opt muted">
                  <bdi>{token.user_id}</bdi>
                </td>
                <td class="opt muted">{rights(token)}</td>
                <td class="right">
                  <button
                    type="button"
                    class="icon"
                    aria-label={t('tokens.delete', { name: token.name })}
                    onClick={() => setDeleting(token)}
                  >
                    <Icon name="trash" />
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {editing && (
        <TokenDialog
          collections={collections}
          token={editing === 'new' ? undefined : editing}
          onStore={store}
          onClose={() => setEditing(undefined)}
        />
      )}
      {deleting && <DeleteToken token={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

function rights({ collections }: Token): string {
  return Object.entries(collections)
    .map(
      ([name, { mode, incoming_label: label }]) =>
        `${name}: ${mode}${label && WRITING.has(mode) ? ` (${label})` : ''}`,
    )
    .join(', ');
}

function Created({ name, secret, onDone }: { name: string; secret: string; onDone: () => void }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (copied) return undefined;
    guard.ask = () => confirm(t('tokens.leave'));
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      guard.ask = undefined;
      removeEventListener('beforeunload', warn);
    };
  }, [copied]);
  return (
    <div class="note st-new new-token" role="status">
      <StateMark name="accepted" />
      <div>
        <p>
          <b class="strong">{t('tokens.created', { name })}</b> {t('tokens.copyNow')}
        </p>
        <p class="secret">
          <span class="mono" data-secret>
            {secret}
          </span>
          <Copy big text={secret} label={t('action.copy')} onCopied={() => setCopied(true)} />
        </p>
        <p>
          <button type="button" class="linkish" onClick={onDone}>
            {t('tokens.done')}
          </button>
        </p>
      </div>
    </div>
  );
}

function DeleteToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const [error, setError] = useState<ClientError>();
  const run = async () => {
    try {
      await service().configuration.remove('tokens', token.name);
      toast(t('tokens.deleted', { name: token.name }));
      forget();
      onClose();
    } catch (problem) {
      setError(problem as ClientError);
    }
  };
  return (
    <Dialog
      danger
      title={t('tokens.deleteTitle', { name: token.name })}
      confirm={t('delete.delete')}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{t('tokens.deleteHelp', { user: token.user_id })}</p>
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}
