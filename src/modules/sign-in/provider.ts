/** What signs people in: an issuer of OpenID Connect, or a forge by OAuth 2.0. */
import { networkFailure, ServiceError } from '../../core/errors.ts';
import type { Claims } from './claims.ts';
import type {} from './codes.ts';
import { TIMES } from './times.ts';

/** A person on the way to the issuer: what only the browser that began it can bring back. */
export type Flow = {
  readonly source: string;
  /** Where the issuer sends the person back to. */
  readonly redirect: string;
  readonly state: string;
  readonly nonce: string;
  /** The verifier of PKCE. */
  readonly verifier: string;
};

/** The tokens of an issuer with which it is asked again who a person is. */
export type Kept = {
  readonly access?: string;
  readonly refresh?: string;
  /** Whether the issuer says all of it without another ID token, in answer to the access token. */
  readonly complete?: boolean;
};

/** A person whom an issuer has identified. */
export type Arrival = {
  /** Identifies the person at the issuer, forever. */
  readonly subject: string;
  readonly claims: Claims;
  /** Undefined if the issuer cannot be asked again. */
  readonly kept?: Kept;
};

export interface Provider {
  /** The URL that a browser is sent to. @throws ServiceError `sign_in_unavailable` */
  authorization(flow: Flow): Promise<URL>;
  /**
   * Exchanges the code in the URL that the issuer has sent the browser to.
   *
   * @throws ServiceError `sign_in_refused`, `sign_in_unavailable`
   */
  arrive(url: URL, flow: Flow): Promise<Arrival>;
  /**
   * Asks again who a person is.
   *
   * @param keep stores what replaces `kept`, as soon as that may not be accepted any more
   * @returns `ended` if the issuer has ended what it gave, `unknown` if it cannot be asked any more
   * @throws ServiceError `sign_in_unavailable`
   */
  again(
    kept: Kept,
    subject: string,
    keep: (kept: Kept) => Promise<void>,
  ): Promise<Arrival | 'ended' | 'unknown'>;
  /**
   * Who has sent a token of the issuer, or why it is not accepted.
   *
   * @param audiences of which the token has to be for one
   */
  verify?(token: string, audiences: readonly string[]): Promise<Arrival | { readonly reason: string }>;
}

/** A response of an issuer has at most so many bytes. */
const MOST_BYTES = 1024 * 1024;

/** Sends a request, which ends after {@link TIMES.issuer}, and reads all of the response. */
export async function fetchBounded(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const signals = [AbortSignal.timeout(TIMES.issuer), ...(init.signal ? [init.signal] : [])];
  const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new Error(`the response has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  const hasBody = ![204, 205, 304].includes(response.status);
  return new Response(hasBody ? Buffer.concat(chunks) : null, {
    status: response.status,
    headers: response.headers,
  });
}

/** The refusal of new sign-ins while an issuer does not answer as it should. */
export function unavailable(title: string, error: unknown): ServiceError {
  const message = `${title} cannot be asked now: ${failureText(error)}. Sessions go on; try to sign in again later.`;
  return new ServiceError('sign_in_unavailable', message, [], { cause: error });
}

/** The refusal of one sign-in. */
export function refused(why: string, cause?: unknown): ServiceError {
  return new ServiceError('sign_in_refused', `You are not signed in: ${why}.`, [], { cause });
}

function failureText(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string } };
  if (name === 'TimeoutError') return 'it does not respond';
  return cause?.code === undefined && !/fetch failed/.test((error as Error).message)
    ? (error as Error).message.replace(/\.$/, '')
    : networkFailure(error);
}
