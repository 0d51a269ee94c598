/** Tokens: who may do what, new secrets shown once. */

import { useState } from 'preact/hooks';
import { TrashButton } from '../shared/delete-element.tsx';
import { Icon } from '../shared/icons.tsx';
import { useLoad } from '../shared/load.ts';
import { forget } from '../shared/schema.ts';
import { SecretOnce } from '../shared/secret-once.tsx';
import { service } from '../shared/service.ts';
import { calendarDate, shortTime } from '../shared/time.ts';
import { toast } from '../shared/toast.tsx';
import { t } from '../texts/texts.ts';
import { AdminList } from './element-list.tsx';
import { type Collection, readStatus, type Token, WRITING } from './elements.ts';
import { RotateDialog } from './rotate-dialog.tsx';
import { modeWords, ta } from './texts.ts';
import { TokenDialog } from './token-dialog.tsx';

export function AdminTokens({
  collections,
  tokens,
}: {
  collections: readonly Collection[];
  tokens: readonly Token[];
}) {
  const uses = useLoad('status', readStatus).value?.tokens ?? [];
  // Uses of default tokens are not noted.
  const lastUsed = new Map(uses.map(({ name, last_used: time }) => [name, time]));
  const [created, setCreated] = useState<{ name: string; secret: string }>();
  const [rotating, setRotating] = useState<string>();
  const [words, setWords] = useState('');
  const [isByUse, setByUse] = useState(false);
  const wanted = words.trim().toLowerCase();
  const found = tokens.filter((token) =>
    [token.name, token.user_id, ...rights(token)].some((one) => one.toLowerCase().includes(wanted)),
  );
  const timeOf = ({ name }: Token) => lastUsed.get(name) ?? '';
  const shown = found.toSorted(
    (a, b) => (isByUse ? timeOf(b).localeCompare(timeOf(a)) : 0) || a.name.localeCompare(b.name),
  );
  const store = async (token: Token, isNew: boolean, close: () => void) => {
    if (!isNew) {
      await service().configuration.put('tokens', token);
      toast(t('tokens.saved', { name: token.name }));
    } else {
      // The service makes the secret: browsers hash only on pages that came over HTTPS.
      const made = await service().configuration.create<Token>('tokens', { ...token, hashed: true });
      setCreated({ name: token.name, secret: made.representation ?? '' });
    }
    forget();
    close();
  };
  return (
    <AdminList<Token>
      kind="tokens"
      title={t('admin.tokens')}
      count={tokens.length}
      add={t('tokens.new')}
      form={(token, close) => (
        <TokenDialog
          collections={collections}
          token={token}
          onStore={(changed, isNew) => store(changed, isNew, close)}
          onClose={close}
        />
      )}
      deleting={({ name, user_id: user }) => ({
        title: t('tokens.deleteTitle', { name }),
        help: t('tokens.deleteHelp', { user }),
        done: t('tokens.deleted', { name }),
      })}
    >
      {({ edit, remove }) => (
        <div class="card">
          {tokens.length > FEW && (
            <div class="mend-tools">
              <label class="field">
                {ta('search')}
                <input
                  class="input"
                  type="search"
                  value={words}
                  onInput={(event) => setWords(event.currentTarget.value)}
                />
              </label>
              <label class="field">
                {ta('sortedBy')}
                <select
                  class="input"
                  value={isByUse ? 'use' : 'name'}
                  onChange={(event) => setByUse(event.currentTarget.value === 'use')}
                >
                  <option value="name">{ta('byName')}</option>
                  <option value="use">{ta('byUse')}</option>
                </select>
              </label>
              {shown.length === 0 && <p role="status">{ta('noToken')}</p>}
            </div>
          )}
          {created && (
            <SecretOnce
              title={t('tokens.created', { name: created.name })}
              secret={created.secret}
              onDone={() => setCreated(undefined)}
            />
          )}
          {rotating !== undefined && (
            <RotateDialog
              name={rotating}
              onSecret={(secret) => setCreated({ name: rotating, secret })}
              onClose={() => setRotating(undefined)}
            />
          )}
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
                <th scope="col" class="opt w-time right">
                  {t('tokens.lastUsed')}
                </th>
                <th scope="col" class="w-s right">
                  <span class="vh">{t('tokens.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((token) => (
                <tr key={token.name}>
                  <td>
                    <div class="main">
                      <button type="button" class="linkish strong" onClick={() => edit(token)}>
                        <bdi>{token.name}</bdi>
                      </button>
                    </div>
                    <div class="under">
                      <span>
                        {token.user_id} · {rights(token).join('; ')}
                      </span>
                    </div>
                  </td>
                  <td class="opt muted">
                    <bdi>{token.user_id}</bdi>
                  </td>
                  <td class="opt muted wrap">
                    {rights(token).map((right) => (
                      <div key={right}>{right}</div>
                    ))}
                  </td>
                  <td class="opt muted right">
                    {lastUsed.has(token.name) &&
                      (shortTime(lastUsed.get(token.name)) || t('tokens.neverUsed'))}
                  </td>
                  <td class="right">
                    <button
                      type="button"
                      class="icon"
                      aria-label={ta('rotateOf', { name: token.name })}
                      title={ta('rotate')}
                      onClick={() => setRotating(token.name)}
                    >
                      <Icon name="key" />
                    </button>
                    <TrashButton
                      label={t('tokens.delete', { name: token.name })}
                      onClick={() => remove(token)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </AdminList>
  );
}

/** Up to here, tokens are found by looking. */
const FEW = 10;

/** The permissions of a token in each collection, until when it has them, and whether everybody with a link does. */
function rights({ collections, expires, shared_link: link }: Token): string[] {
  const all = Object.entries(collections).map(
    ([name, { mode, incoming_label: label }]) =>
      `${name}: ${modeWords(mode)}${label && WRITING.has(mode) ? ` (${ta('inZone', { label })})` : ''}`,
  );
  const end = expires && ta('until', { end: calendarDate(expires) });
  return [
    ...(all.length > 0 ? all : [ta('NOTHING')]),
    ...(end ? [end] : []),
    ...(link ? [ta('sharedLink', link)] : []),
  ];
}
