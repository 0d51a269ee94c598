/** What those see who send no token. */
import { service } from './service.ts';
import type { Access } from './session.ts';

/** What a request without a token may do in a collection; undefined if the service does not say. */
export async function visitorIn(collection: string, signal?: AbortSignal): Promise<Access | undefined> {
  const { collections } = await service({ ...(signal && { signal }), token: '' }).me(collection);
  return collections[collection];
}

/** Whether everybody reads curated records of a collection. */
export const readsCurated = (visitor: Access | undefined): boolean =>
  visitor?.permissions.includes('read_curated') ?? false;
