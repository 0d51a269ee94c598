/**
 * Writes a record as YAML, byte for byte as the peer writes it: PyYAML's `dump` with sorted keys, Unicode as it is, in
 * block style. Files then change only where records change, whichever of the two services writes, and people and git
 * see no noise.
 */
import { compareCodePoints, isJsonObject, type JsonObject, type JsonValue, Numeral } from '../../json.ts';
import { isAmbiguous, pythonFloat } from './plain-scalars.ts';

/** Texts are folded at the first blank behind this column. */
const WIDTH = 80;
/** Keys longer than this are written behind a `?` (the peer adds the length of an unseen tag, `!!str`, to make 127). */
const LONGEST_SIMPLE_KEY = 122;

const BREAK = /[\n\x85\u2028\u2029]/;
/** What counts as white space around `:`, `#`, `-` and `?`. */
const SPACE = '[\\0 \\t\\r\\n\\x85\\u2028\\u2029]';

/** Signs that make an unquoted text ambiguous: at its beginning, or within it. */
const INDICATORS = new RegExp(
  `^(?:---|\\.\\.\\.|[#,\\[\\]{}&*!|>'"%@\`]|[-?:](?:${SPACE}|$))|:(?:${SPACE}|$)|${SPACE}#`,
);
/** Characters that stand in double quotes only: control characters, the byte order mark, lone surrogates, noncharacters. */
const SPECIAL = /[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]|\u{10ffff}/u;

/** The YAML text of a record. */
export function recordToYaml(record: JsonObject): string {
  const writer = new Writer();
  writer.mapping(record, 0);
  return writer.finish();
}

class Writer {
  #text = '';
  #column = 0;
  /** Whether nothing but indentation and indicators stands on the line so far. */
  #lineIsFresh = true;

  finish(): string {
    return this.#lineIsFresh && this.#column === 0 ? this.#text : `${this.#text}\n`;
  }

  mapping(object: JsonObject, indent: number): void {
    const keys = Object.keys(object).sort(compareCodePoints);
    if (keys.length === 0) this.#indicator('{}');
    for (const key of keys) {
      this.#goTo(indent);
      const value = object[key] as JsonValue;
      if (isSimpleKey(key)) {
        this.#scalarText(key, indent, false);
        this.#put(':');
        this.#value(value, indent, 'after key');
      } else {
        this.#indicator('?', true);
        this.#scalarText(key, indent, true);
        this.#goTo(indent);
        this.#indicator(':', true);
        this.#value(value, indent, 'in place');
      }
    }
  }

