/** Has the browser keep the files of the desk, see `service-worker.ts`. Browsers do so on pages that came over HTTPS only. */
import { DESK } from '../shared/router.ts';

type Policies = {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(url: string): string };
};

/** Fails without consequence: the desk then needs the service to open. */
export function keepDesk(): void {
  const url = new URL('sw.js', DESK).href;
  const { trustedTypes } = window as { trustedTypes?: Policies };
  const policy = trustedTypes?.createPolicy('accession', { createScriptURL: () => url });
  navigator.serviceWorker?.register(policy?.createScriptURL(url) ?? url).catch(() => {});
}
