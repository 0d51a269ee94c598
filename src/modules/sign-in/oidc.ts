/** Issuers of OpenID Connect. The protocol is that of `openid-client`; tokens that scripts send are verified by `jose`. */
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Configuration, CustomFetch } from 'openid-client';
import { isWithin } from '../../core/durations.ts';
import { claimsOf, hasClaims } from './claims.ts';
import { failureOf, keptOf, type Libraries, limit, reasonOf } from './protocol.ts';
import {
  type Arrival,
  type Flow,
  fetchBounded,
  type Kept,
  type Provider,
  refused,
  unavailable,
} from './provider.ts';
import { type OidcSourceConfig, withPreset } from './source-config.ts';
import { CLOCK_TOLERANCE, TIMES } from './times.ts';

/** Signatures with keys that the issuer publishes: never `none`, never a secret that is shared. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

type Discovered = {
  readonly configuration: Configuration;
  /** The keys that it publishes, which are read again for a token with another one. */
  readonly keys: JWTVerifyGetKey;
};

/** @param secretOf reads the secret of the client; undefined for a public client, which PKCE protects alone */
export function oidcProvider(
  libraries: Libraries,
  config: OidcSourceConfig,
  secretOf: () => Promise<string | undefined>,
): Provider {
  const { openid } = libraries;
  const settings = withPreset(config);
  const title = settings.title ?? settings.name;
  let discovered: Promise<Discovered> | undefined;
  /** When that was read, and for how long it is known, in milliseconds. */
  let [begun, known]: [number, number] = [0, 0];
  /** What was read last, by whose keys tokens are verified while the issuer is away. */
  let last: Discovered | undefined;

  /** What is known of the issuer. A failure is known for a moment, so that guests do not have it asked again and again. */
  function discover(): Promise<Discovered> {
    if (discovered === undefined || !isWithin(begun, known)) {
      begun = Date.now();
      known = TIMES.discovery;
      discovered = secretOf().then((secret) => readIssuer(libraries, settings, secret));
      discovered.then(
        (read) => {
          last = read;
        },
        () => {
          begun = Date.now();
          known = TIMES.failure;
        },
      );
    }
    return discovered.catch((error) => {
      throw unavailable(title, error);
    });
  }

  function arrival(subject: string, given: Readonly<Record<string, unknown>>, kept?: Kept): Arrival {
    const claims = claimsOf(settings, given);
    const { id } = claims;
    if (id === undefined) throw refused(`${title} did not send the claim '${settings.user_id_claim}'`);
    return { subject, claims: { ...claims, id }, ...(kept && { kept }) };
  }

  /** The claims of the userinfo endpoint, which often has more than ID tokens; none without it. */
  async function userInfo(
    { configuration }: Discovered,
    access: string,
    subject: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
    return openid.fetchUserInfo(configuration, access, subject);
  }

  return {
    async authorization({ redirect, state, nonce, verifier }: Flow) {
      const { configuration } = await discover();
      return openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirect,
        scope: settings.scopes.join(' '),
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // Issuers give a refresh token only to those who consent.
        ...(settings.scopes.includes('offline_access') && { prompt: 'consent' }),
      });
    },
    async arrive(url, { state, nonce, verifier }) {
      const issuer = await discover();
      try {
        const tokens = await openid.authorizationCodeGrant(issuer.configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = await verifiedClaims(libraries, issuer, tokens.id_token!, [config.client_id!]);
        const info = await userInfo(issuer, tokens.access_token, claims.sub);
        const complete = hasClaims(settings, info, claims);
        return arrival(claims.sub, { ...claims, ...info }, { ...keptOf(tokens), complete });
      } catch (error) {
        throw failureOf(libraries, title, error);
      }
    },
    async again(kept, subject, keep) {
      const issuer = await discover();
      try {
        if (kept.refresh === undefined) {
          if (kept.access === undefined || !kept.complete) return 'unknown';
          return arrival(subject, await userInfo(issuer, kept.access, subject), kept);
        }
        const tokens = await openid.refreshTokenGrant(issuer.configuration, kept.refresh);
        const fresh = { ...kept, ...keptOf(tokens) };
        await keep(fresh);
        const claims =
          tokens.id_token === undefined
            ? undefined
            : await verifiedClaims(libraries, issuer, tokens.id_token, [config.client_id!]);
        if (claims === undefined && !kept.complete) return 'unknown';
        if (claims !== undefined && claims.sub !== subject) return 'ended';
        const info = await userInfo(issuer, tokens.access_token, subject);
        return arrival(subject, { ...claims, ...info }, fresh);
      } catch (error) {
        if (error instanceof openid.ResponseBodyError && error.error === 'invalid_grant') return 'ended';
        // The access token has ended by itself, and there is no other.
        if (kept.refresh === undefined && error instanceof openid.WWWAuthenticateChallengeError)
          return 'unknown';
        throw failureOf(libraries, title, error);
      }
    },
    async verify(token, audiences) {
      const issuer = await discover().catch((error) => {
        if (last) return last;
        throw error;
      });
      try {
        const claims = await verifiedClaims(libraries, issuer, token, audiences);
        return arrival(claims.sub, claims);
      } catch (error) {
        const failure = failureOf(libraries, title, error);
        if (failure.code === 'sign_in_refused') return { reason: reasonOf(libraries, error) };
        throw failure;
      }
    },
  };
}

type Verified = JWTPayload & { readonly sub: string };

/** The claims of a token that the issuer has signed for one of the audiences. @throws JOSEError */
async function verifiedClaims(
  { jose }: Libraries,
  { configuration, keys }: Discovered,
  token: string,
  audiences: readonly string[],
): Promise<Verified> {
  const { payload } = await jose.jwtVerify(token, keys, {
    issuer: configuration.serverMetadata().issuer,
    audience: [...audiences],
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE,
    requiredClaims: ['sub', 'exp'],
  });
  return payload as Verified;
}

async function readIssuer(
  libraries: Libraries,
  { issuer, client_id: clientId }: OidcSourceConfig,
  secret: string | undefined,
): Promise<Discovered> {
  const { openid, jose } = libraries;
  const address = new URL(issuer!);
  // The configuration refuses other addresses without TLS than those of this machine.
  const execute = address.protocol === 'http:' ? [openid.allowInsecureRequests] : [];
  const read = await openid.discovery(address, clientId!, undefined, openid.None(), {
    execute,
    timeout: TIMES.issuer / 1000,
    [openid.customFetch]: fetchBounded as CustomFetch,
  });
  const server = read.serverMetadata();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authenticate = methods.includes('client_secret_basic')
    ? openid.ClientSecretBasic
    : openid.ClientSecretPost;
  const configuration = new openid.Configuration(
    server,
    clientId!,
    { [openid.clockTolerance]: CLOCK_TOLERANCE },
    secret === undefined ? openid.None() : authenticate(secret),
  );
  limit(libraries, configuration, address);
  const { jwks_uri: keys } = server;
  if (keys === undefined) throw new Error('it publishes no keys');
  return {
    configuration,
    keys: jose.createRemoteJWKSet(new URL(keys), {
      timeoutDuration: TIMES.issuer,
      cooldownDuration: TIMES.keys,
      // They are read again with the issuer, and for a token with another key.
      cacheMaxAge: Number.POSITIVE_INFINITY,
      [jose.customFetch]: fetchBounded,
    }),
  };
}
