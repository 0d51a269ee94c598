/** What a guest sees in a collection that shows a sample to everybody, and whom to ask for the rest. */
import { place, signInUrl } from '../shared/router.ts';
import { isSample, session } from '../shared/session.ts';
import { t } from '../texts/texts.ts';

export function SampleNote() {
  const [name] = place.value.path;
  const access = name === undefined ? undefined : session.me.value?.collections[name];
  if (!access || !isSample(access)) return null;
  const { title, contact } = access;
  return (
    <section class="banner" aria-label={t('sample.title')}>
      <span>
        {t('sample.note', { name: title ?? name! })} <a href={signInUrl()}>{t('signIn.action')}</a>
        {contact && (
          <>
            {' · '}
            {t('home.contact')} <a href={`mailto:${contact}`}>{contact}</a>
          </>
        )}
      </span>
    </section>
  );
}
