/**
 * Issuers for tests that say what Keycloak, Entra ID and ORCID say: their discovery documents, ID tokens, access tokens and answers of
 * their userinfo endpoints, as they are documented, served on this machine and signed with keys of the test. What a discovery document
 * has that clients of ours do not read is left out.
 */
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as jose from 'jose';
import { CLIENT } from './issuer.support.ts';
import type { OidcSourceConfig } from './source-config.ts';

type Members = Readonly<Record<string, unknown>>;

/** What an issuer says of one person. */
export type Recorded = {
  readonly preset: NonNullable<OidcSourceConfig['preset']>;
  /** Behind the address of the server. */
  readonly issuer: string;
  readonly paths: Readonly<Record<'authorize' | 'token' | 'keys' | 'userinfo', string>>;
  /** Further members of the discovery document. */
  readonly discovery: Members;
  /** How the client sends its secret. */
  readonly secret: 'header' | 'body';
  readonly idToken: Members;
  /** The claims of an access token that is signed, undefined for one that only the issuer can read. */
  readonly accessToken?: Members;
  readonly userinfo: Members;
  /** Further members of the answer with tokens. */
  readonly granted: Members;
  /** Further members of a published key. */
  readonly key: Members;
  /** Further parameters with the code. */
  readonly returned: (issuer: string) => Readonly<Record<string, string>>;
};

const PERSON = { name: 'Ann Ash', given_name: 'Ann', family_name: 'Ash', email: 'ann@institute.example' };
const KEYCLOAK = '/realms/institute/protocol/openid-connect';
const KEYCLOAK_SUBJECT = 'f3a1c7de-7b1e-4a5d-9c0b-2f6f7d0f8a11';
const keycloakClaims = {
  sub: KEYCLOAK_SUBJECT,
  typ: 'ID',
  azp: CLIENT.id,
  sid: 'b1f7',
  acr: '1',
  ...PERSON,
  email_verified: true,
  preferred_username: 'ann',
};
const roles = { realm_access: { roles: ['offline_access', 'curator', 'default-roles-institute'] } };

export const keycloak: Recorded = {
  preset: 'keycloak',
  issuer: '/realms/institute',
  paths: {
    authorize: `${KEYCLOAK}/auth`,
    token: `${KEYCLOAK}/token`,
    keys: `${KEYCLOAK}/certs`,
    userinfo: `${KEYCLOAK}/userinfo`,
  },
  discovery: {
    grant_types_supported: ['authorization_code', 'implicit', 'refresh_token', 'password'],
    response_types_supported: ['code', 'none', 'id_token', 'token', 'id_token token'],
    subject_types_supported: ['public', 'pairwise'],
    id_token_signing_alg_values_supported: ['PS384', 'RS384', 'EdDSA', 'ES384', 'HS256', 'ES256', 'RS256'],
    token_endpoint_auth_methods_supported: [
      'private_key_jwt',
      'client_secret_basic',
      'client_secret_post',
      'tls_client_auth',
      'client_secret_jwt',
    ],
    code_challenge_methods_supported: ['plain', 'S256'],
    tls_client_certificate_bound_access_tokens: true,
    authorization_response_iss_parameter_supported: true,
  },
  secret: 'header',
  // Roles of the realm are in ID tokens and in what userinfo says once the mapper of the scope `roles` has both switched on.
  idToken: { ...keycloakClaims, ...roles },
  accessToken: {
    ...keycloakClaims,
    typ: 'Bearer',
    aud: ['accession', 'account'],
    scope: 'openid email profile',
    ...roles,
    resource_access: { account: { roles: ['view-profile'] } },
  },
  userinfo: { ...PERSON, sub: KEYCLOAK_SUBJECT, email_verified: true, preferred_username: 'ann', ...roles },
  granted: {
    token_type: 'Bearer',
    expires_in: 300,
    refresh_expires_in: 1800,
    refresh_token: 'again',
    'not-before-policy': 0,
    session_state: 'b1f7',
    scope: 'openid email profile',
  },
  key: { alg: 'RS256', use: 'sig', x5t: 'l3Gq', 'x5t#S256': 'l3Gq' },
  returned: (iss) => ({ session_state: 'b1f7', iss }),
};

const TENANT = '8b0f6f2e-5f0b-4b8e-9a53-0d2f6f5c1a77';
const ENTRA_SUBJECT = 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ';
const OBJECT = '00000000-0000-0000-66f3-3332eca7ea81';

export const entra: Recorded = {
  preset: 'entra',
  issuer: `/${TENANT}/v2.0`,
  paths: {
    authorize: `/${TENANT}/oauth2/v2.0/authorize`,
    token: `/${TENANT}/oauth2/v2.0/token`,
    keys: `/${TENANT}/discovery/v2.0/keys`,
    userinfo: '/oidc/userinfo',
  },
  discovery: {
    token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    request_uri_parameter_supported: false,
    http_logout_supported: true,
    frontchannel_logout_supported: true,
    tenant_region_scope: 'EU',
    cloud_instance_name: 'microsoftonline.com',
  },
  secret: 'header',
  idToken: {
    sub: ENTRA_SUBJECT,
    oid: OBJECT,
    tid: TENANT,
    ver: '2.0',
    uti: 'x',
    rh: '0.x',
    name: 'Ann Ash',
    preferred_username: 'ann@institute.example',
    roles: ['Curator'],
  },
  // What the endpoint of Graph says has neither the object nor the roles.
  userinfo: { ...PERSON, sub: ENTRA_SUBJECT, picture: 'https://graph.microsoft.com/v1.0/me/photo/$value' },
  granted: {
    token_type: 'Bearer',
    expires_in: 3942,
    ext_expires_in: 3942,
    refresh_token: 'again',
    scope: 'email openid profile https://graph.microsoft.com/User.Read',
  },
  // Keys of Entra do not name their algorithm.
  key: { use: 'sig', x5t: 'l3Gq', x5c: ['MII'] },
  returned: () => ({ session_state: 'b1f7' }),
};

