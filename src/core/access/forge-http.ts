/**
 * Reads from a forge, with everything that can go wrong turned into a {@link ForgeFailure} whose message is fit for
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

/** Forges return 30 or 50 entries per page; a longer list is not read to its end. */
const MAX_PAGES = 100;
/** The smallest page size that forges use: a shorter list without a word about further pages is complete. */
const SMALLEST_PAGE = 30;

/** Why a forge does not vouch for a token. */
export class ForgeFailure extends Error {
  /** The status of its answer, if it is why. */
  readonly status: number | undefined;
  /** The forge's own words, which explain a missing scope or a revoked token; empty without any. */
  readonly quote: string;
  /** How long it is not asked again. */
  readonly seconds: number;

  constructor(
    message: string,
    {
      status,
      quote = '',
      seconds = FAILURE_SECONDS,
    }: Partial<Pick<ForgeFailure, 'status' | 'quote' | 'seconds'>> = {},
  ) {
    super(message);
    this.name = 'ForgeFailure';
    this.status = status;
    this.quote = quote;
    this.seconds = seconds;
  }

  /** The failure with the words of the forge, for the user of the token. */
  get reason(): string {
    return this.quote === '' ? this.message : `${this.message} (${this.quote})`;
  }
}

/** Reads what is below the address of an API. @throws ForgeFailure */
export type GetJson = (path: string) => Promise<{ readonly body: unknown; readonly headers: Headers }>;

/** How a forge is asked. */
type Asking = {
  readonly token: string;
  /** The scheme of authorization: that of tokens that people make, or of OAuth 2.0 (RFC 6750). */
  readonly scheme: 'token' | 'Bearer';
  /** Seconds from the start of the call to the end of its answer. */
  readonly timeout: number;
  /** Whether what has another name by now is read under that. */
  readonly redirects: boolean;
};

/**
 * @param base the address of the API
 * @param path what follows it, encoded
 * @throws ForgeFailure
 */
export async function getJson(base: string, path: string, asking: Asking): ReturnType<GetJson> {
  const { token, timeout } = asking;
  const signal = AbortSignal.timeout(timeout * 1000);
  try {
    const response = await follow(`${base}/${path}`, asking, signal);
    const text = await readAnswer(response, path);
    if (!response.ok) throw forgeRefusal(response, path, text, token);
    return { body: parse(text, path), headers: response.headers };
  } catch (error) {
    if (error instanceof ForgeFailure) throw error;
    if (signal.aborted) throw new ForgeFailure(`no answer to ${path} within ${timeout} seconds`);
    throw new ForgeFailure(`can't be reached: ${networkFailure(error)}`);
  }
}

/** Reads the entries of a list, over all its pages. @throws ForgeFailure */
export async function getList<T>(get: GetJson, path: string, read: (entry: unknown) => T): Promise<T[]> {
  const entries: T[] = [];
  let first: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page++) {
    // The first page is asked for without a page number: not every list of a forge is paged.
    const paged = page === 1 ? path : `${path}${path.includes('?') ? '&' : '?'}page=${page}`;
    const { body, headers } = await get(paged);
    if (!Array.isArray(body)) throw new ForgeFailure(`the answer to ${path} is not a list`);
    // A forge that does not page this list repeats it.
    const start = JSON.stringify(body[0]);
    if (page > 1 && (body.length === 0 || start === first)) break;
    first ??= start;
    for (const entry of body) entries.push(shaped(path, () => read(entry)));
    if (!hasMore(headers, body.length, entries.length)) break;
  }
  return entries;
}

/** Forges announce further pages in `Link` and the number of all entries in `X-Total-Count`. */
function hasMore(headers: Headers, onPage: number, sofar: number): boolean {
  const total = headers.get('x-total-count');
  if (total !== null && /^\d+$/.test(total)) return sofar < Number(total) && onPage > 0;
  const link = headers.get('link');
  if (link !== null) return /rel="?next"?/.test(link);
  return onPage >= SMALLEST_PAGE;
}

/** Reads the needed members of an answer; without one of them, the forge has failed. @throws ForgeFailure */
export function shaped<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ForgeFailure(`the answer to ${path} can't be used: ${(error as Error).message}`);
  }
}

/** Follows redirects within the forge; the token is not sent anywhere else. */
async function follow(
  address: string,
  { token, scheme, redirects }: Asking,
  signal: AbortSignal,
): Promise<Response> {
  const headers = { accept: 'application/json', authorization: `${scheme} ${token}` };
  let url = new URL(address);
  for (let hops = 0; ; hops++) {
    const response = await fetchTwice(url.href, { headers, signal, redirect: 'manual' });
    const location = response.headers.get('location');
    const isRedirect = response.status >= 300 && response.status < 400 && location !== null;
    if (!isRedirect || !redirects) return response;
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

function forgeRefusal(response: Response, path: string, text: string, token: string): ForgeFailure {
  const quote = messageIn(text).replaceAll(token, '***').slice(0, MAX_QUOTE);
  const wanted = retryAfter(response.headers.get('retry-after'), response.headers.get('date')) ?? 0;
  const pause = Math.min(Math.max(wanted / 1000, FAILURE_SECONDS), MAX_PAUSE_SECONDS);
  const { status } = response;
  return new ForgeFailure(`${path} was answered with ${status}`, { status, quote, seconds: pause });
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
