/** The items of a batch: a JSON array, or NDJSON with one item per line. Long bodies are read in slices. */
import { ServiceError } from '../errors.ts';
import { parseJsonBody } from '../formats/json.ts';
import type { JsonValue } from '../json.ts';
import type { YieldIfDue } from '../work/yield.ts';

/** A batch may have this many items. */
export const MOST_ITEMS = 10_000;

/** One item, parsed when its turn comes. */
export type BatchItem = {
  /** The line in the body, from 1; only of NDJSON. */
  readonly line?: number;
  /** As it is in the body, if that was found. */
  readonly text?: string;
  /** @throws ServiceError `body_malformed` */
  read(): JsonValue;
};

/**
 * The items of a body, in order. A body that begins with a bracket is a JSON array, and is refused as a whole if it is
 * not valid JSON; of NDJSON, each line is a separate item.
 *
 * @throws ServiceError `body_too_large` for too many items, `body_malformed`
 */
export async function itemsIn(text: string, yieldIfDue: YieldIfDue): Promise<BatchItem[]> {
  return /^\ufeff?\s*\[/.test(text) ? arrayItems(text, yieldIfDue) : lineItems(text);
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

/** The refusal of a request with too many items. */
export function tooManyItems(): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The request has more than ${MOST_ITEMS} items. Send them in several requests.`,
  );
}

function lineItems(text: string): BatchItem[] {
  const items: BatchItem[] = [];
  for (let start = 0, line = 1; start < text.length; line++) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const content = text.slice(start, end);
    start = end + 1;
    if (content.trim() === '') continue;
    if (items.length === MOST_ITEMS) throw tooManyItems();
    items.push({ line, text: content, read: () => parseJsonBody(content) });
  }
  return items;
}

async function arrayItems(text: string, yieldIfDue: YieldIfDue): Promise<BatchItem[]> {
  const items: BatchItem[] = [];
  const whole = (): BatchItem[] =>
    (parseJsonBody(text) as JsonValue[]).map((value) => ({ read: () => value }));
  for (const part of arrayParts(text)) {
    // The error of the whole body has the line and the column.
    if (part === undefined) return whole();
    if (items.length === MOST_ITEMS) throw tooManyItems();
    try {
      const value = parseJsonBody(part);
      items.push({ text: part, read: () => value });
    } catch {
      return whole();
    }
    await yieldIfDue();
  }
  return items;
}

/** The signs that the ends of items are found by. */
const SIGN = /["[\]{},]/g;

/** The texts of the items of an array, which need not be valid JSON; undefined for a string that is not an array. */
function* arrayParts(text: string): Generator<string | undefined> {
  const sign = new RegExp(SIGN);
  let depth = 0;
  let start = 0;
  let count = 0;
  for (let match = sign.exec(text); match; match = sign.exec(text)) {
    const at = match.index;
    switch (match[0]) {
      case '"':
        sign.lastIndex = closingQuote(text, at) + 1;
        if (sign.lastIndex === 0) return yield undefined;
        break;
      case '[':
      case '{':
        depth += 1;
        if (depth === 1) start = at + 1;
        break;
      case ',':
        if (depth !== 1) break;
        yield text.slice(start, at);
        start = at + 1;
        count += 1;
        break;
      default:
        depth -= 1;
        if (depth > 0) break;
        if (match[0] !== ']' || text.slice(at + 1).trim() !== '') return yield undefined;
        if (count > 0 || text.slice(start, at).trim() !== '') yield text.slice(start, at);
        return;
    }
  }
  yield undefined;
}

/** The index of the quote that closes a string; -1 if there is none. */
function closingQuote(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); ; end = text.indexOf('"', end + 1)) {
    if (end < 0) return -1;
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return end;
  }
}