const IRIS = '0000-0002-1825-0097';

export const orcid: Recorded = {
  preset: 'orcid',
  issuer: '',
  paths: {
    authorize: '/oauth/authorize',
    token: '/oauth/token',
    keys: '/oauth/jwks',
    userinfo: '/oauth/userinfo',
  },
  discovery: {
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: ['family_name', 'given_name', 'name', 'auth_time', 'iss', 'sub'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    response_types_supported: ['code', 'id_token', 'id_token token'],
    scopes_supported: ['openid'],
    subject_types_supported: ['public'],
    claims_parameter_supported: false,
  },
  secret: 'body',
  // The name is that of the record, if it is public.
  idToken: { sub: IRIS, given_name: 'Ann', family_name: 'Ash', auth_time: 1_700_000_000, jti: 'x' },
  userinfo: { sub: IRIS, name: null, family_name: 'Ash', given_name: 'Ann' },
  granted: {
    token_type: 'bearer',
    refresh_token: 'again',
    expires_in: 631_138_518,
    scope: 'openid',
    name: 'Ann Ash',
    orcid: IRIS,
  },
  key: { alg: 'RS256', use: 'sig' },
  returned: () => ({}),
};

type Cleanup = { after(work: () => unknown): void };
type RecordedIssuer = {
  readonly url: string;
  /** Of access tokens, the last one that was given. */
  access: string;
  /** Seconds by which the clock of the issuer is ahead. */
  ahead: number;
};

/** @param callback where the service takes people back, exactly */
export async function startRecorded(t: Cleanup, said: Recorded, callback: string): Promise<RecordedIssuer> {
  const { privateKey, publicKey } = await jose.generateKeyPair('RS256', { extractable: true });
  const { kty, n, e } = await jose.exportJWK(publicKey);
  const begun = new Map<string, { readonly nonce: string; readonly challenge: string }>();
  const issuer = { url: '', access: '', ahead: 0 };
  let origin = '';

  const sign = (claims: Members) =>
    new jose.SignJWT({ iss: issuer.url, aud: CLIENT.id, iat: now(), nbf: now(), exp: now() + 300, ...claims })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'recorded' })
      .sign(privateKey);
  const now = () => Math.floor(Date.now() / 1000) + issuer.ahead;

  const server = createServer((request, response) => {
    void answerTo(request).then(([status, body, location]) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        date: new Date(now() * 1000).toUTCString(),
        ...(location !== undefined && { location }),
      });
      response.end(JSON.stringify(body));
    });
  });

  async function answerTo(
    request: IncomingMessage,
  ): Promise<readonly [status: number, body?: object, location?: string]> {
    const { pathname, searchParams } = new URL(request.url ?? '', origin);
    const { paths } = said;
    if (pathname === `${said.issuer}/.well-known/openid-configuration`)
      return [
        200,
        {
          issuer: issuer.url,
          ...said.discovery,
          jwks_uri: origin + paths.keys,
          authorization_endpoint: origin + paths.authorize,
          token_endpoint: origin + paths.token,
          userinfo_endpoint: origin + paths.userinfo,
        },
      ];
    if (pathname === paths.keys) return [200, { keys: [{ kty, n, e, kid: 'recorded', ...said.key }] }];
    if (pathname === paths.authorize) return authorized(searchParams);
    if (pathname === paths.token) return tokensFor(request);
    if (pathname !== paths.userinfo) return [404];
    return request.headers.authorization === `Bearer ${issuer.access}` ? [200, said.userinfo] : [401];
  }

  function authorized(asked: URLSearchParams): readonly [number, object?, string?] {
    if (asked.get('redirect_uri') !== callback || asked.get('client_id') !== CLIENT.id) return [400];
    const code = `code-${begun.size}`;
    begun.set(code, {
      nonce: asked.get('nonce') ?? '',
      challenge: asked.get('code_challenge') ?? '',
    });
    const back = new URL(callback);
    const state = asked.get('state') ?? '';
    back.search = new URLSearchParams({ code, state, ...said.returned(issuer.url) }).toString();
    return [302, undefined, back.href];
  }

  async function tokensFor(request: IncomingMessage): Promise<readonly [number, object]> {
    const sent = new URLSearchParams(await text(request));
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    // Both halves are encoded as in forms (RFC 6749, section 2.3.1).
    const [, secret] = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
    const isClient = (said.secret === 'header' ? secret : sent.get('client_secret')) === CLIENT.secret;
    if (!isClient) return [401, { error: 'invalid_client' }];
    const flow = begun.get(sent.get('code') ?? '');
    const isProven = hash('sha256', sent.get('code_verifier') ?? '', 'base64url') === flow?.challenge;
    const isAgain = sent.get('grant_type') === 'refresh_token' && sent.get('refresh_token') === 'again';
    if (!isProven && !isAgain) return [400, { error: 'invalid_grant' }];
    issuer.access = said.accessToken ? await sign(said.accessToken) : `opaque-${now()}`;
    const nonce = flow && { nonce: flow.nonce };
    return [
      200,
      {
        ...said.granted,
        access_token: issuer.access,
        id_token: await sign({ ...said.idToken, ...nonce }),
      },
    ];
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  issuer.url = origin + said.issuer;
  return issuer;
}
