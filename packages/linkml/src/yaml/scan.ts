/**
 * The tokens of YAML 1.1 as PyYAML scans them, which is neither the letter of YAML 1.1 nor YAML 1.2: within quotes and
 * brackets indentation has no meaning, tabs separate nothing, and a comment may follow a quote at once.
 */

import { type FixedText, fixedText } from '../errors.ts';
import { BlockScalar } from './block-scalar.ts';
import {
  BACKSLASH,
  BLANK,
  COLON,
  DOUBLE_QUOTE,
  HASH,
  isBlank,
  isBreak,
  NEWLINE,
  RETURN,
  TAB,
} from './characters.ts';

/** A YAML document that cannot be read as one JSON value; the message is a sentence for a person. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** Where it is, from 1; undefined for a document as a whole. */
  readonly location: { readonly line: number; readonly column: number } | undefined;
  /** What is wrong, without anything of the document, which the message may repeat. */
  readonly words: FixedText;

  constructor(words: FixedText, location?: YamlError['location'], message: string = words) {
    super(location ? `line ${location.line}, column ${location.column}: ${message}` : message);
    this.location = location;
    this.words = words;
  }
}

/** Characters that the tools of Python do not accept in YAML, even in quotes. */
const UNPRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
/** In brackets these end a value without quotes. */
const FLOW_ENDS = ',[]{}?';

/** Characters that cannot begin a value without quotes. */
const NO_START = '-?:,[]{}#&*!|>\'"%@`';

/** A position in a document, with what can be read there. */
export class YamlScanner {
  readonly text: string;
  at = 0;
  /** Where the line of the position begins. */
  lineStart = 0;

