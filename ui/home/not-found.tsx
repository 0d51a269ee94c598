/** A place that does not exist, or that the token may not see, as none may be seen with one that has ended. */

import { Empty } from '../shared/notes.tsx';
import { place, signInUrl, urlOf } from '../shared/router.ts';
import { session } from '../shared/session.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { t } from '../texts/texts.ts';
import { FirstContact } from './first-contact.tsx';

export function NotFound({ forbidden = false }: { forbidden?: boolean }) {
  const isGuest = session.isGuest.value;
  const isOver = session.isOver.value;
  const [first] = place.value.path;
  /** Whether the token permits nothing in the collection that a link leads to. */
  const isForeign = !isOver && (session.me.value?.collections[first ?? '']?.permissions.length ?? 0) === 0;
  const title = t(
    isOver || (forbidden && isGuest) ? 'error.guest' : forbidden ? 'error.forbidden' : 'error.missing',
  );
  return (
    <Sheets>
      <MainSheet title={title}>
        <div class="page narrow">
          <Empty title={title}>
            <p>{t(isOver ? 'notFound.ended' : why({ isGuest, forbidden }))}</p>
            <p class="btns">
              {!isOver && (
                <a class="btn" href={urlOf([])}>
                  {t('rail.home')}
                </a>
              )}
              {(isGuest || isOver) && (
                <a class="btn primary" href={signInUrl()}>
                  {t('signIn.action')}
                </a>
              )}
            </p>
          </Empty>
          {(isGuest || (forbidden && isForeign)) && <FirstContact to={first} />}
        </div>
      </MainSheet>
    </Sheets>
  );
}

/** Why there is nothing to see. */
function why({ isGuest, forbidden }: { isGuest: boolean; forbidden: boolean }) {
  if (isGuest) return forbidden ? 'notFound.forbidden' : 'notFound.guest';
  return forbidden ? 'notFound.notPermitted' : 'notFound.help';
}
