/**
 * One GET to a forge, with everything that can go wrong turned into a {@link ForgeFailure} whose message is fit for
 * the client: it names the forge and the call, and never holds the token.
 */
import { networkFailure } from '../errors.ts';
import { retryAfter } from '../retry-after.ts';

/** Far above any list of teams; a longer answer is not read to its end. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** Forges answer requests for renamed organizations with a redirect. */
const MAX_REDIRECTS = 3;
/** How much of the forge's own words goes into a reason. */
const MAX_QUOTE = 200;
/** How long a failure is believed, so that a stranger cannot make us hammer the forge. */
export const FAILURE_SECONDS = 10;
/** The longest pause that a forge can ask for (429, `Retry-After`). */
const MAX_PAUSE_SECONDS = 60;

/** Why a forge does not vouch for a token. */
export class ForgeFailure extends Error {
  /** How long it is not asked again. */
  readonly seconds: number;

  constructor(message: string, seconds = FAILURE_SECONDS) {
    super(message);
    this.name = 'ForgeFailure';
    this.seconds = seconds;
  }
}

/**
 * @param base the address of the API
 * @param path what follows it, encoded
 * @param timeout seconds from the start of the call to the end of its answer
 * @throws ForgeFailure
 */
export async function getJson(
  base: string,
  path: string,
  token: string,
  timeout: number,
): Promise<{ body: unknown; headers: Headers }> {
  const signal = AbortSignal.timeout(timeout * 1000);
  try {
    const response = await follow(`${base}/${path}`, token, signal);
    const text = await readAnswer(response, path);
    if (!response.ok) throw forgeRefusal(response, path, text, token);
    return { body: parse(text, path), headers: response.headers };
  } catch (error) {
    if (error instanceof ForgeFailure) throw error;
    if (signal.aborted) throw new ForgeFailure(`no answer to ${path} within ${timeout} seconds`);
    throw new ForgeFailure(`can't be reached: ${networkFailure(error)}`);
  }
}

/** Follows redirects within the forge; the token is not sent anywhere else. */
async function follow(address: string, token: string, signal: AbortSignal): Promise<Response> {
  const headers = { accept: 'application/json', authorization: `token ${token}` };
  let url = new URL(address);
  for (let hops = 0; ; hops++) {
    const response = await fetchTwice(url.href, { headers, signal, redirect: 'manual' });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    const next = URL.parse(location, url.href);
    if (next?.origin !== url.origin) {
      throw new ForgeFailure(
        `redirects to ${next?.origin ?? 'an address that is none'}, where the token is not sent`,
      );
    }
    if (hops === MAX_REDIRECTS) throw new ForgeFailure('redirects in a circle');
    url = next;
  }
}

/** A connection that was kept may have been closed meanwhile, by a restarted forge for one: that shows only in its use. */
async function fetchTwice(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (!['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(causeOf(error))) throw error;
    return fetch(url, init);
  }
}

async function readAnswer(response: Response, path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (size > MAX_BODY_BYTES)
      throw new ForgeFailure(`the answer to ${path} is over ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ForgeFailure(`the answer to ${path} is not JSON`);
  }
}

/** Quotes the forge's own message, which explains a missing scope or a revoked token to the user. */
function forgeRefusal(response: Response, path: string, text: string, token: string): ForgeFailure {
  const quote = messageIn(text).replaceAll(token, '***').slice(0, MAX_QUOTE);
  const message = `${path} was answered with ${response.status}${quote && ` (${quote})`}`;
  const wanted = retryAfter(response.headers.get('retry-after'), response.headers.get('date')) ?? 0;
  const pause = Math.min(Math.max(wanted / 1000, FAILURE_SECONDS), MAX_PAUSE_SECONDS);
  return new ForgeFailure(message, pause);
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message.replaceAll(/\s+/g, ' ') : '';
  } catch {
    return '';
  }
}

/** `fetch failed` says nothing; its cause has a code. */
function causeOf(error: unknown): string {
  return ((error as Error).cause as { code?: string } | undefined)?.code ?? '';
}
