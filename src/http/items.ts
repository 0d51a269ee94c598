/** The items of a batch. Those of a long body are found in a thread. */
import { ServiceError } from '../errors.ts';
import { decodeBody } from '../formats/body-text.ts';
import { type ItemText, itemTexts } from '../formats/json-items.ts';
import { LONG_BODY } from '../work/pool.ts';
import { itemTextsIn } from '../worker.ts';
import { bodyBytes } from './body.ts';
import type { Call } from './endpoint.ts';

/** The items of the body. @throws ServiceError `body_too_large` for too many items, `body_malformed` */
export async function itemsOf(call: Call): Promise<readonly ItemText[]> {
  const bytes = await bodyBytes(call);
  return bytes.length < LONG_BODY ? itemTexts(decodeBody(bytes)) : call.service.pool.run(itemTextsIn, bytes);
}

/** Which media types a batch may have: those of JSON and NDJSON, and what clients send if they name none. */
const TYPES =
  /^\s*(application\/([\w.!#$&^-]+\+)?json|application\/(x-)?(ndjson|jsonl|jsonlines|json-seq)|application\/(x-www-form-urlencoded|octet-stream)|text\/plain)\s*(;|$)/i;

/** Refuses a body of another type once, rather than each of its lines. @throws ServiceError `body_malformed` */
export function checkBatchType(contentType: string | undefined): void {
  if (contentType === undefined || TYPES.test(contentType)) return;
  throw new ServiceError(
    'body_malformed',
    `The request has the Content-Type '${contentType}', expected application/json or application/x-ndjson.`,
  );
}