  constructor(text: string) {
    this.text = text.startsWith('\ufeff') ? text.slice(1) : text;
    const odd = UNPRINTABLE.exec(this.text);
    if (odd) throw this.error(fixedText('found a control character; escape it in double quotes'), odd.index);
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  get atEnd(): boolean {
    return this.at >= this.text.length || this.isMarker('---') || this.isMarker('...');
  }

  /**
   * The error of a document that is not YAML, at an offset; by default, here.
   *
   * @param words have nothing of the document
   * @param message the same with a part of the document, if that helps
   */
  error(words: FixedText, offset = this.at, message: string = words): YamlError {
    const prefix = 'not valid YAML: ';
    return this.refusal((prefix + words) as FixedText, offset, prefix + message);
  }

  refusal(words: FixedText, offset: number, message: string = words): YamlError {
    let line = 1;
    let start = 0;
    for (let i = 0; i < offset; i++) {
      const code = this.text.charCodeAt(i);
      if (!isBreak(code) || (code === RETURN && this.text.charCodeAt(i + 1) === NEWLINE)) continue;
      line++;
      start = i + 1;
    }
    return new YamlError(words, { line, column: offset - start + 1 }, message);
  }

  /** Whether a character is here, followed by a blank. */
  isIndicator(character: string): boolean {
    return this.text[this.at] === character && isBlank(this.text.charCodeAt(this.at + 1));
  }

  /** Whether the line is the mark between documents. */
  isMarker(mark: '---' | '...'): boolean {
    return (
      this.at === this.lineStart &&
      this.text.startsWith(mark, this.at) &&
      isBlank(this.text.charCodeAt(this.at + 3))
    );
  }

  /** Goes to the next token, past blanks and comments. Returns whether it is on another line. */
  skip(): boolean {
    const from = this.lineStart;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === BLANK) this.at++;
      else if (code === HASH) this.toLineEnd();
      else if (isBreak(code)) this.lineBreak();
      else return this.lineStart > from;
    }
  }

  toLineEnd(): void {
    while (this.at < this.text.length && !isBreak(this.text.charCodeAt(this.at))) this.at++;
  }

  /**
   * Passes one line break. Returns what it is in a string: PyYAML writes U+0085 as it is, reads it as a line feed and so
   * loses it, which no reader of records may do.
   */
  lineBreak(): string {
    const code = this.text.charCodeAt(this.at);
    if (!isBreak(code)) return '';
    this.at += code === RETURN && this.text.charCodeAt(this.at + 1) === NEWLINE ? 2 : 1;
    this.lineStart = this.at;
    return code === NEWLINE || code === RETURN ? '\n' : String.fromCharCode(code);
  }

  /** Line breaks, with the blanks around them, as they are in a string that is folded. */
  #foldedBreaks(first: string, others: string): string {
    if (first !== '\n') return first + others;
    return others === '' ? ' ' : others;
  }

  /**
   * A value without quotes, with its further lines.
   *
   * @param indent the indentation of the collection around it, beyond which further lines are
   * @param inBrackets whether it also ends before a comma or bracket
   */
  plain(indent: number, inBrackets: boolean): string {
    if (!this.#startsPlain(inBrackets)) throw this.#cannotStart();
    let value = '';
    let gap = '';
    for (;;) {
      const start = this.at;
      const end = this.#plainEnd(inBrackets);
      if (end === start) break;
      value = value === '' ? this.text.slice(start, end) : value + gap + this.text.slice(start, end);
      this.at = end;
      const { lineStart } = this;
      gap = this.#plainGap();
      const code = this.text.charCodeAt(this.at);
      if (gap !== '' && code !== HASH && (inBrackets || this.column > indent) && !this.atEnd) continue;
      // Comments and the next token are looked for from the end of the value.
      this.at = end;
      this.lineStart = lineStart;
      break;
    }
    return value;
  }

  #startsPlain(inBrackets: boolean): boolean {
    const code = this.text.charCodeAt(this.at);
    if (isBlank(code) || this.atEnd) return false;
    const first = this.text[this.at]!;
    if (!NO_START.includes(first)) return true;
    const isBehind = first === '-' || (!inBrackets && (first === '?' || first === ':'));
    return isBehind && !isBlank(this.text.charCodeAt(this.at + 1));
  }

  #cannotStart(): YamlError {
    const first = this.text[this.at];
    if (first === undefined) return this.error(fixedText('a value is missing at the end'));
    if (first === '\t') return this.error(fixedText('found a tab; use spaces'));
    if (first === '@' || first === '`')
      return this.error(fixedText("a value that starts with '@' or '`' has to be in quotes"));
    if (first === ',') return this.error(fixedText('a comma has no value before it'));
    return this.error(
      fixedText('expected a value; put it in quotes if it starts with this character'),
      this.at,
      `found '${first}', expected a value; put it in quotes if it starts with this character`,
    );
  }

  /** Where the part of a plain value on this line ends, with blanks in it and none behind it. */
  #plainEnd(inBrackets: boolean): number {
    const { text } = this;
    let at = this.at;
    let end = at;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === BLANK) {
        at++;
        continue;
      }
      if (isBlank(code) || (code === HASH && at > end) || (code === HASH && at === this.at)) return end;
      if (code === COLON) {
        const next = text.charCodeAt(at + 1);
        if (isBlank(next) || (inBrackets && FLOW_ENDS.includes(text[at + 1]!))) return end;
      } else if (inBrackets && FLOW_ENDS.includes(text[at]!)) return end;
      end = ++at;
    }
  }

  /** The blanks and line breaks behind a part of a plain value. */
  #plainGap(): string {
    while (this.text.charCodeAt(this.at) === BLANK) this.at++;
    const first = this.lineBreak();
    if (first === '') return '';
    let others = '';
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === BLANK) this.at++;
      else if (isBreak(code)) others += this.lineBreak();
      else return this.#foldedBreaks(first, others);
    }
  }

  /** A string in single or double quotes. */
  quoted(): string {
    const start = this.at;
    const quote = this.text.charCodeAt(this.at++);
    let value = '';
    for (;;) {
      value += this.#quotedPart(quote);
      const code = this.text.charCodeAt(this.at);
      if (code === quote) {
        this.at++;
        if (quote === DOUBLE_QUOTE || this.text.charCodeAt(this.at) !== quote) return value;
        this.at++;
        value += "'";
      } else if (code === BACKSLASH) value += this.#escape();
      else if (Number.isNaN(code))
        throw this.error(fixedText('a string in quotes has no closing quote'), start);
      else value += this.#quotedGap(start);
    }
  }

  /** Skips text without a meaning of its own, up to a quote, an escape, or blanks before a line break. */
  #quotedPart(quote: number): string {
    const start = this.at;
    let end = start;
    for (let at = start; ; at++) {
      const code = this.text.charCodeAt(at);
      if (code === BLANK || code === TAB) continue;
      if (isBreak(code)) break;
      end = at;
      if (code === quote || (code === BACKSLASH && quote === DOUBLE_QUOTE) || Number.isNaN(code)) break;
      end = at + 1;
    }
    this.at = end;
    return this.text.slice(start, end);
  }

  /** Blanks, line breaks and the blanks behind them, in quotes. */
  #quotedGap(start: number): string {
    this.#skipBlanks();
    const first = this.lineBreak();
    return this.#foldedBreaks(first, this.#quotedBreaks(start));
  }

  #quotedBreaks(start: number): string {
    let breaks = '';
    for (;;) {
      if (this.isMarker('---') || this.isMarker('...'))
        throw this.error(fixedText('a string in quotes has no closing quote'), start);
      this.#skipBlanks();
      if (!isBreak(this.text.charCodeAt(this.at))) return breaks;
      breaks += this.lineBreak();
    }
  }

  #skipBlanks(): void {
    for (let code = this.text.charCodeAt(this.at); code === BLANK || code === TAB; ) {
      this.at++;
      code = this.text.charCodeAt(this.at);
    }
  }

  #escape(): string {
    const start = this.at;
    const sign = this.text[start + 1] ?? '';
    const digits = HEX_DIGITS[sign];
    if (digits !== undefined) {
      const hex = this.text.slice(start + 2, start + 2 + digits);
      const code = /^[0-9A-Fa-f]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : -1;
      if (code < 0 || code > 0x10ffff)
        throw this.error(
          fixedText('expected hexadecimal digits after a backslash'),
          this.at,
          `expected ${digits} hexadecimal digits after '\\${sign}'`,
        );
      this.at += 2 + digits;
      return String.fromCodePoint(code);
    }
    const character = ESCAPED[sign];
    if (character !== undefined) {
      this.at += 2;
      return character;
    }
    this.at++;
    if (this.lineBreak() !== '') return this.#quotedBreaks(start);
    throw this.error(
      fixedText("the string in double quotes has an unknown escape; write '\\\\' for a backslash"),
      start,
    );
  }

  /** A string behind `|` or `>`. */
  block(parentIndent: number): string {
    return new BlockScalar(this).read(parentIndent);
  }

  /** The name behind `&` or `*`. */
  anchorName(): string {
    const name = /[0-9A-Za-z_-]+/y;
    name.lastIndex = this.at + 1;
    const found = name.exec(this.text)?.[0];
    const next = this.at + 1 + (found?.length ?? 0);
    if (
      found === undefined ||
      !(isBlank(this.text.charCodeAt(next)) || '?:,]}%@`'.includes(this.text[next]!))
    )
      throw this.error(
        fixedText("expected a name after '&' or '*'"),
        this.at,
        `expected a name after '${this.text[this.at]}'`,
      );
    this.at = next;
    return found;
  }

  tag(): string {
    const tag = /!(?:<[^\s>]*>|[^\s\x85\u2028\u2029]*)/y;
    tag.lastIndex = this.at;
    const [found] = tag.exec(this.text)!;
    this.at += found.length;
    if (!isBlank(this.text.charCodeAt(this.at)) || this.text.charCodeAt(this.at) === TAB)
      throw this.error(fixedText('expected a space after a tag'));
    return found;
  }
}

const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

const ESCAPED: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '\\': '\\',
  '/': '/',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
