/** What OpenID Connect and OAuth 2.0 share: limits of requests, tokens to ask again with, and the words for failures. */
import type * as Jose from 'jose';
import type * as Openid from 'openid-client';
import { isServiceError, type ServiceError } from '../../core/errors.ts';
import { fetchBounded, type Kept, refused, unavailable } from './provider.ts';
import { CLOCK_TOLERANCE, TIMES } from './times.ts';

export type Libraries = { readonly openid: typeof Openid; readonly jose: typeof Jose };

/** Loads the libraries of the protocols when a source is first asked: they take 40 ms of processor time, a fifteenth of a start. */
export async function loadLibraries(): Promise<Libraries> {
  const [openid, jose] = await Promise.all([import('openid-client'), import('jose')]);
  return { openid, jose };
}

/** Limits the requests of a client in time and bytes. The configuration refuses addresses without TLS, but for those of this machine. */
export function limit({ openid }: Libraries, configuration: Openid.Configuration, address: URL): void {
  configuration.timeout = TIMES.issuer / 1000;
  configuration[openid.customFetch] = fetchBounded as Openid.CustomFetch;
  if (address.protocol === 'http:') openid.allowInsecureRequests(configuration);
}

export function keptOf({
  access_token,
  refresh_token,
}: {
  access_token: string;
  refresh_token?: string;
}): Kept {
  return { access: access_token, ...(refresh_token !== undefined && { refresh: refresh_token }) };
}

/** The refusal of a sign-in, or of all new ones while the issuer does not answer. Texts of an issuer are not repeated, but for codes. */
export function failureOf(libraries: Libraries, title: string, error: unknown): ServiceError {
  const { openid, jose } = libraries;
  if (isServiceError(error)) return error;
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError)
    return refused(`${title} refused it (${plain(error.error)})`, error);
  if (error instanceof openid.WWWAuthenticateChallengeError)
    return refused(
      `${title} does not accept the client of this service: its id or its secret is wrong`,
      error,
    );
  if (isNetwork(libraries, error)) return unavailable(title, error);
  // What the source has just signed has ended already, or is to begin.
  if (error instanceof openid.ClientError && error.code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED')
    return refused(
      `the clock of this service and that of ${title} differ by more than ${CLOCK_TOLERANCE} seconds`,
      error,
    );
  if (error instanceof openid.ClientError || error instanceof jose.errors.JOSEError)
    return refused(`what ${title} sent is not valid (${reasonOf(libraries, error)})`, error);
  return unavailable(title, error);
}

function isNetwork({ jose }: Libraries, error: unknown): boolean {
  if (error instanceof jose.errors.JWKSTimeout) return true;
  const { name, cause } = error as Error;
  return [name, (cause as Error | undefined)?.name].some(
    (one) => one === 'TypeError' || one === 'TimeoutError',
  );
}

/** The codes of OAuth. */
const plain = (code: string) => code.replaceAll(/[^\w.-]/g, '').slice(0, 60);

/** Why a signed token, or an answer with one, is not accepted. */
export function reasonOf({ jose }: Libraries, error: unknown): string {
  if (error instanceof jose.errors.JWTExpired) return 'the token has expired';
  if (error instanceof jose.errors.JWTClaimValidationFailed)
    return `the token is not for this service: its claim '${error.claim}' is not one that is accepted`;
  if (error instanceof jose.errors.JOSEAlgNotAllowed)
    return 'the token has a signature of a kind that is not accepted';
  if (error instanceof jose.errors.JOSEError) return 'the signature of the token is not that of the issuer';
  return (error as Error).message.replace(/\.$/, '');
}
