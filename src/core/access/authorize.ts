/**
 * From the token of a request to a grant (specification 5): the sources of a collection are asked in order, the first
 * that knows the token decides.
 */
import { ServiceError } from '../errors.ts';
import type { FormerGrant, Grant, Permissions, TokenSource } from './grant.ts';

/** Who may do what in one collection. */
export type AccessRules = {
  readonly collection: string;
  readonly sources: readonly TokenSource[];
  /** The grant of the collection's default token; undefined if the configuration defines none for it. */
  readonly defaultGrant: Grant | undefined;
};

/**
 * The grant of a request. Without a token, the grant of the default token; the user permissions of the default token
 * are added to those of every accepted token, which keeps its own user and zone.
 *
 * @param token the presented secret; undefined or empty for none
 * @throws ServiceError `token_required` without a token if no default token applies, `token_refused` with the
 *   reason of each source for a token that none of them accepts: it never falls back to the default token
 */
export async function authorize(rules: AccessRules, token: string | undefined): Promise<Grant> {
  const { defaultGrant } = rules;
  if (token === undefined || token === '') {
    if (defaultGrant) return { ...settled(defaultGrant), isDefault: true };
    throw new ServiceError(
      'token_required',
      `The collection '${rules.collection}' needs a token, and the request has none.`,
    );
  }
  const reasons: string[] = [];
  for (const source of rules.sources) {
    const answer = await source.authenticate(token);
    if ('grant' in answer)
      return settled(widen(asReader(answer.grant, defaultGrant), defaultGrant?.permissions));
    reasons.push(`${source.name}: ${answer.reason}`);
  }
  const detail = reasons.join('; ') || 'it has no authentication source';
  throw new ServiceError(
    'token_refused',
    `The collection '${rules.collection}' does not accept the token (${detail}).`,
  );
}

/** Marks a grant that permits reading curated records by itself. The default token has no more rights if its secret is presented. */
function asReader(grant: Grant, defaultGrant: Grant | undefined): Grant {
  const isOfDefault = grant.source === defaultGrant?.source && grant.userId === defaultGrant.userId;
  return grant.permissions.readCurated && !isOfDefault ? { ...grant, isReader: true } : grant;
}

/**
 * The grant that a user has now, for work that the user has asked for with a token that is not kept. It never permits more than
 * the token did then.
 *
 * @returns undefined if the user has lost it, or the source cannot find it without the token
 */
export async function authorizeAgain(
  { sources, defaultGrant }: AccessRules,
  former: FormerGrant,
): Promise<Grant | undefined> {
  for (const source of sources) {
    const grant = await source.grantAgain?.(former);
    if (!grant) continue;
    const { isReader, ...now } = widen(asReader(grant, defaultGrant), defaultGrant?.permissions);
    const permissions = both(now.permissions, former.permissions);
    return settled({ ...now, permissions, ...(isReader && former.isReader && { isReader }) });
  }
  return undefined;
}

function both(a: Permissions, b: Permissions): Permissions {
  return {
    readCurated: a.readCurated && b.readCurated,
    readZone: a.readZone && b.readZone,
    writeZone: a.writeZone && b.writeZone,
    curate: a.curate && b.curate,
  };
}

/** Adds the user permissions of the default token, never its curation rights. */
function widen(grant: Grant, added: Permissions | undefined): Grant {
  if (!added) return grant;
  const { readCurated, readZone, writeZone, curate } = grant.permissions;
  const permissions = {
    readCurated: readCurated || added.readCurated,
    readZone: readZone || added.readZone,
    writeZone: writeZone || added.writeZone,
    curate,
  };
  return { ...grant, permissions };
}

/** Without a zone there is nothing that zone permissions could apply to: a grant with one always has a label. */
function settled(grant: Grant): Grant {
  if (grant.label !== undefined) return grant;
  return { ...grant, permissions: { ...grant.permissions, readZone: false, writeZone: false } };
}