  /** A value behind `key:` begins a new line if it is a collection; behind `?`, `:` or `-` it begins where it is. */
  #value(value: JsonValue, indent: number, where: 'after key' | 'in place'): void {
    if (Array.isArray(value)) {
      this.#sequence(value, where === 'after key' ? indent : indent + 2);
    } else if (isJsonObject(value)) {
      this.mapping(value, indent + 2);
    } else if (typeof value === 'string') {
      this.#scalarText(value, indent, true);
    } else {
      this.#plain(scalarSource(value), indent + 2, true);
    }
  }

  #sequence(items: readonly JsonValue[], indent: number): void {
    if (items.length === 0) this.#indicator('[]');
    for (const item of items) {
      this.#goTo(indent);
      this.#indicator('-', true);
      this.#value(item, indent, 'in place');
    }
  }

  /** A text in the first style that can hold it: plain, single quotes, double quotes. Keys are never folded. */
  #scalarText(text: string, indent: number, fold: boolean): void {
    const style = styleOf(text, fold);
    if (style === 'plain') this.#plain(text, indent + 2, fold);
    else if (style === 'single') this.#singleQuoted(text, indent + 2, fold);
    else this.#doubleQuoted(text, indent + 2, fold);
  }

  #plain(text: string, indent: number, fold: boolean): void {
    if (text === '') return;
    this.#space();
    this.#lineIsFresh = false;
    this.#foldedWords(text, indent, fold);
  }

  #singleQuoted(text: string, indent: number, fold: boolean): void {
    this.#indicator("'");
    this.#foldedWords(text.replaceAll("'", "''"), indent, fold);
    this.#put("'");
  }

  /** Words, with a line break in place of a single blank behind the width, and an empty line for each break. */
  #foldedWords(text: string, indent: number, fold: boolean): void {
    for (const match of text.matchAll(/ +|[\n\x85\u2028\u2029]+|[^ \n\x85\u2028\u2029]+/g)) {
      const [part] = match;
      const inner = match.index > 0 && match.index + part.length < text.length;
      if (part === ' ' && inner && fold && this.#column > WIDTH) {
        this.#newLine();
        this.#goTo(indent);
      } else if (BREAK.test(part)) {
        if (part.startsWith('\n')) this.#newLine();
        for (const sign of part) this.#newLine(sign);
        this.#goTo(indent);
      } else {
        this.#put(part);
      }
    }
  }

  #doubleQuoted(text: string, indent: number, fold: boolean): void {
    this.#indicator('"');
    const signs = [...text];
    let pending = '';
    for (let i = 0; i < signs.length; i++) {
      const sign = signs[i]!;
      const escaped = escapeSign(sign);
      if (escaped !== undefined) {
        this.#put(pending + escaped);
        pending = '';
      }
      const mayFold = fold && i > 0 && i < signs.length - 1 && (sign === ' ' || pending === '');
      // The peer counts an escape as ending one column earlier.
      const column = escaped === undefined ? this.#column + length(pending) : this.#column - 1;
      if (mayFold && column > WIDTH) {
        this.#put(`${pending}\\`);
        this.#newLine();
        this.#goTo(indent);
        // A blank at the beginning of a line counts only behind a backslash.
        const next = escaped === undefined ? sign : signs[i + 1];
        if (next === ' ') this.#put('\\');
        pending = '';
      }
      if (escaped === undefined) pending += sign;
    }
    this.#put(`${pending}"`);
  }

  /** Begins a line at a column, unless nothing but indicators stands before that column on this line. */
  #goTo(indent: number): void {
    if (!this.#lineIsFresh || this.#column > indent) this.#newLine();
    this.#text += ' '.repeat(indent - this.#column);
    this.#column = indent;
  }

  #newLine(sign = '\n'): void {
    this.#text += sign;
    this.#column = 0;
    this.#lineIsFresh = true;
  }

  /** A sign with a blank before it where something stands; after `-`, `?` and `:` the line may go on with a collection. */
  #indicator(sign: string, opensCollection = false): void {
    this.#space();
    const fresh = this.#lineIsFresh;
    this.#put(sign);
    this.#lineIsFresh = fresh && opensCollection;
  }

  #space(): void {
    if (this.#column > 0 && !this.#text.endsWith(' ') && !this.#text.endsWith('\n')) this.#put(' ');
  }

  #put(text: string): void {
    this.#text += text;
    this.#column += length(text);
    this.#lineIsFresh = false;
  }
}

/** How many characters a text has. */
function length(text: string): number {
  let surrogatePairs = 0;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00)
      surrogatePairs += 1;
  }
  return text.length - surrogatePairs;
}

function isSimpleKey(key: string): boolean {
  return key !== '' && !BREAK.test(key) && length(key) <= LONGEST_SIMPLE_KEY;
}

function styleOf(text: string, mayBreak: boolean): 'plain' | 'single' | 'double' {
  if (text === '') return 'single';
  if (SPECIAL.test(text) || / [\n\x85\u2028\u2029]/.test(text) || /[\n\x85\u2028\u2029] /.test(text))
    return 'double';
  if (BREAK.test(text)) return mayBreak ? 'single' : 'double';
  if (/^ | $/.test(text) || INDICATORS.test(text) || isAmbiguous(text)) return 'single';
  return 'plain';
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

/** A character as it stands in double quotes, if it can't stand there as it is. */
function escapeSign(sign: string): string | undefined {
  const short = ESCAPES[sign];
  if (short !== undefined) return short;
  const code = sign.codePointAt(0)!;
  if (code >= 0x20 && code <= 0x7e) return undefined;
  if ((code >= 0xa0 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff))
    return undefined;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** The text of a value that is no text; floats as Python prints them, with the dot that YAML asks for. */
function scalarSource(value: null | boolean | number | Numeral): string {
  if (value === null || typeof value === 'boolean') return String(value);
  const source = value instanceof Numeral ? value.source : JSON.stringify(value);
  if (!/[.eE]/.test(source)) return source === '-0' ? '0' : source;
  const text = pythonFloat(Number(source));
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}
