/** From a pid, as a client writes it, to the IRI of a record. */
import { resolvePid } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { RecordStore } from '../storage/store.ts';

/**
 * What a pid resolves to. A record that was stored when the schema still had the prefix is found by its pid as it was
 * stored.
 *
 * @throws ServiceError `prefix_unknown`
 */
export async function resolveIn(
  schema: Schema,
  stores: readonly RecordStore[],
  pid: string,
): Promise<string> {
  try {
    return resolvePid(schema, pid);
  } catch (error) {
    for (const store of stores) {
      const [found] = await store.list({}, { offset: await store.rank({}, pid), limit: 1 });
      if (found?.pid === pid) return found.iri;
    }
    throw error;
  }
}
