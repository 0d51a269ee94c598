/** Who is signed in, language and theme, and signing out. */
import { signal } from '@preact/signals';
import { Dialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icons.tsx';
import { usePerson } from '../shared/people.ts';
import { go, urlOf } from '../shared/router.ts';
import { forget } from '../shared/schema.ts';
import { session, setToken } from '../shared/session.ts';
import { chooseLanguage, language, t } from '../texts/texts.ts';
import { endSession } from './people.tsx';
import { switchTheme } from './theme.ts';

const open = signal(false);
export function openAccount(): void {
  open.value = true;
}

/** Ends the session at the service, and in all tabs that have it. */
export function signOut(): void {
  endSession();
  setToken(undefined);
  forget();
  go(urlOf([]));
}

export function AccountPlace() {
  const person = usePerson();
  if (!open.value) return null;
  const close = () => {
    open.value = false;
  };
  const { user_id, admin, collections } = session.me.value ?? {
    user_id: null,
    admin: false,
    collections: {},
  };
  const leave = () => {
    close();
    signOut();
  };
  return (
    <Dialog title={user_id ?? t('rail.administrator')} onClose={close}>
      {admin && <p class="small">{t('account.admin')}</p>}
      <dl class="slots tight">
        {Object.entries(collections).map(([name, { permissions, label }]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {permissions.map((one) => t(`permission.${one}`)).join(', ') || t('may.nothing')}
              {label && <span class="faint"> · {t('account.zone', { label })}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {person && <person.Account onClose={close} onSignedOut={leave} />}
      <label class="field two-up">
        <span class="label">{t('account.language')}</span>
        <select
          class="input"
          value={language.value}
          onChange={(event) => chooseLanguage(event.currentTarget.value)}
        >
          <option value="en">English</option>
          <option value="de">Deutsch</option>
        </select>
      </label>
      <p class="btns">
        <button type="button" class="btn" onClick={switchTheme}>
          <Icon name="theme" />
          {t('account.theme')} <kbd>T</kbd>
        </button>
        <button type="button" class="btn" onClick={leave}>
          <Icon name="leave" />
          {t('account.signOut')}
        </button>
      </p>
    </Dialog>
  );
}
