/** Edits of tokens and admin tokens by administrators: each edit returns the next configuration, or throws the reason. */
import {
  endOf,
  type FormerSecret,
  formerSecrets,
  MOST_FORMER_SECRETS,
  newSecret,
  secretHash,
  sha256,
  type TokenCollectionConfig,
  type TokenConfig,
} from '../access/config-tokens.ts';
import { modeNeedsZone, modePermitsMoreThanReading } from '../access/modes.ts';
import { DAY } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import { refusal } from '../json-schema.ts';
import { tokenHash } from './admin-token.ts';
import { type AdminTokenConfig, type Configuration, entryOf } from './config.ts';
import { collectionOf, type Placement } from './edit-collections.ts';
import { BOOTSTRAP_NAME, checkName } from './names.ts';
import type { WithName } from './parse.ts';
import { labelProblem } from './paths.ts';

/** The token as its creator sees it once: with the secret if the service has generated it. */
type IssuedToken = { readonly configuration: Configuration; readonly token: WithName<TokenConfig> };

/**
 * A token without a representation gets a generated secret. Of a hashed token only the hash is kept.
 *
 * @throws ServiceError `name_taken`, `payload_invalid`, `collection_unknown`, `incoming_missing`, `label_missing`,
 *   `hash_malformed`, `representation_taken`
 */
export function putToken(
  current: Configuration,
  payload: WithName<TokenConfig>,
  placement: Placement,
): IssuedToken {
  const { name, ...given } = payload;
  checkName(name);
  const present = entryOf(current.tokens, name);
  if (placement === 'create' && present)
    throw new ServiceError('name_taken', `The token '${name}' already exists.`);
  for (const [collection, entry] of Object.entries(given.collections)) {
    // A collection may be gone that the token named before: sending back what was read has to work.
    const kept = present !== undefined && Object.hasOwn(present.collections, collection);
    checkEntry(current, collection, entry, kept);
  }
  checkTimes(given, given.representation === '');
  const { kept, shown } = given.representation === '' ? generated(given) : stated(given);
  checkUnused(current, name, kept);
  return {
    configuration: { ...current, tokens: { ...current.tokens, [name]: kept } },
    token: { name, ...shown },
  };
}

/** How long the former secret may be accepted after a rotation, in days. */
export const MOST_GRACE_DAYS = 90;

/**
 * Replaces the secret of a token by a generated one. The former one is accepted for some more days, and so are those of rotations
 * before, for theirs: if the answer to the last rotation was lost, no client has its secret. Without such days, all end.
 *
 * @throws ServiceError `token_unknown`, `payload_invalid` if too many are accepted
 */
export function rotateToken(current: Configuration, name: string, graceDays: number): IssuedToken {
  const token = tokenOf(current, name);
  const { previous: _, earlier: __, ...rest } = token;
  const { kept, shown } = generated({ ...rest, ...(graceDays > 0 && stillAccepted(token, graceDays)) });
  return {
    configuration: { ...current, tokens: { ...current.tokens, [name]: kept } },
    token: { name, ...shown },
  };
}

/** @throws ServiceError `payload_invalid` */
function stillAccepted(token: TokenConfig, graceDays: number): Pick<TokenConfig, 'previous' | 'earlier'> {
  const now = Date.now();
  const earlier: readonly FormerSecret[] = formerSecrets(token).filter(({ until }) => endOf(until) > now);
  if (earlier.length >= MOST_FORMER_SECRETS) {
    const msg = `expected 0, which ends the ${earlier.length} former secrets that are accepted, found ${graceDays}`;
    throw refusal('payload_invalid', [{ type: 'too_many', loc: ['body', 'keep_days'], msg }]);
  }
  const representation = secretHash(token);
  const until = new Date(now + graceDays * DAY).toISOString();
  const [previous, ...others] = representation === '' ? earlier : [{ representation, until }, ...earlier];
  return { ...(previous && { previous }), ...(others.length > 0 && { earlier: others }) };
}

/** @throws ServiceError `token_unknown`, `default_token_kept` */
export function removeToken(current: Configuration, name: string): Configuration {
  tokenOf(current, name);
  for (const [collection, { default_token }] of Object.entries(current.collections)) {
    if (default_token !== name) continue;
    const why = `it is the default token of the collection '${collection}'`;
    throw new ServiceError('default_token_kept', `The token '${name}' cannot be deleted: ${why}.`);
  }
  const { [name]: _, ...tokens } = current.tokens;
  return { ...current, tokens };
}

