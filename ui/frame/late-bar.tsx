/** The bar over a view that has been loading for long: a request without a response would leave it blank for ever. */
import { t } from '../texts/texts.ts';

/** Style sheets show it when bones have been on the screen for a while, so that it needs no script that runs. */
export function LateBar() {
  return (
    <p class="banner late" role="status">
      {t('late.title')}
      <button type="button" class="linkish" onClick={() => location.reload()}>
        {t('action.reload')}
      </button>
    </p>
  );
}
