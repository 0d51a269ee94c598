/** The items of a JSON array, or of NDJSON with one item per line, as texts. */
import { ServiceError } from '../errors.ts';
import { canonicalJson, type JsonValue } from '../json.ts';
import { parseJsonBody } from './json.ts';

/** A batch may have this many items. */
export const MOST_ITEMS = 10_000;

export type ItemText = {
  /** The line in the body, from 1; only of NDJSON. */
  readonly line?: number;
  readonly text: string;
};

/**
 * The items of a body, in order. A body that begins with a bracket is a JSON array, and is refused as a whole if it is
 * not valid JSON; of NDJSON, each line is a separate item, which need not be valid.
 *
 * @throws ServiceError `body_too_large` for too many items, `body_malformed`
 */
export function itemTexts(text: string): ItemText[] {
  return /^\ufeff?\s*\[/.test(text) ? arrayItems(text) : lineItems(text);
}

/** The refusal of a request with too many items. */
export function tooManyItems(): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The request has more than ${MOST_ITEMS} items. Send them in several requests.`,
  );
}

function lineItems(text: string): ItemText[] {
  const items: ItemText[] = [];
  for (let start = 0, line = 1; start < text.length; line++) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const content = text.slice(start, end);
    start = end + 1;
    if (content.trim() === '') continue;
    if (items.length === MOST_ITEMS) throw tooManyItems();
    items.push({ line, text: content });
  }
  return items;
}

function arrayItems(text: string): ItemText[] {
  const items: ItemText[] = [];
  // The error of the whole body has the line and the column.
  const whole = () => (parseJsonBody(text) as JsonValue[]).map((value) => ({ text: canonicalJson(value) }));
  for (const part of arrayParts(text)) {
    if (part === undefined) return whole();
    if (items.length === MOST_ITEMS) throw tooManyItems();
    try {
      parseJsonBody(part);
    } catch {
      return whole();
    }
    items.push({ text: part });
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
