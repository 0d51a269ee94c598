/**
 * The bar over a view while the service does not respond: what was read stays, and it is asked again. When it is back, the bar
 * offers what was written meanwhile.
 */
import { useEffect, useState } from 'preact/hooks';
import { askAgain, away } from '../shared/connection.ts';
import { drafts } from '../shared/drafts.ts';
import { Icon } from '../shared/icons.tsx';
import { place } from '../shared/router.ts';
import { t } from '../texts/texts.ts';

export function AwayBar() {
  const until = away.value;
  const isAway = until !== undefined;
  const [since, setSince] = useState<string>();
  const [, tick] = useState(0);
  useEffect(() => {
    if (!isAway) return undefined;
    setSince((before) => before ?? new Date().toISOString());
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [isAway]);
  if (!isAway) return since === undefined ? null : <Back since={since} onClose={() => setSince(undefined)} />;
  const seconds = Math.max(0, Math.round((until - Date.now()) / 1000));
  return (
    <div class="banner st-diverged away">
      <span role="status">{t('away.title')}</span>
      <span class="muted" aria-hidden="true">
        {t('away.next', { n: seconds })}
      </span>
      <button type="button" class="linkish" onClick={() => askAgain()}>
        {t('away.now')}
      </button>
    </div>
  );
}

/** The drafts since a time that are still there; they are read again at each place that is gone to. */
function Back({ since, onClose }: { since: string; onClose: () => void }) {
  const { key } = place.value;
  const unsent = drafts().filter(({ time }) => time > since);
  if (unsent.length === 0) return null;
  return (
    <div class="banner away" key={key}>
      <span role="status">
        {t('away.back')} {t('away.kept')}
      </span>
      {unsent.map(({ href, title }) => (
        <a key={href} href={href}>
          <bdi>{title}</bdi>
        </a>
      ))}
      <button type="button" class="icon push" aria-label={t('action.close')} onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}
