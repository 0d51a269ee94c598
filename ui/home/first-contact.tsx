/** What people without a token of a collection learn: what this is, what they can read, and whom to ask for more. */
import { useLoad } from '../shared/load.ts';
import { urlOf } from '../shared/router.ts';
import { isSample, session } from '../shared/session.ts';
import { suffices } from '../shared/view-access.ts';
import { visitorIn } from '../shared/visitor.ts';
import { t } from '../texts/texts.ts';

/** @param to the first part of the URL that a link leads to: the name of a collection, if it is one */
export function FirstContact({ to: asked }: { to: string | undefined }) {
  const known = session.me.value?.collections ?? {};
  const collections = Object.entries(known);
  const own = asked !== undefined && Object.hasOwn(known, asked) ? known[asked] : undefined;
  // A token of another collection learns of this one what everybody does.
  const { value: visitor } = useLoad(own || session.isGuest.value ? undefined : asked, (signal) =>
    visitorIn(asked!, signal).catch(() => undefined),
  );
  const found = own ?? visitor;
  const mayRead = found && suffices(found.permissions, ['read_curated']);
  const open = collections.filter(
    ([name, { permissions }]) => name !== asked && suffices(permissions, ['read_curated']),
  );
  const contacts = found?.contact
    ? [found.contact]
    : [...new Set(collections.flatMap(([, { contact }]) => contact ?? []))];
  return (
    <section class="first-contact" aria-labelledby="first-contact">
      <h2 id="first-contact">{found?.title ?? (found ? asked : t('first.title'))}</h2>
      {found?.description && <p class="small">{found.description}</p>}
      <p class="small muted">{t('home.what')}</p>
      {mayRead && (
        <p class="small muted">
          {t(isSample(found) ? 'first.maySample' : 'first.mayRead')}{' '}
          <a href={urlOf([asked!, 'browse'])}>{t('rail.browse')}</a>
        </p>
      )}
      {found && !mayRead && <p class="small muted">{t('first.needsToken')}</p>}
      <h3>{t('first.token')}</h3>
      <p class="small muted">
        {t('first.tokenIs')} {contacts.length === 0 && t('home.tokenFrom')}
      </p>
      {contacts.length > 0 && (
        <p class="small">
          {t('home.contact')}{' '}
          {contacts.map((contact, index) => (
            <>
              {index > 0 && ', '}
              <a href={`mailto:${contact}`}>{contact}</a>
            </>
          ))}
        </p>
      )}
      {open.length > 0 && (
        <>
          <h3>{t('first.open')}</h3>
          <ul class="stack-s">
            {open.map(([name, { title }]) => (
              <li key={name}>
                <a href={urlOf([name, 'browse'])}>{title ?? name}</a>
                {title && <small class="mono faint"> {name}</small>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
