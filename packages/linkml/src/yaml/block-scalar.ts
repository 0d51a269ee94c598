/** Strings of YAML behind `|` and `>`, whose lines are indented. */
import { fixedText } from '../errors.ts';
import { BLANK, HASH, isBreak, TAB } from './characters.ts';

/** What a scanner of a document offers: its position, and steps over lines. */
type Scanner = {
  readonly text: string;
  at: number;
  readonly column: number;
  lineStart: number;
  lineBreak(): string;
  toLineEnd(): void;
  error(message: string): Error;
};

/** Reads one from the position of a scanner. */
export class BlockScalar {
  readonly #scanner: Scanner;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  read(parentIndent: number): string {
    const scanner = this.#scanner;
    const isFolded = scanner.text[scanner.at] === '>';
    const header = /[|>](?:([-+])([0-9]?)|([0-9])([-+]?))?/y;
    header.lastIndex = scanner.at;
    const [all = '', before, sizeBehind, sizeBefore, behind] = header.exec(scanner.text)!;
    const size = sizeBehind || sizeBefore;
    if (size === '0') throw scanner.error(fixedText("the indentation behind '|' or '>' is 1 to 9"));
    scanner.at += all.length;
    this.#endOfHeader();
    return this.#lines(isFolded, before || behind, Math.max(parentIndent, 0) + 1, Number(size || 0));
  }

  #endOfHeader(): void {
    const scanner = this.#scanner;
    const { at } = scanner;
    while (scanner.text.charCodeAt(scanner.at) === BLANK) scanner.at++;
    if (scanner.at > at && scanner.text.charCodeAt(scanner.at) === HASH) scanner.toLineEnd();
    if (scanner.at < scanner.text.length && !isBreak(scanner.text.charCodeAt(scanner.at)))
      throw scanner.error(fixedText("expected the end of the line behind '|' or '>'"));
    scanner.lineBreak();
  }

  #lines(isFolded: boolean, chomping: string | undefined, least: number, size: number): string {
    const scanner = this.#scanner;
    const indent = size > 0 ? least + size - 1 : Math.max(least, this.#deepestBlank());
    let value = '';
    let lineBreak = '';
    let breaks = this.#breaks(indent);
    while (scanner.column === indent && scanner.at < scanner.text.length) {
      const start = scanner.at;
      const isIndented = this.#isBlankHere();
      value += breaks;
      scanner.toLineEnd();
      value += scanner.text.slice(start, scanner.at);
      lineBreak = scanner.lineBreak();
      breaks = this.#breaks(indent);
      if (scanner.column !== indent || scanner.at >= scanner.text.length) break;
      const isFoldedHere = isFolded && lineBreak === '\n' && !isIndented && !this.#isBlankHere();
      if (!isFoldedHere) value += lineBreak;
      else if (breaks === '') value += ' ';
    }
    if (chomping !== '-') value += lineBreak;
    if (chomping === '+') value += breaks;
    return value;
  }

  #isBlankHere(): boolean {
    const scanner = this.#scanner;
    const code = scanner.text.charCodeAt(scanner.at);
    return code === BLANK || code === TAB;
  }

  /** The indentation of the first line with text; lines of blanks before it can be longer. */
  #deepestBlank(): number {
    const scanner = this.#scanner;
    const { at, lineStart } = scanner;
    let deepest = 0;
    for (;;) {
      const code = scanner.text.charCodeAt(scanner.at);
      if (isBreak(code)) scanner.lineBreak();
      else if (code === BLANK) scanner.at++;
      else break;
      deepest = Math.max(deepest, scanner.column);
    }
    scanner.at = at;
    scanner.lineStart = lineStart;
    return deepest;
  }

  /** Passes empty lines and the indentation of the next line. Returns the breaks of the empty lines. */
  #breaks(indent: number): string {
    const scanner = this.#scanner;
    let breaks = '';
    for (;;) {
      while (scanner.column < indent && scanner.text.charCodeAt(scanner.at) === BLANK) scanner.at++;
      if (!isBreak(scanner.text.charCodeAt(scanner.at))) return breaks;
      breaks += scanner.lineBreak();
    }
  }
}

/** Behind the end of the text, every comparison with `NaN` is false. */
