/** Storing a record: as a submission to the own zone, or by a curator in the curated area. */
import type { Hints } from '../../src/client/client.ts';
import { isUnknown } from './connection.ts';
import { isEqual, type JsonObject } from './json.ts';
import { lookedUp } from './lost-answer.ts';
import { readMany } from './records.ts';
import { forget } from './schema.ts';
import { asClientError, ClientError, lab } from './service.ts';

/**
 * Checks a record without storing it; throws what the service finds, and returns its hints. It is checked as a batch of one:
 * browsers log the refusal of a single record as an error, whenever a person stops typing.
 */
export async function validate(
  collection: string,
  className: string,
  record: JsonObject,
  signal?: AbortSignal,
): Promise<Hints> {
  const [result] = await lab(collection, signal).validateMany([JSON.stringify(record)], className);
  const { status = 0, detail = '', dangling = [], duplicates = [] } = result ?? {};
  if (status < 400) return { dangling, duplicates };
  // Too many problems for a batch are listed for a single record.
  if (typeof detail === 'string') return lab(collection, signal).validate(className, record);
  throw new ClientError(detail.map(({ msg }) => msg).join('\n'), status, detail);
}

/**
 * Submits a record for review. A new one is refused if its identifier belongs to another record. `basedOn` is the entity tag
 * of the curated record that it was made from.
 */
export async function submit(
  collection: string,
  className: string,
  record: JsonObject,
  options: {
    isNew?: boolean;
    basedOn?: string | null;
    ifMatch?: string | null;
    message?: string;
    batch?: string;
  } = {},
): Promise<void> {
  const { isNew = false, basedOn, ifMatch, message, batch } = options;
  const put = () =>
    lab(collection).put(className, record, {
      ...(isNew && { ifNoneMatch: '*' }),
      ifMatch: ifMatch ?? undefined,
      basedOn: basedOn ?? undefined,
      message: message || undefined,
      batch: batch || undefined,
    });
  await storedOnce(collection, record, { isCurated: false, before: ifMatch ?? basedOn ?? null }, put);
  afterWrite();
}

/** Stores a record in the curated area, if that has not changed since it was read. */
export async function curate(
  collection: string,
  className: string,
  record: JsonObject,
  etag: string | null,
): Promise<void> {
  const put = () =>
    lab(collection).curated.put(className, record, etag === null ? { ifNoneMatch: '*' } : { ifMatch: etag });
  await storedOnce(collection, record, { isCurated: true, before: etag }, put);
  afterWrite();
}

/** What was sent in this tab, and whose outcome is not known. */
const unknown = new Set<string>();

/**
 * Stores a record. If the answer is lost, the record is read again. If it was lost before, so that it is sent again, and refused since it
 * has arrived, it is found as it is to be stored.
 *
 * @param before the entity tag of the record that it replaces; null for a new one
 */
async function storedOnce(
  collection: string,
  record: JsonObject,
  { isCurated, before }: { readonly isCurated: boolean; readonly before: string | null },
  put: () => Promise<unknown>,
): Promise<void> {
  const pid = String(record.pid);
  const read = async () => (await readMany(collection, [pid], { curated: isCurated })).get(pid);
  // The service may add to a record.
  const isStored = (found: JsonObject | undefined) =>
    found !== undefined && Object.entries(record).every(([slot, value]) => isEqual(found[slot], value));
  const became = async () => {
    const found = await read();
    if (isStored(found?.record)) return true;
    if ((found?.etag ?? null) === before) return undefined;
    throw new Error('stored by another, or with other words for its values');
  };
  const key = JSON.stringify([collection, isCurated, record]);
  try {
    await lookedUp(put, became);
  } catch (problem) {
    const error = asClientError(problem);
    if (isUnknown(error)) unknown.add(key);
    const hasArrived = error.status === 412 && unknown.has(key);
    const found = hasArrived ? await read().catch(() => undefined) : undefined;
    if (!isStored(found?.record)) throw problem;
  }
  unknown.delete(key);
}

/** Makes views read again what they show. */
export function afterWrite(): void {
  forget();
}
