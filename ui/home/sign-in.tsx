/** A token for this tab; afterwards the view that asked for it. */

import { useContext, useState } from 'preact/hooks';
import { People } from '../shared/people.ts';
import { DESK, go, pathOf, place, urlOf } from '../shared/router.ts';
import { forget } from '../shared/schema.ts';
import { ClientError, service } from '../shared/service.ts';
import { session, setToken } from '../shared/session.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { StateMark } from '../shared/state.tsx';
import { t } from '../texts/texts.ts';
import { FirstContact } from './first-contact.tsx';

export function SignIn() {
  const [token, setText] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const people = useContext(People);
  const submit = async (event: Event) => {
    event.preventDefault();
    const value = token.trim();
    if (value === '') return setProblem(t('signIn.empty'));
    setBusy(true);
    try {
      const me = await service({ token: value }).me();
      setToken(value);
      session.me.value = me;
      forget();
      go(nextPlace(), { replace: true });
    } catch (error) {
      const refused = error instanceof ClientError && error.status === 401;
      setProblem(
        refused
          ? t('signIn.refused')
          : error instanceof ClientError && error.status === 0
            ? t('error.offline')
            : String((error as Error).message),
      );
      setBusy(false);
    }
  };
  return (
    <Sheets>
      <MainSheet title={t('signIn.title')}>
        <div class="page">
          {people && (
            <div class="form sign-in">
              <people.Ways next={nextPlace()} />
            </div>
          )}
          <form class="form sign-in" onSubmit={submit} noValidate>
            <p class="muted">
              {t('signIn.help')} {t('signIn.shared')}
            </p>
            <div class={problem ? 'field bad' : 'field'}>
              <label for="token">{t('signIn.token')}</label>
              <input
                class="input mono"
                id="token"
                type="password"
                autoComplete="off"
                spellcheck={false}
                value={token}
                aria-describedby={problem ? 'token-error' : undefined}
                aria-invalid={problem !== ''}
                onInput={(event) => {
                  setText(event.currentTarget.value);
                  setProblem('');
                }}
              />
              {problem && (
                <p class="error" id="token-error" role="alert">
                  <StateMark name="rejected" />
                  {problem}
                </p>
              )}
            </div>
            <div class="btns">
              <button type="submit" class="btn primary" disabled={busy}>
                {t('signIn.action')}
              </button>
            </div>
          </form>
          <FirstContact to={pathOf(nextPlace())[0]} />
        </div>
      </MainSheet>
    </Sheets>
  );
}

/** Only places within the desk: a link must not send people elsewhere. */
function nextPlace(): string {
  const next = place.value.query.get('next');
  const url = next === null ? null : URL.parse(next, location.origin);
  const isOurs = url !== null && url.origin === location.origin && url.pathname.startsWith(DESK.pathname);
  return isOurs ? url.pathname + url.search : urlOf([]);
}
