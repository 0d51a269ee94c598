/** Whose inbox it is, and the key of what is kept of them: the user id, so it is the same whatever token they have. */
import type { Grant } from '../../core/access/grant.ts';
import type { Collection } from '../../core/collections/collection.ts';

export type InboxOf = { readonly collection: Collection; readonly grant: Grant };

/** The condition on the rows of a user, whose values are {@link userKey}. */
export const OF_USER = 'area = $1 AND collection = $2 AND user_id = $3';

export function userKey({ collection: { curated, name }, grant }: InboxOf): (string | number)[] {
  return [curated.area.id, name, grant.userId];
}
