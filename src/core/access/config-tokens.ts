/**
 * Tokens that the service configuration defines (specification 2.6 and 5): the directory of all of them, and the
 * source that knows those of one collection.
 */
import { hash, randomBytes } from 'node:crypto';
import { DAY } from '../durations.ts';
import { type Grant, MOST_CURATORS, type TokenSource } from './grant.ts';
import { permissionsOfMode, type TokenMode, tokenModes } from './modes.ts';

/** A token of the configuration, with every default filled in. */
export type TokenConfig = {
  readonly user_id: string;
  /** The permissions of the token, by collection. A collection that is named here need not exist (any more). */
  readonly collections: Readonly<Record<string, TokenCollectionConfig>>;
  /** Whether `representation` is the SHA-256 hash of the secret, in hexadecimal digits. */
  readonly hashed: boolean;
  /** The secret, or its hash. If it is empty, the token can only be a default token. */
  readonly representation: string;
  /** Until when it is accepted: a time in ISO 8601, or a day, which is included (UTC). Without it, forever. */
  readonly expires?: string;
  /** The secret before the last rotation. */
  readonly previous?: FormerSecret;
  /** Those of rotations before, newest first: the answer to a rotation may be lost, so that the one before it is still in use. */
  readonly earlier?: readonly FormerSecret[];
  /** Makes it the token of a shared link: everybody who has the link uses it, so it belongs to no user. */
  readonly shared_link?: SharedLink;
};

/** What a shared link is for, and the curator or administrator who has made it. */
export type SharedLink = { readonly title: string; readonly by: string };

/** A secret that a rotation has replaced, as SHA-256 hash, and until when it is accepted as well. */
export type FormerSecret = { readonly representation: string; readonly until: string };

/** The secrets of a token before the present one, newest first. */
export function formerSecrets({ previous, earlier = [] }: TokenConfig): readonly FormerSecret[] {
  return previous ? [previous, ...earlier] : earlier;
}

/** Databases store no NUL. */
export const userIdSchema = { type: 'string', pattern: '^[^\\u0000]*$' } as const;

/** A day or a time. */
export const momentSchema = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d))?$',
} as const;

/** When a token that `expires` then is no longer accepted, in milliseconds; NaN if there is no such time. */
export function endOf(expires: string): number {
  const isDay = expires.length === 10;
  return Date.parse(expires) + (isDay ? DAY : 0);
}

export type TokenCollectionConfig = {
  readonly mode: TokenMode;
  /** The zone of the token; empty if it has none. */
  readonly incoming_label: string;
};

const formerSecretSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['representation', 'until'],
  properties: {
    representation: { type: 'string', format: 'password', pattern: '^[0-9a-f]{64}$' },
    until: momentSchema,
  },
} as const;

const sharedLinkSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['title', 'by'],
  properties: { title: { type: 'string' }, by: { type: 'string' } },
} as const;

/** Former secrets of a token that are accepted at most. */
export const MOST_FORMER_SECRETS = 20;

/** The JSON Schema of {@link TokenConfig}. */
export const tokenConfigSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'collections'],
  properties: {
    user_id: userIdSchema,
    collections: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['mode'],
        properties: {
          mode: { type: 'string', enum: tokenModes },
          incoming_label: { type: 'string', default: '' },
        },
      },
    },
    hashed: { type: 'boolean', default: false },
    representation: { type: 'string', format: 'password', default: '' },
    expires: { ...momentSchema, examples: ['2027-12-31'] },
    previous: formerSecretSchema,
    earlier: { type: 'array', items: formerSecretSchema, maxItems: MOST_FORMER_SECRETS - 1 },
    shared_link: sharedLinkSchema,
  },
} as const;

/** A token that a secret belongs to. */
type KnownToken = { readonly name: string; readonly token: TokenConfig; readonly end: number };

