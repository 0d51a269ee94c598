/** The URLs of the scripts that run in workers. The policy of the desk accepts URLs of scripts from here alone. */
import { DESK } from './router.ts';

type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL(path: string): string },
  ): { createScriptURL(path: string): string };
};

/** Files of the desk, below its own URL. */
const SCRIPT = /^(?:sw|assets\/[a-z]+-worker)\.js$/;

function urlOfScript(path: string): string {
  if (!SCRIPT.test(path)) throw new TypeError(`${path} is not a worker of the desk`);
  return new URL(path, DESK).href;
}

const { trustedTypes } = window as { trustedTypes?: Policies };
const policy = trustedTypes?.createPolicy('accession', { createScriptURL: urlOfScript });

/** @param path relative to the desk: `sw.js`, `assets/tables-worker.js` */
export function scriptUrl(path: string): string {
  return policy?.createScriptURL(path) ?? urlOfScript(path);
}
