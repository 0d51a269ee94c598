/** Empty states, loading rows, and errors in the place of the content. */

import type { ComponentChildren } from 'preact';
import type { ClientError } from '../../src/client/client.ts';
import { t } from '../texts/texts.ts';
import { isNotDone, isUnknown } from './connection.ts';
import { Icon } from './icons.tsx';
import { isPassing } from './load.ts';
import { signInUrl } from './router.ts';
import { session } from './session.ts';
import { StateMark, type StateName } from './state.tsx';

export function Empty({
  title,
  mark,
  children,
}: {
  title: string;
  mark?: StateName;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      {mark && <StateMark name={mark} size={28} />}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Skeleton rows with the height of real ones. */
export function Bones({ rows = 6 }: { rows?: number | undefined }) {
  const widths = [18, 38, 26, 32, 22, 35];
  return (
    <div class="bones" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <svg key={row} width="100%" height="36" aria-hidden="true">
          <rect class="bone" x="0" y="13" width={`${widths[row % 6]}%`} height="10" rx="3" />
          <rect class="bone" x="45%" y="13" width={`${widths[(row + 2) % 6]}%`} height="10" rx="3" />
        </svg>
      ))}
    </div>
  );
}

type LoadingProps = { error: ClientError | undefined; retry: () => void; rows?: number };

/** Stands for a value that is not loaded: why it cannot be, or bones until it is. */
export function Loading({ error, retry, rows }: LoadingProps) {
  return error ? <ErrorNote error={error} retry={retry} /> : <Bones rows={rows} />;
}

/** What an error means for what was tried. */
function titleOf(error: ClientError): string {
  const { status } = error;
  if (isUnknown(error)) return t('error.unknown');
  if (isNotDone(error)) return t('error.notDone');
  if (status === 0) return t('error.offline');
  if (status === 401) return t('error.signedOut');
  if (status === 403) return t(session.isGuest.value ? 'error.guest' : 'error.forbidden');
  if (status === 404) return t('error.missing');
  if (status === -1) return t('error.desk');
  return t(isPassing(status) ? 'error.passing' : 'error.title');
}

/** An error in one sentence: the words of the service, if it has answered. */
export function sentenceOf(error: ClientError): string {
  return error.status === 0 ? titleOf(error) : error.message;
}

/** A refusal in the words of the service, with a way on. */
export function ErrorNote({
  error,
  retry,
  unknown,
}: {
  error: ClientError;
  retry?: (() => void) | undefined;
  /** What to do if the answer was lost, where that is more than to look. */
  unknown?: string | undefined;
}) {
  const isRefused = error.status === 401;
  const isOwn = error.status === -1;
  // Another try would be answered the same.
  const isFinal = isRefused || error.status === 403 || error.status === 404;
  const isGuest = error.status === 403 && session.isGuest.value;
  const maySignIn = isRefused || isGuest;
  return (
    <div class="note st-rejected error-note" role="alert">
      <Icon name="warning" />
      <div>
        <p class="strong">{unknown !== undefined && isUnknown(error) ? unknown : titleOf(error)}</p>
        {error.status !== 0 && !isGuest && <p class="pre">{error.message}</p>}
        <p class="btns">
          {retry && !isFinal && (
            <button type="button" class="btn" onClick={retry}>
              {t('action.retry')}
            </button>
          )}
          {isOwn && (
            <button type="button" class="btn" onClick={() => location.reload()}>
              {t('action.reload')}
            </button>
          )}
          {maySignIn && (
            <a class="btn primary" href={signInUrl()}>
              {t('signIn.action')}
            </a>
          )}
        </p>
      </div>
    </div>
  );
}

/** A progress bar of long work with a count. */
export function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  return <progress class="progress" value={done} max={Math.max(total, 1)} aria-label={label} />;
}
