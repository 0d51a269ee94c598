/** The items of a JSON array, or of NDJSON with one item per line, as texts. */

import { canonicalJson, type JsonValue } from '#linkml/json.ts';
import { ServiceError } from '../errors.ts';
import { isKeyRepeated, parseJsonBody } from './json.ts';

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
  const splitter = new ArraySplitter();
  for (const part of splitter.split(text)) {
    if (items.length === MOST_ITEMS) throw tooManyItems();
    try {
      parseJsonBody(part);
    } catch (error) {
      // An item with a key twice is refused for itself.
      if (!isKeyRepeated(error)) return whole();
    }
    items.push({ text: part });
  }
  return splitter.isWhole ? items : whole();
}

const SIGN = /["[\]{},]/g;

/** Splits a JSON array that comes in chunks into the texts of its items, which need not be valid JSON: numbers keep their digits. */
export class ArraySplitter {
  #depth = 0;
  #inString = false;
  /** Backslashes at the end of the last chunk, if that is in a string. */
  #backslashes = 0;
  /** The beginning of an item that goes on in the next chunk. */
  #open = '';
  #items = 0;
  #hasEnded = false;
  #isFollowed = false;

  /** Whether the array has ended, and nothing came behind it. */
  get isWhole(): boolean {
    return this.#hasEnded && !this.#isFollowed;
  }

  *split(chunk: string): Generator<string> {
    let start = 0;
    let at = 0;
    const item = () => {
      const text = this.#open + chunk.slice(start, at - 1);
      this.#open = '';
      start = at;
      this.#items += 1;
      return text;
    };
    while (!this.#hasEnded) {
      if (this.#inString) {
        const quote = chunk.indexOf('"', at);
        const end = quote < 0 ? chunk.length : quote;
        let backslashes = 0;
        while (end - backslashes > at && chunk[end - 1 - backslashes] === '\\') backslashes += 1;
        if (end === backslashes) backslashes += this.#backslashes;
        this.#backslashes = quote < 0 ? backslashes : 0;
        if (quote < 0) break;
        this.#inString = backslashes % 2 === 1;
        at = quote + 1;
        continue;
      }
      SIGN.lastIndex = at;
      const match = SIGN.exec(chunk);
      if (match === null) break;
      at = match.index + 1;
      switch (match[0]) {
        case '"':
          this.#inString = true;
          break;
        case '[':
        case '{':
          this.#depth += 1;
          if (this.#depth === 1) start = at;
          break;
        case ',':
          if (this.#depth === 1) yield item();
          break;
        default:
          this.#depth -= 1;
          if (this.#depth > 0) break;
          this.#hasEnded = true;
          this.#isFollowed = match[0] !== ']';
          if (this.#items > 0 || (this.#open + chunk.slice(start, at - 1)).trim() !== '') yield item();
          start = at;
      }
    }
    if (this.#hasEnded) this.#isFollowed ||= chunk.slice(start).trim() !== '';
    else if (this.#depth > 0) this.#open += chunk.slice(start);
  }
}
