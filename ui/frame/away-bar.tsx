/** The bar over a view while the service does not respond: what was read stays, and it is asked again. */
import { useEffect, useState } from 'preact/hooks';
import { askAgain, away } from '../shared/connection.ts';
import { t } from '../texts/texts.ts';

export function AwayBar() {
  const until = away.value;
  const [, tick] = useState(0);
  useEffect(() => {
    if (until === undefined) return undefined;
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [until === undefined]);
  if (until === undefined) return null;
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