/** The facts about its own token that a client may learn. */
type OwnToken = {
  readonly name: string;
  /** Until when the presented secret is accepted; null if it does not expire. */
  readonly expires: string | null;
  /** Whether it is the secret from before a rotation. */
  readonly replaced: boolean;
  /** The title of the shared link that it belongs to. */
  readonly shared_link: string | null;
};

/** All configured tokens, found by secret or by name. One for the service; replaced as a whole when a token changes. */
export class TokenDirectory {
  #byName: ReadonlyMap<string, TokenConfig> = new Map();
  /** By the SHA-256 of the secret. The same secret may be configured under several names, for several collections. */
  #byHash: ReadonlyMap<string, readonly KnownToken[]> = new Map();
  /** The time of the last use by name, in milliseconds, and the names whose last use is not stored yet. */
  readonly #lastUse = new Map<string, number>();
  readonly #unsaved = new Set<string>();

  constructor(tokens: Readonly<Record<string, TokenConfig>> = {}) {
    this.replace(tokens);
  }

  /** Takes effect for the next request. */
  replace(tokens: Readonly<Record<string, TokenConfig>>): void {
    this.#byName = new Map(Object.entries(tokens));
    const known = new Map<string, KnownToken[]>();
    for (const [name, token] of this.#byName) {
      const end = token.expires === undefined ? Number.POSITIVE_INFINITY : endOf(token.expires);
      addToken(known, secretHash(token), { name, token, end });
      for (const { representation, until } of formerSecrets(token))
        addToken(known, representation, { name, token, end: Math.min(end, endOf(until)) });
    }
    this.#byHash = known;
    // A later token of the name is another one.
    for (const name of this.#lastUse.keys()) if (!this.#byName.has(name)) this.#forget(name);
  }

  #forget(name: string): void {
    this.#lastUse.delete(name);
    this.#unsaved.add(name);
  }

  /**
   * Returns the grant of a secret in a collection. The cost does not depend on the secret or on the number of tokens: it is
   * hashed before it is compared, so that timing reveals nothing about the secrets that exist.
   */
  grantOfSecret(secret: string, collection: string): Grant | 'expired' | undefined {
    const found = this.#presented(secret).filter(({ token }) => Object.hasOwn(token.collections, collection));
    const now = Date.now();
    const valid = found.find(({ end }) => end > now);
    if (!valid) return found.length > 0 ? 'expired' : undefined;
    this.#lastUse.set(valid.name, now);
    this.#unsaved.add(valid.name);
    return grantOf(valid.token, collection, valid.name);
  }

  /** The token of a secret, for its owner; undefined if the configuration has none. */
  ownToken(secret: string): OwnToken | undefined {
    const [found] = this.#presented(secret).filter(({ end }) => end > Date.now());
    if (!found) return undefined;
    const { name, token } = found;
    const hashes = hashesOf(secret);
    const former = formerSecrets(token).find(({ representation }) => hashes.includes(representation));
    return {
      name,
      expires: (former ? former.until : token.expires) ?? null,
      replaced: former !== undefined,
      shared_link: token.shared_link?.title ?? null,
    };
  }

