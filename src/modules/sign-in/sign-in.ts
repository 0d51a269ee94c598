/** The sign-in of a service: its sources, and who has sent a token. One for each registry, see {@link signInOf}. */
import { newSecret, sha256 } from '../../core/access/config-tokens.ts';
import type { TokenMode } from '../../core/access/modes.ts';
import type { Registry } from '../../core/collections/registry.ts';
import { type Configuration, entryOf } from '../../core/config/config.ts';
import { readSecretFile } from '../../core/config/secret-file.ts';
import { isWithin } from '../../core/durations.ts';
import { isServiceError, ServiceError } from '../../core/errors.ts';
import type { Database } from '../../core/storage/database.ts';
import { backgroundWork } from '../../core/storage/open-database.ts';
import type {} from './codes.ts';
import { oauthProvider } from './oauth.ts';
import { oidcProvider } from './oidc.ts';
import {
  isBlocked,
  type KnownPerson,
  ownId,
  type Person,
  type PersonRow,
  personOf,
  personRow,
} from './people.ts';
import { PERSONAL, personalRow } from './personal-tokens.ts';
import { loadLibraries } from './protocol.ts';
import type { Kept, Provider } from './provider.ts';
import {
  endSession,
  keptIn,
  noteAgain,
  noteKept,
  removeEnded,
  renewSession,
  SESSION,
  type SessionRow,
  sessionRow,
  takeTurn,
} from './sessions.ts';
import {
  CLIENT_SECRET_FILE,
  isSignInConfig,
  type OidcSourceConfig,
  type SignInConfig,
  withPreset,
} from './source-config.ts';
import { TIMES } from './times.ts';

/** Who has sent a token. */
export type Bearer =
  | { readonly kind: 'session'; readonly person: Person; readonly session: number }
  | {
      readonly kind: 'personal';
      readonly person: Person;
      readonly modes: Readonly<Record<string, TokenMode>> | null;
    }
  | { readonly kind: 'issuer'; readonly person: KnownPerson };

type SignInParts = {
  readonly database: Database;
  readonly registry: Registry;
  /** The store directory. */
  readonly root: string;
  readonly log: { warn(details: object, message: string): void };
};

/** The last uses that are not stored yet, at most; others are noted at a use after these are stored. */
const MOST_USES = 10_000;
/** Matches signed tokens. Anything else is none of an issuer. */
const SIGNED = /^[\w-]{10,4000}\.[\w-]{2,8000}\.[\w-]{10,2000}$/;

