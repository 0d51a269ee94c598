/**
 * The way of a browser to an issuer and back. What it needs is in a sealed cookie of the browser that began it, so no other browser
 * can end it, any instance can, and nothing is stored before a person has come back.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { seal, unseal } from '../../core/access/sealed.ts';
import { isWithin } from '../../core/durations.ts';
import { isServiceError, ServiceError } from '../../core/errors.ts';
import type { Call } from '../../core/http/endpoint.ts';
import { originOf } from '../../core/http/origin.ts';
import { type Flow, refused } from './provider.ts';
import { beginSession, handOver } from './sessions.ts';
import { type SignIn, signInOf } from './sign-in.ts';
import { TIMES } from './times.ts';

/** A way that was begun, with where it leads in the desk afterwards. */
type BegunFlow = Flow & { readonly returnTo: string; readonly began: number };
/** What the desk gets. */
type HandOver = { readonly token: string; readonly returnTo: string; readonly at: number };

const FLOW = 'accession_flow_';
const HANDED = 'accession_session';
/** Ways of one browser at the same time; the others are forgotten, since headers have a limit. */
const MOST_FLOWS = 4;

const PATH = '/-/sign-in/';
/** Longer links lead to the start of the desk, in characters: browsers keep no cookie of more than 4 KiB. */
const LONGEST_RETURN = 1500;

/** Sends the browser to an issuer. @throws ServiceError `read_only`, `sign_in_unknown`, `sign_in_insecure`, `sign_in_unavailable` */
export async function begin(call: Call, source: string, wanted: string | undefined): Promise<FastifyReply> {
  const signIn = signInOf(call.service.registry);
  if (signIn.database.readOnly)
    throw new ServiceError('read_only', 'This process only reads the store, so no one signs in by it.');
  const origin = secureOrigin(call);
  const [state, nonce, verifier] = [random(), random(), random()];
  const flow: BegunFlow = {
    source,
    state,
    nonce,
    verifier,
    redirect: redirectUri(origin, source),
    returnTo: placeInDesk(call, origin, wanted),
    began: Date.now(),
  };
  signIn.noteOrigin(origin);
  const url = await (await signIn.provider(source)).authorization(flow);
  const others = [...cookiesOf(call).keys()].filter((name) => name.startsWith(FLOW));
  const cookies = [
    ...others.slice(0, Math.max(0, others.length + 1 - MOST_FLOWS)).map((name) => [name, '', 0] as const),
    [FLOW + state, seal(await signIn.key(), FLOW, flow), TIMES.flow] as const,
  ];
  return leadTo(
    call,
    url.href,
    cookies.map((one) => cookie(call, 'Lax', ...one)),
  );
}

/** Takes the browser back from an issuer. @throws ServiceError `sign_in_refused`, `sign_in_unavailable` */
export async function end(call: Call, source: string): Promise<FastifyReply> {
  const signIn = signInOf(call.service.registry);
  const { search } = new URL(call.request.url, 'http://service');
  const state = new URLSearchParams(search).get('state') ?? '';
  const flow = await flowOf(call, signIn, state);
  if (!flow || flow.source !== source || flow.state !== state || !isWithin(flow.began, TIMES.flow))
    throw refused(
      'the way to the issuer was not begun in this browser within the last 10 minutes: begin again',
    );
  const arrival = await (await signIn.provider(source)).arrive(new URL(search, flow.redirect), flow);
  const token = await beginSession(signIn.database, source, arrival, state);
  const handed: HandOver = { token, returnTo: flow.returnTo, at: Date.now() };
  return leadTo(call, `${call.service.rootPath}/-/desk/signed-in`, [
    cookie(call, 'Lax', FLOW + state, '', 0),
    cookie(call, 'Strict', HANDED, seal(await signIn.key(), HANDED, handed), TIMES.handOver),
  ]);
}

/**
 * Hands the token of the session to the desk, once.
 *
 * @throws ServiceError `sign_in_refused` without the cookie, or for a page of another origin
 */
export async function takeSession(call: Call): Promise<{ readonly token: string; readonly return: string }> {
  const signIn = signInOf(call.service.registry);
  requireSameOrigin(call);
  const sealed = cookiesOf(call).get(HANDED);
  const handed = sealed && unseal<HandOver>(await signIn.key(), HANDED, sealed);
  if (!handed || !isWithin(handed.at, TIMES.handOver)) throw refused('no session waits for this browser');
  await handOver(signIn.database, handed.token);
  call.reply.header('set-cookie', cookie(call, 'Strict', HANDED, '', 0));
  call.reply.header('cache-control', 'no-store');
  return { token: handed.token, return: handed.returnTo };
}

