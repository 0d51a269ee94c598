/**
 * Records as YAML text, byte for byte as PyYAML writes them with sorted keys, block style and Unicode as it is,
 * so files and histories do not depend on which of the two services writes them.
 */
import { compareCodePoints, type JsonObject, type JsonValue, Numeral } from '../json.ts';
import { isAmbiguous, yamlNumber } from './scalars.ts';

/** Lines are folded at the first single space after this column. */
const WIDTH = 80;
/** A key with this many characters is written after `? `. */
const LONG_KEY = 123;

export function writeYaml(record: JsonObject): string {
  const writer = new YamlWriter();
  writer.node(record, 0, 'root');
  return writer.text();
}

type NodePosition = 'root' | 'value' | 'item';

/** Pieces that are joined at a time: a list of millions of them would take many times the text. */
const MOST_PIECES = 10_000;

/** Writes nodes in sequence, and keeps the current column. */
class YamlWriter {
  #pieces: string[] = [];
  readonly #joined: string[] = [];
  /** Code points written on this line. */
  #column = 0;
  /** The line has only spaces, `-`, `?` and `:`, so a block may start here. */
  #atLead = true;
  /** The last character was a blank, or there is none on the line yet. */
  #blank = true;

  text(): string {
    this.#pieces.push('\n');
    return `${this.#joined.join('')}${this.#pieces.join('')}`;
  }

  /** `indent` is the column of the block of the node. */
  node(value: JsonValue, indent: number, place: NodePosition): void {
    if (Array.isArray(value)) {
      if (value.length === 0) this.#word('[]');
      else this.#sequence(value, indentOfSequence(indent, place, this.#atLead));
    } else if (typeof value === 'object' && value !== null && !(value instanceof Numeral)) {
      const keys = Object.keys(value);
      if (keys.length === 0) this.#word('{}');
      else this.#mapping(value, keys.sort(compareCodePoints), place === 'root' ? 0 : indent + 2);
    } else if (typeof value === 'string') {
      this.#string(value, indent + 2, false);
    } else {
      this.#word(value === null || typeof value === 'boolean' ? String(value) : yamlNumber(value));
    }
  }

  #sequence(items: readonly JsonValue[], indent: number): void {
    for (const item of items) {
      this.#startLine(indent);
      this.#lead('-');
      this.node(item, indent, 'item');
    }
  }

  #mapping(object: JsonObject, keys: readonly string[], indent: number): void {
    for (const key of keys) {
      this.#startLine(indent);
      if (isSimpleKey(key)) {
        this.#string(key, indent + 2, true);
        this.#write(':');
        this.#atLead = false;
      } else {
        this.#lead('?');
        this.#string(key, indent + 2, false);
        this.#startLine(indent);
        this.#lead(':');
      }
      this.node(object[key] as JsonValue, indent, 'value');
    }
  }

  #string(text: string, indent: number, isKey: boolean): void {
    const styles = stylesOf(text);
    const write =
      styles.plain && !(isKey && text === '') && !isAmbiguous(text)
        ? this.#plain
        : styles.single
          ? this.#singleQuoted
          : this.#doubleQuoted;
    this.#separate();
    write.call(this, text, indent, isKey ? Number.POSITIVE_INFINITY : WIDTH);
    this.#atLead = false;
  }

  /** Words with blanks between them; never holds a line break. One pass, since strings may be very long. */
  #plain(text: string, indent: number, width: number): void {
    let start = 0;
    let column = this.#column;
    const fits = column + text.length <= width;
    for (let at = 0; at < text.length && !fits; at++) {
      const unit = text.charCodeAt(at);
      if (unit === SPACE && column > width && isSingleSpace(text, at)) {
        this.#write(text.slice(start, at));
        this.#fold(indent);
        start = at + 1;
        column = this.#column;
      } else if (!isLowSurrogate(unit)) column++;
    }
    this.#write(text.slice(start));
  }

  #singleQuoted(text: string, indent: number, width: number): void {
    this.#write("'");
    let start = 0;
    let column = this.#column;
    const flush = (end: number, next: number) => {
      this.#write(text.slice(start, end));
      start = next;
    };
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const isInside = at > 0 && at < text.length - 1;
      if (unit === SPACE && isInside && column > width && isSingleSpace(text, at)) {
        flush(at, at + 1);
        this.#fold(indent);
        column = this.#column;
      } else if (unit === QUOTE) {
        flush(at + 1, at + 1);
        this.#write("'");
        column += 2;
      } else if (isLineBreak(unit)) {
        let end = at + 1;
        while (isLineBreak(text.charCodeAt(end))) end++;
        flush(at, end);
        this.#lineBreaks(text.slice(at, end), indent);
        column = this.#column;
        at = end - 1;
      } else if (!isLowSurrogate(unit)) column++;
    }
    flush(text.length, text.length);
    this.#write("'");
  }

  /** A line break within quotes is doubled, since a single one reads as a blank. */
  #lineBreaks(run: string, indent: number): void {
    if (run.startsWith('\n')) this.#newLine();
    for (const character of run) this.#newLine(character);
    this.#pad(indent);
  }

  #doubleQuoted(text: string, indent: number, width: number): void {
    let start = 0;
    /** Characters that are not written yet. */
    let pending = 0;
    const flush = (end: number) => {
      this.#write(text.slice(start, end));
      start = end;
      pending = 0;
    };
    this.#write('"');
    for (let at = 0, next = 0; at < text.length; at = next) {
      const code = text.codePointAt(at) as number;
      next = at + (code > 0xffff ? 2 : 1);
      const escaped = isTameCode(code) ? undefined : escapeOf(text.slice(at, next));
      if (escaped !== undefined) {
        flush(at);
        this.#write(escaped);
        start = next;
      }
      // The line is cut before a space, after an escape, and before what follows an escape.
      const length = escaped === undefined ? pending : -1;
      const mayCut = code === SPACE || pending === 0;
      if (mayCut && at > 0 && next < text.length && this.#column + length > width) {
        flush(escaped === undefined ? at : next);
        this.#write('\\');
        this.#newLine();
        this.#pad(indent);
        if ((escaped === undefined ? code : text.charCodeAt(next)) === SPACE) this.#write('\\');
      }
      if (escaped === undefined) pending++;
    }
    flush(text.length);
    this.#write('"');
  }

  /** A word that is never folded: a number, `true`, `[]`. */
  #word(text: string): void {
    this.#separate();
    this.#write(text);
    this.#atLead = false;
  }

  /** `-`, `?` and `:` at the start of a line: a block may start after them on the same line. */
  #lead(indicator: string): void {
    this.#separate();
    this.#write(indicator);
  }

  #separate(): void {
    if (!this.#blank) this.#write(' ');
  }

  /** Moves to the column of a block: on the same line if the line has only indicators. */
  #startLine(indent: number): void {
    const here = this.#atLead && (this.#column < indent || (this.#column === indent && this.#blank));
    if (!here) this.#newLine();
    this.#pad(indent);
  }

  #fold(indent: number): void {
    this.#newLine();
    this.#pad(indent);
  }

  #newLine(lineBreak = '\n'): void {
    if (this.#pieces.length >= MOST_PIECES) {
      this.#joined.push(this.#pieces.join(''));
      this.#pieces = [];
    }
    this.#pieces.push(lineBreak);
    this.#column = 0;
    this.#atLead = true;
    this.#blank = true;
  }

  #pad(indent: number): void {
    if (this.#column >= indent) return;
    this.#pieces.push(' '.repeat(indent - this.#column));
    this.#column = indent;
    this.#blank = true;
  }

  #write(text: string): void {
    if (text === '') return;
    this.#pieces.push(text);
    this.#column += codePoints(text);
    this.#blank = text === ' ';
  }
}