/**
 * Lets requests without a token read the curated records of a collection, or nothing: its default token gets the mode, and is made if the
 * configuration does not define it. A mode that permits more is left alone.
 *
 * @throws ServiceError `collection_unknown`, `default_token_permits_more`, `default_token_expired`, `payload_invalid` for a name that no
 * token can have
 */
export function setPublic(current: Configuration, collection: string, isPublic: boolean): Configuration {
  const { default_token: name } = collectionOf(current, collection);
  checkName(name);
  const token = defaultTokenOf(current, name);
  const { mode = 'NOTHING', incoming_label = '' } = entryOf(token.collections, collection) ?? {};
  if (modePermitsMoreThanReading(mode))
    throw new ServiceError(
      'default_token_permits_more',
      `The default token '${name}' has the mode ${mode} in '${collection}', which permits more than reading. ` +
        'Set the mode NOTHING or READ_CURATED first.',
    );
  if (isPublic && token.expires !== undefined && endOf(token.expires) <= Date.now())
    throw new ServiceError(
      'default_token_expired',
      `The default token '${name}' expired on ${token.expires}, so requests without a token would still be refused. Change its end first.`,
    );
  const entry = { mode: isPublic ? 'READ_CURATED' : 'NOTHING', incoming_label } as const;
  const collections = { ...token.collections, [collection]: entry };
  return { ...current, tokens: { ...current.tokens, [name]: { ...token, collections } } };
}

/** A default token; one that is not defined yet permits nothing, and has no secret. */
export function defaultTokenOf({ tokens }: Configuration, name: string): TokenConfig {
  return entryOf(tokens, name) ?? { user_id: name, collections: {}, hashed: false, representation: '' };
}

/** @throws ServiceError `token_unknown` */
export function tokenOf({ tokens }: Configuration, name: string): TokenConfig {
  const token = entryOf(tokens, name);
  if (!token) throw new ServiceError('token_unknown', `The token '${name}' does not exist.`);
  return token;
}

/** @throws ServiceError `name_reserved`, `name_taken`, `payload_invalid`, `hash_malformed`, `representation_taken` */
export function putAdminToken(
  current: Configuration,
  { name, representation }: WithName<AdminTokenConfig>,
  placement: Placement,
): Configuration {
  checkName(name);
  if (name === BOOTSTRAP_NAME) {
    throw new ServiceError('name_reserved', `The name '${name}' is reserved for the service.`);
  }
  if (placement === 'create' && entryOf(current.admin_tokens, name)) {
    throw new ServiceError('name_taken', `The admin token '${name}' already exists.`);
  }
  const token = { representation: tokenHash(representation, '`representation`') };
  const others = Object.entries(current.admin_tokens).filter(([other]) => other !== name);
  const same = others.find(([, other]) => other.representation.toLowerCase() === token.representation);
  if (same)
    throw new ServiceError(
      'representation_taken',
      `The admin token '${same[0]}' has the same representation.`,
    );
  return { ...current, admin_tokens: { ...current.admin_tokens, [name]: token } };
}

/**
 * @param othersExist whether there is an administrator besides those of the configuration
 * @throws ServiceError `admin_token_unknown`, `last_admin_token`
 */
export function removeAdminToken(current: Configuration, name: string, othersExist: boolean): Configuration {
  adminTokenOf(current, name);
  const { [name]: _, ...admin_tokens } = current.admin_tokens;
  if (Object.keys(admin_tokens).length === 0 && !othersExist) {
    throw new ServiceError(
      'last_admin_token',
      `The admin token '${name}' cannot be deleted: it is the last one. Create another one first.`,
    );
  }
  return { ...current, admin_tokens };
}

/** @throws ServiceError `admin_token_unknown` */
export function adminTokenOf({ admin_tokens }: Configuration, name: string): AdminTokenConfig {
  const token = entryOf(admin_tokens, name);
  if (!token) throw new ServiceError('admin_token_unknown', `The admin token '${name}' does not exist.`);
  return token;
}