  /** The minute of the last use of each token that was used, by name. */
  lastUses(): ReadonlyMap<string, string> {
    return new Map([...this.#lastUse].map(([name, time]) => [name, minuteOf(time)]));
  }

  /** Adds uses that were stored; those of this run are later. */
  restoreUses(uses: Iterable<readonly [name: string, time: string]>): void {
    for (const [name, time] of uses) {
      if (!this.#byName.has(name)) this.#forget(name);
      else if (!this.#lastUse.has(name)) this.#lastUse.set(name, Date.parse(time));
    }
  }

  /** The last use has to be stored. */
  markUnsaved(name: string): void {
    this.#unsaved.add(name);
  }

  /** The uses that are not stored yet; they count as stored from now on. Those of deleted tokens have no time. */
  takeUnsaved(): [name: string, time: string | undefined][] {
    const names = [...this.#unsaved];
    this.#unsaved.clear();
    return names.map((name) => {
      const time = this.#lastUse.get(name);
      return [name, time === undefined ? undefined : minuteOf(time)];
    });
  }

  /**
   * Clients from the time of version 1 present a hashed token as `<id>-<secret>`, although the hash is that of the secret
   * alone. They go on to: a client that knows the secret may present it in either form.
   */
  #presented(presented: string): readonly KnownToken[] {
    if (presented === '') return [];
    const [whole, rest] = hashesOf(presented);
    const found = this.#byHash.get(whole ?? '');
    if (found) return found;
    return (this.#byHash.get(rest ?? '') ?? []).filter(({ token }) => token.hashed);
  }

  /** The zones that the tokens of a collection name. */
  *labelsOf(collection: string): Iterable<string> {
    for (const { collections } of this.#byName.values()) {
      const label = Object.hasOwn(collections, collection) && collections[collection]?.incoming_label;
      if (label) yield label;
    }
  }

  /** The users with a token that curates a collection and has not expired, by id. */
  curatorsOf(collection: string): ReadonlySet<string> {
    const found = new Set<string>();
    for (const name of this.#byName.keys()) {
      const grant = this.grantOfName(name, collection);
      if (grant?.permissions.curate) found.add(grant.userId);
    }
    return found;
  }

  /** Returns the grant of a token in a collection by its name; for default tokens. */
  grantOfName(name: string, collection: string): Grant | undefined {
    const token = this.#byName.get(name);
    if (token?.expires !== undefined && endOf(token.expires) <= Date.now()) return undefined;
    return token && grantOf(token, collection);
  }
}

/** The source of type `config`: the tokens that the configuration defines for one collection. */
export function configTokens(collection: string, directory: TokenDirectory): TokenSource {
  return {
    name: 'config',
    async authenticate(secret) {
      const grant = directory.grantOfSecret(secret, collection);
      if (grant === 'expired') return { reason: 'the token has expired' };
      return grant ? { grant } : { reason: 'no such token' };
    },
    async curators(among) {
      const all = directory.curatorsOf(collection);
      return among ? among.filter((id) => all.has(id)) : [...all].slice(0, MOST_CURATORS);
    },
    async grantAgain({ source, userId, token }) {
      if (source !== 'config' || token === undefined) return undefined;
      const grant = directory.grantOfName(token, collection);
      return grant?.userId === userId ? { ...grant, token } : undefined;
    },
  };
}

/** The minute of a time, in UTC. */
function minuteOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16)}:00Z`;
}

/** A new secret of 192 random bits, in hexadecimal digits: a dash would end an id. */
export function newSecret(): string {
  return randomBytes(24).toString('hex');
}

/** SHA-256 in lower case hexadecimal digits: how secrets are stored when `hashed` is true. */
export function sha256(text: string): string {
  return hash('sha256', text);
}

/** The hash of a token's secret, however it is kept; empty, and so never found, for one without a secret. */
export function secretHash({ hashed, representation }: TokenConfig): string {
  if (representation === '') return '';
  return hashed ? representation.toLowerCase() : sha256(representation);
}

/** The hashes that a presented secret may have: of all of it, and of what follows an id. */
function hashesOf(presented: string): string[] {
  const dash = presented.indexOf('-');
  return [sha256(presented), ...(dash < 0 ? [] : [sha256(presented.slice(dash + 1))])];
}

function addToken(known: Map<string, KnownToken[]>, hash: string, one: KnownToken): void {
  if (hash === '') return;
  const same = known.get(hash);
  if (same) same.push(one);
  else known.set(hash, [one]);
}

function grantOf(token: TokenConfig, collection: string, name?: string): Grant | undefined {
  const entry = Object.hasOwn(token.collections, collection) ? token.collections[collection] : undefined;
  if (!entry) return undefined;
  const label = entry.incoming_label || undefined;
  const permissions = permissionsOfMode[entry.mode];
  return {
    source: 'config',
    userId: token.user_id,
    label,
    permissions,
    ...(name !== undefined && { token: name }),
    ...(token.shared_link && { isShared: true }),
  };
}
