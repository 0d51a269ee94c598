/**
 * Tokens that the service configuration defines (specification 2.6 and 5): the directory of all of them, and the
 * source that knows those of one collection.
 */
import { createHash } from 'node:crypto';
import type { Grant } from './grant.ts';
import { permissionsOfMode, type TokenMode, tokenModes } from './modes.ts';
import type { TokenSource } from './token-source.ts';

/** A token of the configuration, with every default filled in. */
export type TokenConfig = {
  readonly user_id: string;
  /** What the token may do, by collection. A collection that is named here need not exist (any more). */
  readonly collections: Readonly<Record<string, TokenCollectionConfig>>;
  /** Whether `representation` is the SHA-256 hash of the secret, in hexadecimal digits. */
  readonly hashed: boolean;
  /** The secret, or its hash. A token where it is empty can only serve as a default token. */
  readonly representation: string;
};

export type TokenCollectionConfig = {
  readonly mode: TokenMode;
  /** The zone of the token; empty where it has none. */
  readonly incoming_label: string;
};

/** The JSON Schema of {@link TokenConfig}. */
export const tokenConfigSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'collections'],
  properties: {
    user_id: { type: 'string' },
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
    representation: { type: 'string', default: '' },
  },
} as const;

/** All configured tokens, found by secret or by name. One for the service; replaced as a whole when a token changes. */
export class TokenDirectory {
  #byName: ReadonlyMap<string, TokenConfig> = new Map();
  /** By the SHA-256 of the secret. The same secret may be configured under several names, for several collections. */
  #byHash: ReadonlyMap<string, readonly TokenConfig[]> = new Map();

  constructor(tokens: Readonly<Record<string, TokenConfig>> = {}) {
    this.replace(tokens);
  }

  /** Takes effect for the next request. */
  replace(tokens: Readonly<Record<string, TokenConfig>>): void {
    this.#byName = new Map(Object.entries(tokens));
    this.#byHash = Map.groupBy(this.#byName.values(), secretHash);
  }

  /**
   * What a secret is granted in a collection. The cost does not depend on the secret or on the number of tokens: it is
   * hashed before it is compared, so that timing reveals nothing about the secrets that exist.
   */
  grantOfSecret(secret: string, collection: string): Grant | undefined {
    if (secret === '') return undefined;
    const tokens = this.#byHash.get(sha256(secret)) ?? this.#presentedWithId(secret);
    const token = tokens.find((token) => Object.hasOwn(token.collections, collection));
    return token && grantOf(token, collection);
  }

  /**
   * Clients from the time of version 1 present a hashed token as `<id>-<secret>`, where its hash is that of the secret
   * alone. Both forms are accepted from a client that knows the secret.
   */
  #presentedWithId(presented: string): readonly TokenConfig[] {
    const dash = presented.indexOf('-');
    if (dash < 0) return [];
    return (this.#byHash.get(sha256(presented.slice(dash + 1))) ?? []).filter(({ hashed }) => hashed);
  }

  /** The zones that the tokens of a collection name. */
  *labelsOf(collection: string): Iterable<string> {
    for (const { collections } of this.#byName.values()) {
      const label = Object.hasOwn(collections, collection) && collections[collection]?.incoming_label;
      if (label) yield label;
    }
  }

  /** What a token, by its name, is granted in a collection; for default tokens. */
  grantOfName(name: string, collection: string): Grant | undefined {
    const token = this.#byName.get(name);
    return token && grantOf(token, collection);
  }
}

/** The source of type `config`: the tokens that the configuration defines for one collection. */
export function configTokens(collection: string, directory: TokenDirectory): TokenSource {
  return {
    name: 'config',
    async authenticate(secret) {
      const grant = directory.grantOfSecret(secret, collection);
      return grant
        ? { grant }
        : { reason: `the configuration has no such token for the collection '${collection}'` };
    },
    async close() {},
  };
}

/** SHA-256 in lower case hexadecimal digits: how secrets are stored when `hashed` is true. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The hash of a token's secret, however it is kept; empty, and so never found, for one without a secret. */
export function secretHash({ hashed, representation }: TokenConfig): string {
  if (representation === '') return '';
  return hashed ? representation.toLowerCase() : sha256(representation);
}

function grantOf(token: TokenConfig, collection: string): Grant | undefined {
  const entry = Object.hasOwn(token.collections, collection) ? token.collections[collection] : undefined;
  if (!entry) return undefined;
  const label = entry.incoming_label || undefined;
  return { userId: token.user_id, label, permissions: permissionsOfMode[entry.mode] };
}
