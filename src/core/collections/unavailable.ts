/** A collection that is configured and could not be opened. The others are served meanwhile, and it is retried. */
import { authorize } from '../access/authorize.ts';
import type { Grant } from '../access/grant.ts';
import { openSource } from '../access/sources.ts';
import { ServiceError } from '../errors.ts';
import type { CollectionContext, SetCollection } from './open-collection.ts';

export type Unavailable = SetCollection & {
  readonly name: string;
  /** Why it could not be opened. */
  readonly cause: unknown;
  /** The answer to every request. */
  readonly plain: ServiceError;
  /** The answer to curators and administrators: with the cause. */
  readonly explained: ServiceError;
  /** @throws ServiceError `token_required`, `token_refused` */
  authorize(token: string | undefined): Promise<Grant>;
};

/** @param cause why the collection could not be opened */
export function unavailable(
  name: string,
  { config, setting }: SetCollection,
  cause: unknown,
  context: Pick<CollectionContext, 'tokens' | 'forges' | 'openModuleSource'>,
): Unavailable {
  const sources = config.auth_sources.map((entry) => openSource(entry, name, context));
  return {
    name,
    config,
    setting,
    cause,
    plain: collectionUnavailable(name),
    explained: collectionUnavailable(name, cause),
    authorize: (token) =>
      authorize(
        { collection: name, sources, defaultGrant: context.tokens.grantOfName(config.default_token, name) },
        token,
      ),
  };
}

/** The response of a collection that could not be opened. */
function collectionUnavailable(name: string, cause?: unknown): ServiceError {
  const message = `The collection '${name}' is not available at the moment`;
  if (cause === undefined) return new ServiceError('collection_unavailable', `${message}. Try again later.`);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ServiceError('collection_unavailable', `${message}. ${why}`, [], { cause });
}
