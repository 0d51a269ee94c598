/** Sends many records, with the batch endpoint or, to a service that has none, one by one. */

import { type AreaClient, ClientError, type ItemResult, type StoreOptions } from '../../client/client.ts';
import { isJsonObject, parseJson } from '../../json.ts';
import { SCHEMA_TYPE, schemaTypeIn } from '../../schema-type.ts';

/** Whether the area of a service has been found to have no batch endpoint. */
const withoutBatch = new WeakSet<AreaClient>();

/** One result per text, in order. */
export async function sendBatch(
  area: AreaClient,
  texts: readonly string[],
  className: string | undefined,
  options: StoreOptions = {},
): Promise<ItemResult[]> {
  if (texts.length === 0) return [];
  if (!withoutBatch.has(area)) {
    try {
      return await area.putMany(texts, className, options);
    } catch (error) {
      if (!(error instanceof ClientError) || (error.status !== 404 && error.status !== 405) || error.type)
        throw error;
      withoutBatch.add(area);
    }
  }
  const results: ItemResult[] = [];
  for (const text of texts) results.push(await sendOne(area, text, className, options));
  return results;
}

async function sendOne(
  area: AreaClient,
  text: string,
  className: string | undefined,
  options: StoreOptions,
): Promise<ItemResult> {
  const of = className ?? classNameIn(text);
  if (of === undefined) return { status: 422, detail: `The record has no ${SCHEMA_TYPE}. Give its class.` };
  try {
    await area.put(of, text, options);
    return { status: 200 };
  } catch (error) {
    if (!(error instanceof ClientError) || ![400, 409, 412, 422].includes(error.status)) throw error;
    return { status: error.status, detail: error.message };
  }
}

/** The local name of the class, as clients of the interface read it. */
function classNameIn(text: string): string | undefined {
  try {
    const value = parseJson(text);
    const type = isJsonObject(value) ? schemaTypeIn(value) : undefined;
    return typeof type === 'string' ? /[^:/#]+$/.exec(type)?.[0] : undefined;
  } catch {
    return undefined;
  }
}
