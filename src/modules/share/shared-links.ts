/**
 * Shared links. Each is a token of the configuration that reads the curated records of one collection until a day, and belongs to no
 * user: so limits, policies, logs and the history of the configuration have it as any token, and the database has the hash of its secret.
 */
import { endOf, newSecret, type TokenConfig } from '../../core/access/config-tokens.ts';
import type { Collection } from '../../core/collections/collection.ts';
import type { Configuration } from '../../core/config/config.ts';
import { putToken, removeToken } from '../../core/config/edit-tokens.ts';
import { DAY } from '../../core/durations.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Service } from '../../core/http/service.ts';
import { refusal } from '../../core/json-schema.ts';
import { bodyOf, objectOf, type Shape, textOrNull, textSchema } from '../../core/shapes.ts';
import type {} from './codes.ts';

const USUAL_DAYS = 30;
const MOST_DAYS = 366;
/** Of a collection: each is an entry of the configuration. */
const MOST_LINKS = 100;

const title = { type: 'string', minLength: 1, maxLength: 100, description: 'Whom the link is for.' } as const;

export const newSharedLinkSchema = bodyOf(
  { title },
  {
    until: {
      ...textSchema,
      description: `The last day or the time until which it works; default: ${USUAL_DAYS} days from now, at most ${MOST_DAYS}.`,
    },
  },
);
export const sharedLinkSchema = objectOf({
  name: { ...textSchema, description: 'The name of its token in the configuration.' },
  title,
  until: { ...textSchema, description: 'The last day or the time until which it works.' },
  by: { ...textSchema, description: 'The user or the admin token that made it.' },
  last_used: { ...textOrNull, description: 'Its last use, to the minute.' },
});
type SharedLink = Shape<typeof sharedLinkSchema>;

/** Where tokens are configured, and when they were used. */
type TokensOf = Pick<Service, 'administration' | 'registry'>;

/** The tokens of the links to a collection; what an administrator has extended to others is no longer its link alone. */
function linkTokens({ tokens }: Configuration, collection: string) {
  return Object.entries(tokens).flatMap(([name, { shared_link, collections, expires }]) => {
    const [only, ...others] = Object.keys(collections);
    if (!shared_link || only !== collection || others.length > 0) return [];
    return [{ name, ...shared_link, until: expires ?? '' }];
  });
}

/** The links to a collection that work, those that end first at the beginning. */
export function listSharedLinks({ administration, registry }: TokensOf, collection: string): SharedLink[] {
  const used = registry.tokens.lastUses();
  return linkTokens(administration.state.configuration, collection)
    .filter(({ until }) => !(endOf(until) <= Date.now()))
    .map((link) => ({ ...link, last_used: used.get(link.name) ?? null }))
    .sort((a, b) => a.until.localeCompare(b.until) || a.title.localeCompare(b.title));
}

/**
 * Makes a link, and deletes those to the collection that have ended.
 *
 * @param by the user or the admin token
 * @returns the link and its secret, which is not kept
 * @throws ServiceError `payload_invalid`, `shared_links_unused`
 */
export async function shareLink(
  { administration: { state } }: TokensOf,
  { name: collection, config }: Pick<Collection, 'name' | 'config'>,
  { title, until = new Date(Date.now() + USUAL_DAYS * DAY).toISOString() }: Shape<typeof newSharedLinkSchema>,
  by: string,
): Promise<SharedLink & { readonly secret: string }> {
  const now = Date.now();
  const end = endOf(until);
  if (!(end > now && end <= now + (MOST_DAYS + 1) * DAY))
    throw refused(['body', 'until'], `expected a day or a time within ${MOST_DAYS} days, found '${until}'`);
  if (!config.auth_sources.some(({ type }) => type === 'config'))
    throw new ServiceError(
      'shared_links_unused',
      `The collection '${collection}' accepts no tokens of the configuration: its 'auth_sources' have no 'config'.`,
    );
  const name = `shared-${newSecret().slice(0, 12)}`;
  const token = {
    name,
    user_id: name,
    hashed: true,
    representation: '',
    collections: { [collection]: { mode: 'READ_CURATED', incoming_label: '' } },
    expires: until,
    shared_link: { title, by },
  } as const satisfies TokenConfig & { name: string };
  const secret = await state.apply((current) => {
    const present = withoutEnded(current, collection);
    if (linkTokens(present, collection).length >= MOST_LINKS)
      throw refused(['body'], `expected at most ${MOST_LINKS} shared links of a collection: revoke some`);
    const { configuration, token: issued } = putToken(present, token, 'create');
    return { configuration, answer: issued.representation };
  }, by);
  return { name, title, until, by, last_used: null, secret };
}

/** Ends a link. @throws ServiceError `shared_link_unknown` */
export async function revokeSharedLink(
  { administration: { state } }: TokensOf,
  collection: string,
  name: string,
  by: string,
): Promise<void> {
  await state.change((current) => {
    if (linkTokens(current, collection).some((link) => link.name === name)) return removeToken(current, name);
    throw new ServiceError(
      'shared_link_unknown',
      `The collection '${collection}' has no shared link '${name}'.`,
    );
  }, by);
}

function withoutEnded(current: Configuration, collection: string): Configuration {
  return linkTokens(current, collection)
    .filter(({ until }) => endOf(until) <= Date.now())
    .reduce((configuration, { name }) => removeToken(configuration, name), current);
}

function refused(loc: readonly string[], msg: string): ServiceError {
  return refusal('payload_invalid', [{ type: 'value_error', loc: [...loc], msg }]);
}