const SPACE = 0x20;
const QUOTE = 0x27;

function isSingleSpace(text: string, at: number): boolean {
  return text.charCodeAt(at - 1) !== SPACE && text.charCodeAt(at + 1) !== SPACE;
}

function isLineBreak(unit: number): boolean {
  return unit === 0x0a || unit === 0x85 || unit === 0x2028 || unit === 0x2029;
}

/** The second half of a pair, which makes no column of its own; lone ones are always escaped. */
function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Whether a character is certainly written as it is within double quotes. */
function isTameCode(code: number): boolean {
  return code >= 0x20 && code <= 0x7e && code !== 0x22 && code !== 0x5c;
}

/** A sequence that is the value of a key starts in the column of the key. */
function indentOfSequence(indent: number, place: NodePosition, atLead: boolean): number {
  return place === 'root' || (place === 'value' && !atLead) ? indent : indent + 2;
}

function isSimpleKey(key: string): boolean {
  return (
    key !== '' &&
    key.length < LONG_KEY * 2 &&
    codePoints(key) < LONG_KEY &&
    !/[\n\u0085\u2028\u2029]/.test(key)
  );
}

/** The start of a string that never needs quotes. */
const TAME_START = /[A-Za-z/_(]/y;
/** Text without a quote, a colon that ends a word, or two blanks. Not anchored: it would take V8's stack for each word. */
const UNTAME = /[^\w/()+.;=$*^: -]|:(?=[: ]|$)| (?=[ :]|$)/;

/**
 * Anything that is not printable, or is a byte order mark: it must be escaped. The last code point is named, for V8
 * does not find it by a class of all others.
 */
const SPECIAL = /[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10fffe}]|[\ufeff\u{10ffff}]/u;
const BREAK = /[\n\x85\u2028\u2029]/;
/** Matches text that begins like YAML's own marks, or holds `: ` or ` #`. */
const INDICATORS =
  /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?:[\0 \t\r\n\x85\u2028\u2029]|$))|:(?:[\0 \t\r\n\x85\u2028\u2029]|$)|[\0 \t\r\n\x85\u2028\u2029]#/;

/** The styles that can represent a string; double quotes represent all. */
function stylesOf(text: string): { plain: boolean; single: boolean } {
  if (text === '' || isTame(text)) return { plain: true, single: true };
  const single = !SPECIAL.test(text) && !/[\n\x85\u2028\u2029] | [\n\x85\u2028\u2029]/.test(text);
  const plain = single && !BREAK.test(text) && !/^ | $/.test(text) && !INDICATORS.test(text);
  return { plain, single };
}

function isTame(text: string): boolean {
  TAME_START.lastIndex = 0;
  return TAME_START.test(text) && !UNTAME.test(text);
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

/** How a character is written within double quotes; undefined if it needs no escape. */
function escapeOf(character: string): string | undefined {
  const known = ESCAPES[character];
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code <= 0x7e) return undefined;
  if (code >= 0xa0 && code <= 0xfffd && !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfeff)
    return undefined;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** The number of code points in a string: UTF-16 units minus one for each pair. */
function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next < 0xe000) count--;
    }
  }
  return count;
}
