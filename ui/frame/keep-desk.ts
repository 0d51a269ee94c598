/** Has the browser keep the files of the desk, see `service-worker.ts`. Browsers do so on pages that came over HTTPS only. */
import { scriptUrl } from '../shared/script-urls.ts';

/** Fails without consequence: the desk then needs the service to open. */
export function keepDesk(): void {
  navigator.serviceWorker?.register(scriptUrl('sw.js')).catch(() => {});
}
