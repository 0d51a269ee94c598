/** Refuses what a token does not permit: says whether there was one, whose it is, and which kind is needed. */
import type { Grant } from '../access/grant.ts';
import type { TokenMode } from '../access/modes.ts';
import { ServiceError } from '../errors.ts';
import type { Action } from './area.ts';

/** @throws ServiceError `permission_missing` */
export function requireCurator(
  collection: string,
  what: 'curated area' | 'incoming zones',
  grant: Grant,
): void {
  if (grant.permissions.curate) return;
  const verb = what === 'curated area' ? 'requires' : 'require';
  const instead = grant.isDefault
    ? 'the request has no token'
    : `the token of the user '${grant.userId}' is not one`;
  throw accessRefused(
    `The ${what} of the collection '${collection}' ${verb} a curator token, and ${instead}.`,
  );
}

/** The refusal of a request to the user area, or to its curated records or its zone alone. */
export function userRefused(
  action: keyof typeof ACTIONS,
  collection: string,
  { isDefault, userId }: Grant,
): ServiceError {
  const { doing, mode } = ACTIONS[action];
  const bearer = isDefault
    ? 'The request has no token, and the default token'
    : `The token of the user '${userId}'`;
  return accessRefused(
    `${bearer} has no permission to ${doing} the collection '${collection}'. A token with the mode ${mode} has.`,
  );
}

/** The refusal of a shared link where a token of a user is required. */
export function sharedRefused(collection: string): ServiceError {
  return accessRefused(
    `A shared link reads curated records of the collection '${collection}', and this requires a token of a user.`,
  );
}

/** In messages: what a request does, and the mode of tokens that permits it and little else. */
const ACTIONS = {
  read: { doing: 'read records of', mode: 'READ_CURATED' },
  'read-zone': { doing: 'read its own zone of', mode: 'READ_SUBMISSIONS' },
  store: { doing: 'submit to', mode: 'SUBMIT_ONLY' },
  validate: { doing: 'validate records for', mode: 'SUBMIT_ONLY' },
  remove: { doing: 'delete records from', mode: 'SUBMIT_ONLY' },
  answer: { doing: 'comment on its submissions to', mode: 'WRITE_SUBMISSIONS' },
} as const satisfies Record<Action | 'read-zone' | 'answer', { doing: string; mode: TokenMode }>;

function accessRefused(message: string): ServiceError {
  return new ServiceError('permission_missing', message);
}
