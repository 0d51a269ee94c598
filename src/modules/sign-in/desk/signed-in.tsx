/** Where a person comes back to from a source: the token of the session is taken from the service once, and the desk goes on. */
import { useEffect, useState } from 'preact/hooks';
import { Empty } from '../../../../ui/shared/notes.tsx';
import { go, place, SERVICE, urlOf } from '../../../../ui/shared/router.ts';
import { forget } from '../../../../ui/shared/schema.ts';
import { setToken } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import type { SignedIn as Session } from '../api-types.ts';
import { ts } from './texts.ts';

const PROBLEMS = ['sign_in_insecure', 'sign_in_refused', 'sign_in_unavailable', 'sign_in_unknown'] as const;
type Problem = (typeof PROBLEMS)[number];

export function SignedIn() {
  const { query } = place.value;
  const given = query.get('problem');
  const [problem, setProblem] = useState<Problem | undefined>(
    given === null ? undefined : (PROBLEMS.find((one) => one === given) ?? 'sign_in_refused'),
  );
  useEffect(() => {
    if (problem !== undefined) return;
    takeSession().then(
      ({ token, return: to }) => {
        setToken(token);
        forget();
        go(to, { replace: true });
      },
      () => setProblem('sign_in_refused'),
    );
  }, []);
  return (
    <Sheets>
      <MainSheet title={ts('signedIn.title')}>
        <div class="page narrow">
          {problem === undefined ? (
            <p class="muted" role="status">
              {ts('signedIn.busy')}
            </p>
          ) : (
            <Empty title={ts('signedIn.failed')}>
              <p role="alert">{ts(`signedIn.${problem}`, { source: query.get('source') ?? '' })}</p>
              <p class="btns">
                <a class="btn primary" href={urlOf(['sign-in'])}>
                  {ts('signedIn.again')}
                </a>
              </p>
            </Empty>
          )}
        </div>
      </MainSheet>
    </Sheets>
  );
}

/** The one request of the desk with a cookie: it has the session for a minute, and no script can read it. */
async function takeSession(): Promise<Session> {
  const response = await fetch(new URL('-/sign-in/session', SERVICE), {
    method: 'POST',
    credentials: 'same-origin',
    cache: 'no-store',
  });
  if (!response.ok) throw new Error(`The service responded with ${response.status}.`);
  return response.json() as Promise<Session>;
}