function checkEntry(
  current: Configuration,
  collection: string,
  { mode, incoming_label }: TokenCollectionConfig,
  kept: boolean,
): void {
  const config = kept ? entryOf(current.collections, collection) : collectionOf(current, collection);
  if (config && modeNeedsZone(mode) && config.incoming === null) {
    const why = 'it has no `incoming` path';
    throw new ServiceError(
      'incoming_missing',
      `The mode ${mode} cannot be used in the collection '${collection}': ${why}.`,
    );
  }
  if (modeNeedsZone(mode) && incoming_label === '') {
    throw new ServiceError(
      'label_missing',
      `The mode ${mode} in the collection '${collection}' requires an \`incoming_label\`.`,
    );
  }
  const problem = incoming_label === '' ? undefined : labelProblem(incoming_label);
  if (problem) {
    const msg = `\`incoming_label\` ${JSON.stringify(incoming_label)} ${problem}`;
    const loc = ['body', 'collections', collection, 'incoming_label'];
    throw new ServiceError('payload_invalid', msg, [{ type: 'label_invalid', loc, msg }]);
  }
}

/**
 * The tokens of a stored configuration that have no zone, although their mode lets them write or they name one, one
 * sentence each, for the operator: the peer takes such entries from files.
 */
export function tokensWithoutZone({ tokens, collections }: Configuration): string[] {
  return Object.entries(tokens).flatMap(([name, token]) =>
    Object.entries(token.collections).flatMap(([collection, { mode, incoming_label }]) => {
      const incoming = entryOf(collections, collection)?.incoming;
      const problem = incoming && incoming_label ? labelProblem(incoming_label) : undefined;
      if (problem)
        return `token '${name}': its zone in the collection '${collection}' is not served, since its label ${JSON.stringify(incoming_label)} ${problem}`;
      if (!modeNeedsZone(mode) || incoming === undefined) return [];
      if (incoming !== null && incoming_label !== '') return [];
      const missing =
        incoming === null ? 'the collection has no `incoming` path' : 'it has no `incoming_label`';
      return `token '${name}': its mode ${mode} in the collection '${collection}' lets it write nothing of its own, since ${missing}`;
    }),
  );
}

type Representations = { readonly kept: TokenConfig; readonly shown: TokenConfig };

function generated(token: TokenConfig): Representations {
  const secret = newSecret();
  return {
    kept: { ...token, representation: token.hashed ? sha256(secret) : secret },
    shown: { ...token, representation: secret },
  };
}

/**
 * @param isIssued whether the token gets a new secret, which has to work; others may be kept although they have expired
 * @throws ServiceError `payload_invalid` for days that do not exist
 */
function checkTimes({ expires, previous, earlier = [] }: TokenConfig, isIssued: boolean): void {
  for (const [key, time] of [
    ['expires', expires],
    ['previous.until', previous?.until],
    ...earlier.map(({ until }, at) => [`earlier.${at}.until`, until] as const),
  ] as const) {
    if (time === undefined) continue;
    const end = endOf(time);
    const isPast = isIssued && key === 'expires' && end <= Date.now();
    if (!Number.isNaN(end) && !isPast) continue;
    const msg = `expected ${isPast ? 'a time to come' : 'a day or a time in ISO 8601'}, found '${time}'`;
    throw new ServiceError('payload_invalid', `body.${key}: ${msg}`, [
      { type: 'payload_invalid', loc: ['body', ...key.split('.')], msg },
    ]);
  }
}

/** Matches values that a header can have: no control characters, no blanks at its ends. */
const HEADER_VALUE = /^[\x21-\x7e\x80-\xff]([\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/** @throws ServiceError `payload_invalid` for a secret that no header can carry */
function checkSecret(secret: string): void {
  if (HEADER_VALUE.test(secret)) return;
  const msg = 'expected a secret that a header can carry: no control characters, no blanks at its ends';
  throw new ServiceError('payload_invalid', `body.representation: ${msg}`, [
    { type: 'payload_invalid', loc: ['body', 'representation'], msg },
  ]);
}

function stated(token: TokenConfig): Representations {
  if (!token.hashed) checkSecret(token.representation);
  const kept = token.hashed
    ? { ...token, representation: tokenHash(token.representation, '`representation`') }
    : token;
  return { kept, shown: kept };
}

/** No two tokens have the same secret, whether it is kept hashed or not. */
function checkUnused({ tokens }: Configuration, name: string, token: TokenConfig): void {
  const hash = secretHash(token);
  for (const [other, config] of Object.entries(tokens)) {
    if (other === name || secretHash(config) !== hash) continue;
    throw new ServiceError('representation_taken', 'Another token has the same representation.');
  }
}
