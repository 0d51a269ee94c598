/** What those see who send no token. */
import { service } from '../../../../ui/shared/service.ts';

/** Whether visitors read the curated records of a collection. */
export async function isPublic(collection: string, signal: AbortSignal): Promise<boolean> {
  const { collections } = await service({ signal, token: '' }).me(collection);
  return collections[collection]?.permissions.includes('read_curated') ?? false;
}
