/** A place that does not exist, or that the token may not see. */

import { Empty } from '../shared/notes.tsx';
import { signInUrl, urlOf } from '../shared/router.ts';
import { session } from '../shared/session.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { t } from '../texts/texts.ts';

export function NotFound({ forbidden = false }: { forbidden?: boolean }) {
  const title = t(forbidden ? 'error.forbidden' : 'error.missing');
  return (
    <Sheets>
      <MainSheet title={title}>
        <div class="page narrow">
          <Empty title={title}>
            <p>{t(session.isGuest.value ? 'notFound.guest' : 'notFound.help')}</p>
            <p class="btns">
              <a class="btn" href={urlOf([])}>
                {t('rail.home')}
              </a>
              {session.isGuest.value && (
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