export class SignIn {
  readonly #parts: SignInParts;
  readonly #providers = new Map<string, { readonly key: string; readonly provider: Promise<Provider> }>();
  /** Requests with the same token ask once, as `/-/me` does for each collection. */
  readonly #reading = new Map<string, Promise<Bearer | undefined>>();
  readonly #asking = new Map<number, Promise<void>>();
  readonly #sessionUses = new Map<number, number>();
  readonly #tokenUses = new Map<number, number>();
  #key: Promise<string> | undefined;
  /** Where people have begun to sign in, if it is not stored yet. */
  #origin: string | undefined;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  get database(): Database {
    return this.#parts.database;
  }

  /** The sources that people can sign in by: none where the store is only read, since a session would have to be stored. */
  sources(): readonly SignInConfig[] {
    return this.database.readOnly ? [] : this.#sources();
  }

  #sources(): readonly SignInConfig[] {
    return completeSources(this.#parts.registry.current().configuration);
  }

  /** @throws ServiceError `sign_in_unknown` */
  source(name: string): SignInConfig {
    const source = this.#sources().find((one) => one.name === name);
    if (source) return source;
    throw new ServiceError('sign_in_unknown', `The service has no source '${name}' to sign in by.`);
  }

  /** What signs people in by a source. @throws ServiceError `sign_in_unknown` */
  async provider(name: string): Promise<Provider> {
    const source = this.source(name);
    const { groups: _, everyone: _everyone, label: _label, ...protocol } = source;
    // Permissions of repositories are among the groups, and each is asked for.
    const key = JSON.stringify([protocol, source.type === 'oauth' && this.#groupsOf(name)]);
    const known = this.#providers.get(name);
    if (known?.key === key) return known.provider;
    const provider = this.#providerOf(source);
    this.#providers.set(name, { key, provider });
    return provider;
  }

  async #providerOf(source: SignInConfig): Promise<Provider> {
    const libraries = await loadLibraries();
    const secretOf = () => this.#secretOf(source);
    return source.type === 'oidc'
      ? oidcProvider(libraries, source, secretOf)
      : oauthProvider(libraries, source, this.#groupsOf(source.name), secretOf);
  }

  /** The groups that any collection names for a source. */
  #groupsOf(name: string): readonly string[] {
    const { configuration } = this.#parts.registry.current();
    const groups = entriesOf(configuration).filter((one) => one.name === name);
    return [...new Set(groups.flatMap((one) => Object.keys(one.groups ?? {})))].sort();
  }

  async #secretOf({
    client_secret: secret,
    client_secret_file: file,
  }: SignInConfig): Promise<string | undefined> {
    if (file === undefined) return secret;
    try {
      return await readSecretFile(this.#parts.root, file, CLIENT_SECRET_FILE);
    } catch (err) {
      // Guests do not learn paths.
      this.#parts.log.warn({ err, file }, 'could not read the secret of a source');
      throw new Error('the secret of this service for it cannot be read');
    }
  }

  /** The secret that seals cookies: that of all instances. */
  key(): Promise<string> {
    this.#key ??= readKey(this.database).catch((error) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }

  /**
   * Who has sent a token of a session, or a personal one.
   *
   * @returns undefined for any other token, and for one that has ended
   */
  bearer(token: string): Promise<Bearer | undefined> {
    if (!isOurs(token)) return Promise.resolve(undefined);
    const key = sha256(token);
    const reading = this.#reading.get(key);
    if (reading) return reading;
    const read = (token.startsWith(SESSION) ? this.#session(token) : this.#personal(token)).finally(() =>
      this.#reading.delete(key),
    );
    this.#reading.set(key, read);
    return read;
  }

  async #session(token: string): Promise<Bearer | undefined> {
    let row = await sessionRow(this.database, token);
    if (!row) return undefined;
    if (row[11] !== null && !isWithin(row[12], TIMES.asked) && !this.database.readOnly) {
      const asked = this.#askAgain(row, token);
      if (!isWithin(row[12], TIMES.askedAtMost)) {
        await asked;
        row = await sessionRow(this.database, token);
      }
    }
    if (!row) return undefined;
    this.#noteUse(this.#sessionUses, row[9]);
    return { kind: 'session', person: personIn(row), session: row[9] };
  }

  async #personal(token: string): Promise<Bearer | undefined> {
    const row = await personalRow(this.database, token);
    if (!row) return undefined;
    this.#noteUse(this.#tokenUses, row[9]);
    return {
      kind: 'personal',
      person: personIn(row),
      modes: row[10] === null ? null : (JSON.parse(row[10]) as Record<string, TokenMode>),
    };
  }

  /** Who has sent a signed token of an issuer, or why it is not accepted. */
  async signed(
    { name, audiences = [] }: OidcSourceConfig,
    token: string,
  ): Promise<Bearer | { readonly reason: string }> {
    if (audiences.length === 0 || !SIGNED.test(token)) return { reason: 'not a session or a personal token' };
    try {
      const verified = await (await this.provider(name)).verify!(token, audiences);
      if ('reason' in verified) return verified;
      const identity = { source: name, subject: verified.subject };
      if (isBlocked(await personRow(this.database, identity))) return { reason: 'the identity is blocked' };
      const claims = { ...verified.claims, id: await ownId(this.database, name, verified) };
      return { kind: 'issuer', person: { ...identity, claims, claimed: Date.now() } };
    } catch (error) {
      if (isServiceError(error)) return { reason: error.message.replace(/\.$/, '') };
      throw error;
    }
  }

  /** Asks the issuer of a session who the person is by now, in the background; one request at a time does. */
  #askAgain(row: SessionRow, token: string): Promise<void> {
    const session = row[9];
    const asking = this.#asking.get(session);
    if (asking) return asking;
    const asked = backgroundWork(() => this.#renewClaims(row, token))
      .catch((err: unknown) => {
        const [, source] = row;
        this.#parts.log.warn({ err, source }, 'could not ask the issuer again, the session goes on');
      })
      .finally(() => this.#asking.delete(session));
    this.#asking.set(session, asked);
    return asked;
  }

  async #renewClaims(row: SessionRow, token: string): Promise<void> {
    const [id, source, subject] = row;
    const [session, , sealed, asked] = [row[9], row[10], row[11], row[12]];
    if (sealed === null || !(await takeTurn(this.database, session, asked))) return;
    const kept = keptIn(token, sealed);
    const keep = (fresh: Kept) => noteKept(this.database, { session, token }, fresh);
    const found = kept ? await (await this.provider(source)).again(kept, subject, keep) : 'unknown';
    if (found === 'ended') await endSession(this.database, id, session);
    else await noteAgain(this.database, { session, token, source }, found);
  }

  #noteUse(uses: Map<number, number>, id: number): void {
    if (this.database.readOnly) return;
    if (uses.size < MOST_USES || uses.has(id)) uses.set(id, Date.now());
  }

  /** Notes by which URL people reach the service: `accession check` tries the redirect URI. */
  noteOrigin(origin: string): void {
    this.#origin = origin;
  }

  /** Stores last uses, which renew sessions, and removes what has ended. What could not be stored is stored the next time. */
  async saveUses(): Promise<void> {
    const sessions = [...this.#sessionUses];
    const tokens = [...this.#tokenUses];
    this.#sessionUses.clear();
    this.#tokenUses.clear();
    const origin = this.#origin;
    this.#origin = undefined;
    const stored = this.database.transact(async (draft) => {
      for (const [session, used] of sessions) renewSession(draft, session, used);
      for (const [token, used] of tokens)
        draft.run('UPDATE accession_personal_token SET used = $2 WHERE id = $1', [token, used]);
      removeEnded(draft, Date.now());
      if (origin !== undefined)
        draft.run(
          `INSERT INTO accession_sign_in_value (name, value) VALUES ('${ORIGIN}', $1)
           ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
          [origin],
        );
    });
    try {
      await stored;
    } catch (error) {
      for (const [id, used] of sessions) if (!this.#sessionUses.has(id)) this.#sessionUses.set(id, used);
      for (const [id, used] of tokens) if (!this.#tokenUses.has(id)) this.#tokenUses.set(id, used);
      this.#origin ??= origin;
      throw error;
    }
  }
}

/** Whether a token is one that this module makes. */
export const isOurs = (token: string) => token.startsWith(SESSION) || token.startsWith(PERSONAL);

const personIn = (row: SessionRow | readonly [...PersonRow, ...unknown[]]): Person =>
  personOf(row.slice(0, 9) as unknown as PersonRow);

/** All entries of the configuration by which people sign in, those that refer to others by name included. */
export function entriesOf({ collections }: Pick<Configuration, 'collections'>): readonly SignInConfig[] {
  return Object.values(collections).flatMap(({ auth_sources }) => auth_sources.filter(isSignInConfig));
}

/**
 * The first entry of each name that has all that its protocol needs. Others of the name are the same source; where they name another
 * server or client, it is not known whose subjects the people of the name are, so there is none.
 */
export function completeSources(configuration: Pick<Configuration, 'collections'>): readonly SignInConfig[] {
  const byName = Map.groupBy(entriesOf(configuration).filter(isComplete), ({ name }) => name);
  return [...byName.values()].flatMap((entries) =>
    new Set(entries.map(clientOf)).size === 1 ? entries.slice(0, 1) : [],
  );
}

/** Which client of which server an entry is. */
function clientOf(entry: SignInConfig): string {
  const server = entry.type === 'oidc' ? [withPreset(entry).issuer] : [entry.provider, entry.url];
  return JSON.stringify([entry.type, ...server, entry.client_id]);
}

export function isComplete(entry: SignInConfig): boolean {
  const hasServer = entry.type === 'oauth' || withPreset(entry).issuer !== undefined;
  return entry.client_id !== undefined && hasServer;
}

/** Whether the zones of a collection exist. */
export function hasZones({ collections }: Configuration, collection: string): boolean {
  return (entryOf(collections, collection)?.incoming ?? null) !== null;
}

const KEY = 'cookies';
const ORIGIN = 'origin';

/** The URL by which people have reached the service, without a slash at its end; undefined if no one has begun to sign in. */
export async function knownOrigin(reader: Pick<Database, 'tuples'>): Promise<string | undefined> {
  const [row] = await reader.tuples<[string]>('SELECT value FROM accession_sign_in_value WHERE name = $1', [
    ORIGIN,
  ]);
  return row?.[0];
}

async function readKey(database: Pick<Database, 'tuples'>): Promise<string> {
  const [row] = await database.tuples<[string]>('SELECT value FROM accession_sign_in_value WHERE name = $1', [
    KEY,
  ]);
  if (row) return row[0];
  throw new ServiceError(
    'sign_in_unavailable',
    'The service that owns the store has to start once before people sign in.',
  );
}

/** Makes the key of a new store. Of several instances, one does. */
export async function makeKey(database: Database): Promise<void> {
  await database.transact(
    async (draft) =>
      void draft.run(
        'INSERT INTO accession_sign_in_value (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
        [KEY, newSecret() + newSecret()],
      ),
  );
}

const ofRegistry = new WeakMap<Registry, SignIn>();

/** The sign-in of a service, which is made with its registry. */
export function signInOf(registry: Registry): SignIn {
  return ofRegistry.get(registry)!;
}

export function openSignIn(parts: SignInParts): SignIn {
  const made = new SignIn(parts);
  ofRegistry.set(parts.registry, made);
  return made;
}
