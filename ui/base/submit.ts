/** Storing a record: as a submission to the own zone, or by a curator in the curated area. */
import { type Answer, ask } from './api.ts';
import type { Json, JsonObject } from './json.ts';
import { forget } from './schema.ts';

/** Checks a record without storing it; throws what the service finds. */
export async function validate(
  collection: string,
  className: string,
  record: JsonObject,
  signal?: AbortSignal,
): Promise<void> {
  await ask([collection, 'validate', 'record', className], { method: 'POST', body: record, signal });
}

/** Submits a record for review. `basedOn` is the entity tag of the curated record that it was made from. */
export async function submit(
  collection: string,
  className: string,
  record: JsonObject,
  options: { basedOn?: string | null; message?: string; batch?: string } = {},
): Promise<Answer<Json>> {
  const { basedOn, message, batch } = options;
  const answer = await ask([collection, 'record', className], {
    method: 'POST',
    body: record,
    query: { based_on: basedOn ?? undefined, message: message || undefined, batch: batch || undefined },
  });
  afterWrite();
  return answer;
}

/** Stores a record in the curated area, if that has not changed since it was read. */
export async function curate(
  collection: string,
  className: string,
  record: JsonObject,
  etag: string | null,
): Promise<Answer<Json>> {
  const answer = await ask([collection, 'curated', 'record', className], {
    method: 'POST',
    body: record,
    headers: etag === null ? { 'if-none-match': '*' } : { 'if-match': etag },
  });
  afterWrite();
  return answer;
}

/** Makes views read again what they show. */
export function afterWrite(): void {
  forget();
}
