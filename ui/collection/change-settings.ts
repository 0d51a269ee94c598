/** Changes a part of the settings of a collection, which are stored as a whole. */
import type { CollectionSettings } from '../../src/client/client.ts';
import { lab } from '../shared/service.ts';

/** Stores a part of the settings over those that are stored now, which another page may have changed. */
export async function changeSettings(
  collection: string,
  part: Partial<CollectionSettings>,
): Promise<CollectionSettings> {
  const { curation } = lab(collection);
  return curation.putSettings({ ...(await curation.settings()), ...part });
}
