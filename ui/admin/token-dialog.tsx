/** A token: name, user, a mode for each collection, and its end. */
import { useState } from 'preact/hooks';
import { useAction } from '../shared/action.ts';
import { isDay } from '../shared/days.ts';
import { Dialog } from '../shared/dialog.tsx';
import { useKept } from '../shared/kept.ts';
import { SelectField } from '../shared/select-field.tsx';
import { TextField } from '../shared/text-field.tsx';
import { t } from '../texts/texts.ts';
import { type Collection, MODES, type Token, WRITING } from './elements.ts';
import { modeWords, ta } from './texts.ts';

type Rights = Record<string, { mode: string; incoming_label?: string }>;
type FormInput = { name: string; user: string; rights: Rights; expires: string };

/** The fields of the form, by the keys of the token. */
const FIELDS = { name: 'name', user_id: 'user', expires: 'expires' } as const;

export function TokenDialog({
  collections,
  token,
  onStore,
  onClose,
}: {
  collections: readonly Collection[];
  token: Token | undefined;
  onStore: (token: Token, isNew: boolean) => Promise<void>;
  onClose: () => void;
}) {
  const initial: FormInput = {
    name: token?.name ?? '',
    user: token?.user_id ?? '',
    rights: { ...token?.collections } as Rights,
    expires: token?.expires ?? '',
  };
  const [typed, change, forget] = useKept(`token/${JSON.stringify(initial)}`, initial);
  const { name, user, rights, expires } = typed;
  const [sent, setSent] = useState(typed);
  const { busy, error, run } = useAction(async () => {
    setSent(typed);
    const { expires: _, ...rest } = token ?? {};
    const end = expires.trim() === '' ? {} : { expires: expires.trim() };
    const changed = { ...rest, ...end, name: name.trim(), user_id: user.trim(), collections: rights };
    await onStore(changed, token === undefined);
    forget();
  });
  const problemIn = (key: keyof typeof FIELDS) => {
    const problem = error?.problems.find(({ loc }) => loc[1] === key);
    const field = FIELDS[key];
    // Another value is judged when it is sent.
    if (!problem || typed[field] !== sent[field]) return undefined;
    return typed[field].trim() === '' ? ta('required') : problem.msg;
  };
  const isAtField = error?.problems.some(({ loc }) => Object.hasOwn(FIELDS, loc[1] ?? ''));
  const setMode = (collection: string, mode: string) => {
    const next = { ...rights };
    if (mode === '') delete next[collection];
    else
      next[collection] = {
        mode,
        ...(WRITING.has(mode)
          ? { incoming_label: rights[collection]?.incoming_label || name.trim() || 'zone' }
          : {}),
      };
    change({ ...typed, rights: next });
  };
  const modes = (current: string | undefined) =>
    current && !(MODES as readonly string[]).includes(current) ? [...MODES, current] : MODES;
  return (
    <Dialog
      wide
      busy={busy}
      error={isAtField ? undefined : error}
      title={token ? t('tokens.edit', { name: token.name }) : t('tokens.new')}
      confirm={t(token ? 'form.save' : 'tokens.create')}
      onConfirm={run}
      onClose={onClose}
    >
      <div class="two-up">
        <TextField
          id="token-name"
          label={t('tokens.name')}
          first
          readOnly={token !== undefined}
          problem={problemIn('name')}
          value={name}
          onText={(text) => change({ ...typed, name: text })}
        />
        <TextField
          id="token-user"
          label={t('tokens.user')}
          problem={problemIn('user_id')}
          value={user}
          onText={(text) => change({ ...typed, user: text })}
        />
      </div>
      {collections.map(({ name: collection }) => {
        const current = rights[collection];
        return (
          <div class="two-up" key={collection}>
            <SelectField
              id={`mode-${collection}`}
              label={t('tokens.modeIn', { name: collection })}
              value={current?.mode ?? ''}
              onChoose={(chosen) => setMode(collection, chosen)}
            >
              <option value="">{t('tokens.none')}</option>
              {modes(current?.mode).map((mode) => (
                <option key={mode} value={mode}>
                  {modeWords(mode)} ({mode})
                </option>
              ))}
            </SelectField>
            {current && WRITING.has(current.mode) && (
              <TextField
                id={`zone-${collection}`}
                label={t('record.zone')}
                mono
                value={current.incoming_label ?? ''}
                onText={(text) =>
                  change({
                    ...typed,
                    rights: { ...rights, [collection]: { ...current, incoming_label: text } },
                  })
                }
              />
            )}
          </div>
        );
      })}
      <TextField
        id="token-expires"
        label={ta('expires')}
        help={ta('expiresHelp')}
        problem={problemIn('expires')}
        // A time of day is kept as it was written.
        type={initial.expires === '' || isDay(initial.expires) ? 'date' : 'text'}
        value={expires}
        onText={(text) => change({ ...typed, expires: text })}
      />
      {!token && <p class="small muted">{t('tokens.secretHelp')}</p>}
    </Dialog>
  );
}
