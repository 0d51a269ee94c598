/**
 * Finds where and why a string is not JSON.
 *
 * `JSON.parse` is fast, but not all of its messages have a position. So a string that it
 * refused is read a second time, by this scanner, which keeps neither values nor a call stack, only its position.
 */

/** A syntax error, and its offset in UTF-16 units. */
export type JsonFault = { readonly offset: number; readonly reason: string };

/** How deep objects and lists may be nested in a body. Records are a few levels deep; a thousand is an attack. */
export const MAX_JSON_DEPTH = 500;

const BLANKS = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;

/** The tokens that may come next. */
type Expectation =
  | 'value'
  | 'first item'
  | 'first key'
  | 'key'
  | 'colon'
  | 'comma or end'
  | 'end of the text';

const IN_WORDS: Record<Expectation, string> = {
  value: 'a value',
  'first item': 'a value or "]"',
  'first key': 'a key in double quotes or "}"',
  key: 'a key in double quotes',
  colon: '":"',
  'comma or end': '"," or the closing bracket',
  'end of the text': 'the end of the text',
};

/** The first syntax error of a string; undefined for JSON that is nested no deeper than {@link MAX_JSON_DEPTH}. */
export function findJsonFault(text: string): JsonFault | undefined {
  /** The brackets that are open. */
  const open: ('{' | '[')[] = [];
  let expected: Expectation = 'value';
  let at = 0;
  for (;;) {
    at = endOf(BLANKS, text, at) ?? at;
    const character = text[at];
    if (expected === 'end of the text') return at === text.length ? undefined : jsonFault(text, at, expected);
    const inObject = open.at(-1) === '{';
    if (expected === 'comma or end' || expected === 'first item' || expected === 'first key') {
      if (character === (inObject ? '}' : ']')) {
        open.pop();
        at++;
        expected = open.length === 0 ? 'end of the text' : 'comma or end';
        continue;
      }
    }
    if (expected === 'comma or end' || expected === 'colon') {
      if (character !== (expected === 'colon' ? ':' : ',')) return jsonFault(text, at, expected);
      at++;
      expected = expected === 'comma or end' && inObject ? 'key' : 'value';
      continue;
    }
    const isKey: boolean = expected === 'key' || expected === 'first key';
    if (!isKey && (character === '{' || character === '[')) {
      if (open.push(character) > MAX_JSON_DEPTH) {
        return { offset: at, reason: `nested deeper than ${MAX_JSON_DEPTH} levels` };
      }
      at++;
      expected = character === '{' ? 'first key' : 'first item';
      continue;
    }
    if (isKey && character !== '"') return jsonFault(text, at, expected);
    const end = character === '"' ? stringEnd(text, at) : endOf(NUMBER_OR_WORD, text, at);
    if (end === undefined) return jsonFault(text, at, expected);
    at = end;
    expected = isKey ? 'colon' : open.length === 0 ? 'end of the text' : 'comma or end';
  }
}

/** The end of a match of a sticky pattern; undefined without a match. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The end of the string that starts at an offset. A loop, since one pattern for all of it overflows on megabytes. */
function stringEnd(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return undefined;
    const next = code === 0x5c ? endOf(ESCAPE, text, at) : at + 1;
    if (next === undefined) return undefined;
    at = next;
  }
  return undefined;
}

function jsonFault(text: string, offset: number, expected: Expectation): JsonFault {
  const code = text.codePointAt(offset);
  if (
    code === 0x22 &&
    expected !== 'comma or end' &&
    expected !== 'colon' &&
    expected !== 'end of the text'
  ) {
    return {
      offset,
      reason: 'a string that is not closed, or holds a bare control character or an unknown escape',
    };
  }
  const found = code === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(code));
  return { offset, reason: `expected ${IN_WORDS[expected]}, found ${found}` };
}