/** Explains a failure to a browser in the desk, to a program as others, and to operators in the log. */
export async function explained(
  call: Call,
  source: string,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const { code, message: reason, cause } = error;
    // Neither its stack nor its members, which may have what the issuer sent.
    call.request.log.warn(
      { code, source, reason, cause: (cause as Error | undefined)?.message },
      'sign-in failed',
    );
    if (!call.request.headers.accept?.includes('text/html')) throw error;
    const query = new URLSearchParams({ source, problem: code });
    return leadTo(call, `${call.service.rootPath}/-/desk/signed-in?${query}`, []);
  }
}

/** Where a source sends people back to, which has to be registered there. @param origin without a slash at its end */
export function redirectUri(origin: string, source: string): string {
  return `${origin}${PATH}${encodeURIComponent(source)}/callback`;
}

const random = () => randomBytes(32).toString('base64url');

async function flowOf(call: Call, signIn: SignIn, state: string): Promise<BegunFlow | undefined> {
  const sealed = cookiesOf(call).get(FLOW + state);
  return sealed === undefined ? undefined : unseal<BegunFlow>(await signIn.key(), FLOW, sealed);
}

/** The origin of the service. @throws ServiceError `sign_in_insecure` without TLS, but for a service on this machine */
function secureOrigin(call: Call): string {
  const origin = originOf(call);
  const { protocol, hostname } = new URL(origin);
  if (protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return origin;
  const why = 'it has no HTTPS, so others could read the session';
  throw new ServiceError(
    'sign_in_insecure',
    `Signing in is not possible by this URL: ${why}. Use https://${hostname}.`,
  );
}

/** The path in the desk that a link asks for; the start of the desk for anything else: a link must not lead elsewhere. */
function placeInDesk({ service }: Call, origin: string, wanted: string | undefined): string {
  const desk = `${service.rootPath}/-/desk/`;
  const url = wanted === undefined ? null : URL.parse(wanted, origin);
  if (wanted !== undefined && wanted.length > LONGEST_RETURN) return desk;
  const isOurs = url !== null && url.origin === new URL(origin).origin && url.pathname.startsWith(desk);
  return isOurs ? url.pathname + url.search : desk;
}

/** Pages of other origins may be allowed to send requests with cookies (`--origins`); they get no session. */
function requireSameOrigin(call: Call): void {
  const { origin, 'sec-fetch-site': site } = call.request.headers;
  const isSame = origin === undefined || origin === new URL(originOf(call)).origin;
  if (!isSame || (site !== undefined && site !== 'same-origin'))
    throw refused('a page of another site asks for it');
}

/** With HTTPS, browsers keep cookies of this prefix for the host that has set them alone: no sibling of it can set one. */
const prefixOf = ({ request }: Call) => (request.protocol === 'https' ? '__Host-' : '');

/** The cookies of the service, by their names without the prefix that they must have. */
function cookiesOf(call: Call): ReadonlyMap<string, string> {
  const prefix = prefixOf(call);
  const parts = (call.request.headers.cookie ?? '').split(';').map((part) => part.trim().split('=', 2));
  return new Map(
    parts.flatMap(([name, value]) =>
      name?.startsWith(prefix) && value ? [[name.slice(prefix.length), value] as const] : [],
    ),
  );
}

/** @param milliseconds 0 removes the cookie */
function cookie(
  call: Call,
  sameSite: 'Lax' | 'Strict',
  name: string,
  value: string,
  milliseconds: number,
): string {
  const prefix = prefixOf(call);
  // The prefix requires both.
  const [path, secure] = prefix === '' ? [call.service.rootPath + PATH, ''] : ['/', '; Secure'];
  const rest = `Path=${path}; Max-Age=${milliseconds / 1000}; HttpOnly; SameSite=${sameSite}${secure}`;
  return `${prefix}${name}=${value}; ${rest}`;
}

/** Leads a browser on. No page learns the URL that it comes from, and no cache keeps this response. */
function leadTo({ reply }: Call, url: string, cookies: readonly string[]): FastifyReply {
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .redirect(url, 303);
}
