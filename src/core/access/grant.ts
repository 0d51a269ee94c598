/** The permissions of a presented token in one collection. */
export type Grant = {
  /** The source of the token, as policies name it: `config`, or `forgejo_<instance_id>`. */
  readonly source: string;
  /** Who it is: written into submission tags and audit entries. */
  readonly userId: string;
  /** The mail address that the source knows of the user. It is proposed to them, and nothing is sent to it unasked. */
  readonly email?: string;
  /** The incoming zone of the token, if it has one. After `authorize`, zone permissions imply a label. */
  readonly label: string | undefined;
  readonly permissions: Permissions;
  /** The name of the token in the configuration, for logs. */
  readonly token?: string;
  /** Whether the request has no token, so that these are the permissions of the default token. */
  readonly isDefault?: true;
  /** Whether the token itself permits reading the curated area, not only the default token beside it. */
  readonly isReader?: true;
  /** Whether the token is that of a shared link, which belongs to no user. It is let in only where requests without a token may be. */
  readonly isShared?: true;
};

/** The columns of the mode table (docs/configuration.md, "Modes"). */
export type Permissions = {
  readonly readCurated: boolean;
  readonly readZone: boolean;
  readonly writeZone: boolean;
  /** Writes the curated area and reads and writes every zone: CURATOR. */
  readonly curate: boolean;
};

/**
 * A source that knows tokens: the configuration, a forge. It never throws for a token that it does not accept: it returns the
 * reason, which the client receives in a 401 beside those of the other sources. A reason never repeats the token.
 */
export interface TokenSource {
  /** The name in reasons: `config`, or `forge <url>`. */
  readonly name: string;
  /** The grant of a token in this source's collection, or why there is none. */
  authenticate(token: string): Promise<Authentication>;
  /**
   * The users whom it lets curate now, as far as it knows them without a token: those of some ids, or the first {@link MOST_CURATORS}.
   * A source that knows people by their tokens alone, as a forge, has none.
   */
  curators?(among?: readonly string[]): Promise<readonly string[]>;
  /**
   * The grant that a user has now whom the source has accepted before; undefined if there is none any more, or if it is another
   * source's. Absent if the source knows users by their tokens only.
   */
  grantAgain?(former: FormerGrant): Promise<Grant | undefined>;
}

/** Curators that a source lists. */
export const MOST_CURATORS = 1000;

/** What is kept of a grant to find it again without the token. */
export type FormerGrant = Pick<Grant, 'source' | 'userId' | 'token' | 'permissions' | 'isReader'>;

type Authentication = { readonly grant: Grant } | { readonly reason: string };
