/** The entries of `auth_sources` by which people sign in: `oidc` for issuers of OpenID Connect, `oauth` for forges. */
import { tokenModes } from '../../core/access/modes.ts';
import { secretFileSchema } from '../../core/config/secret-file.ts';
import type { Shape } from '../../core/shapes.ts';

const mode = { type: 'string', enum: tokenModes } as const;
const text = { type: 'string', minLength: 1, maxLength: 1000 } as const;
/** Without TLS only on this machine: a client secret is sent there, and what comes from there is believed. */
const url = {
  type: 'string',
  pattern: '^(https://[^/@\\s?#]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d+)?)(/[^\\s?#]*)?$',
} as const;

const shared = {
  // In URLs, in user ids and in the names of zones. Entries of the same name in several collections are the same source.
  name: { type: 'string', pattern: '^[a-z\\d][a-z\\d-]{0,39}$' },
  // What the button of the desk says.
  title: { type: 'string', minLength: 1, maxLength: 80 },
  client_id: text,
  client_secret: { ...text, format: 'password' },
  client_secret_file: secretFileSchema,
  // Group → what its members may do in the collection.
  groups: { type: 'object', propertyNames: { minLength: 1 }, additionalProperties: mode },
  // What everyone may do who signs in.
  everyone: mode,
  // The zone of everyone who signs in; without it, everyone has one.
  label: { type: 'string', minLength: 1, maxLength: 200 },
} as const;

const oidcSourceSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'name'],
  properties: {
    type: { const: 'oidc' },
    ...shared,
    preset: { type: 'string', enum: ['orcid', 'keycloak', 'entra', 'shibboleth', 'helmholtz'] },
    issuer: url,
    scopes: { type: 'array', items: { type: 'string', pattern: '^[!#-\\[\\]-~]+$' } },
    // The claim that histories name a person by.
    user_id_claim: text,
    // The claim that lists groups or roles: its name, or the path to it with dots.
    groups_claim: text,
    // The claim with the ORCID iD.
    orcid_claim: text,
    // Tokens of the issuer for one of these audiences are accepted as they are.
    audiences: { type: 'array', items: text },
  },
} as const;

const oauthSourceSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'name', 'provider'],
  properties: {
    type: { const: 'oauth' },
    ...shared,
    provider: { type: 'string', enum: ['github', 'gitlab', 'forgejo'] },
    // The address of the forge, if it is not `github.com` or `gitlab.com`.
    url,
  },
} as const;

export type OidcSourceConfig = Shape<typeof oidcSourceSchema>;
export type OauthSourceConfig = Shape<typeof oauthSourceSchema>;
export type SignInConfig = OidcSourceConfig | OauthSourceConfig;

declare module '../../core/access/sources.ts' {
  interface ModuleSources {
    oidc: OidcSourceConfig;
    oauth: OauthSourceConfig;
  }
}

export const sourceSchemas = { oidc: oidcSourceSchema, oauth: oauthSourceSchema };

/** How a file with the secret of a client is named in errors, see {@link readSecretFile}. */
export const CLIENT_SECRET_FILE = { key: 'client_secret_file', code: 'sign_in_unavailable' } as const;

/** Whether people sign in by an entry of `auth_sources`. */
export function isSignInConfig(config: { readonly type: string }): config is SignInConfig {
  return Object.hasOwn(sourceSchemas, config.type);
}

/** The source as policies name it, and the beginning of its zones. */
export function sourceKey({ type, name }: Pick<SignInConfig, 'type' | 'name'>): string {
  return `${type}_${name}`;
}

/** What an issuer needs that is not said otherwise. */
type Preset = Partial<
  Pick<OidcSourceConfig, 'issuer' | 'title' | 'user_id_claim' | 'groups_claim' | 'orcid_claim'>
> & {
  readonly scopes: readonly string[];
};

const USUAL: Preset = { scopes: ['openid', 'profile', 'email'] };

const PRESETS: Readonly<Record<NonNullable<OidcSourceConfig['preset']>, Preset>> = {
  // The subject is the ORCID iD; other scopes are for members.
  orcid: { issuer: 'https://orcid.org', title: 'ORCID', scopes: ['openid'], orcid_claim: 'sub' },
  keycloak: { ...USUAL, groups_claim: 'realm_access.roles', user_id_claim: 'preferred_username' },
  // Groups and roles come in the claims that the registration of the application names.
  entra: {
    scopes: [...USUAL.scopes, 'offline_access'],
    groups_claim: 'roles',
    // Names of accounts change, and may be given to others.
    user_id_claim: 'oid',
  },
  shibboleth: { ...USUAL, groups_claim: 'eduperson_entitlement', orcid_claim: 'eduPersonOrcid' },
  helmholtz: {
    issuer: 'https://login.helmholtz.de/oauth2',
    title: 'Helmholtz AAI',
    scopes: [...USUAL.scopes, 'eduperson_entitlement', 'offline_access'],
    groups_claim: 'eduperson_entitlement',
  },
};

/** An issuer with what its preset says, as far as it is configured. */
export type IssuerSettings = OidcSourceConfig & {
  readonly scopes: readonly string[];
  readonly user_id_claim: string;
  readonly groups_claim: string;
  readonly orcid_claim: string;
};

export function withPreset(config: OidcSourceConfig): IssuerSettings {
  const preset = config.preset === undefined ? USUAL : PRESETS[config.preset];
  return { user_id_claim: 'sub', groups_claim: 'groups', orcid_claim: 'orcid', ...preset, ...config };
}
