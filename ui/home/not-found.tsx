/** A place that does not exist, or that the token may not see. */

import { Empty } from '../shared/notes.tsx';
import { signInUrl, urlOf } from '../shared/router.ts';
import { session } from '../shared/session.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { t } from '../texts/texts.ts';

export function NotFound({ forbidden = false }: { forbidden?: boolean }) {
  const isGuest = session.isGuest.value;
  const title = t(forbidden ? (isGuest ? 'error.guest' : 'error.forbidden') : 'error.missing');
  return (
    <Sheets>
      <MainSheet title={title}>
        <div class="page narrow">
          <Empty title={title}>
            <p>{t(isGuest ? 'notFound.guest' : 'notFound.help')}</p>
            <p class="btns">
              <a class="btn" href={urlOf([])}>
                {t('rail.home')}
              </a>
              {isGuest && (
                <a class="btn primary" href={signInUrl()}>
                  {t('signIn.action')}
                </a>
              )}
            </p>
          </Empty>
        </div>
      </MainSheet>
    </Sheets>
  );
}
