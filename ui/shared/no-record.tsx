/** Says that there is no record with a pid, or none that the caller sees. */

import type { ComponentChildren } from 'preact';
import { t } from '../texts/texts.ts';
import { Empty } from './notes.tsx';
import { session } from './session.ts';

export function NoRecord(props: { collection: string; pid?: string; children?: ComponentChildren }) {
  const { collection, pid, children } = props;
  return (
    <Empty title={t('record.missing')}>
      {pid && (
        <p class="mono">
          <bdi>{pid}</bdi>
        </p>
      )}
      <WhyMissing collection={collection} />
      {children}
    </Empty>
  );
}

/** Records that policies hide do not exist for the user: whom to ask about one. */
function WhyMissing({ collection }: { collection: string }) {
  const { permissions = [], policies, contact } = session.me.value?.collections[collection] ?? {};
  if (policies === undefined || permissions.includes('curate')) return null;
  return (
    <p>
      {t(session.isGuest.value ? 'record.hiddenGuest' : 'record.hidden')}
      {contact && (
        <>
          {' '}
          {t('home.contact')} <a href={`mailto:${contact}`}>{contact}</a>
        </>
      )}
    </p>
  );
}
