/**
 * A fast reader for the YAML that programs dump: block style, one document, no comments, anchors, tags or block
 * scalars. It is sure of what it reads or says that it is not; then `read.ts`, which knows all of YAML, has to read it.
 * It reads a record in 18 µs, the general reader in 114 µs: the index of a large directory is built by it.
 */
import { isJsonObject, type JsonObject, type JsonValue, Numeral } from '../json.ts';
import { looksLikeDate, readPlainScalar } from './scalars.ts';

/** What a reader of YAML decides; without a decision, documents are read as PyYAML reads them. */
export type YamlOptions = {
  /** If a mapping has a key twice: `last` uses the later value, as PyYAML does, `refuse` is an error. Default `last`. */
  readonly duplicateKeys?: 'last' | 'refuse';
  /**
   * How a key that is not a string becomes one: as JSON writes it (`true`), or as Python does (`True`). `refuse` is an
   * error. Default `json`.
   */
  readonly otherKeys?: 'json' | 'python' | 'refuse';
  /** Dates and times become strings as Python's `isoformat` writes them, or are an error. Default `string`. */
  readonly dates?: 'string' | 'refuse';
};

/** Thrown within this file, at the first thing that is not as a dump has it. */
const UNSURE = Symbol('unsure');

/** Tabs, carriage returns, a byte order mark: dumps escape them, or leave doubt. */
const DOUBTFUL = /[\t\r\ufeff]/;
/** In YAML 1.1 these break lines as a newline does. Dumps have them as they are in single quotes only. */
export const ODD_BREAK = /[\x85\u2028\u2029]/;

/** The value in a dumped YAML text; undefined if this reader is not sure of it, or something is there to be refused. */
export function readDumped(text: string, options: YamlOptions = {}): JsonValue | undefined {
  if (DOUBTFUL.test(text) || text.startsWith('---')) return undefined;
  try {
    return new DumpReader(text, options).read();
  } catch (reason) {
    // Nested too deeply for this reader, or invalid dates: the other reader reports them.
    if (reason === UNSURE || reason instanceof Error) return undefined;
    throw reason;
  }
}

const SINGLE_QUOTED = /'([^']*(?:''[^']*)*)'/y;
const DOUBLE_QUOTED = /"([^"\\]*(?:\\.[^"\\]*)*)"/sy;
const KEY_END = /:(?=[ \n]|$)/g;

class DumpReader {
  readonly #text: string;
  readonly #options: YamlOptions;
  #at = 0;

  constructor(text: string, options: YamlOptions) {
    this.#text = text;
    this.#options = options;
  }

  read(): JsonValue {
    if (this.#text === '{}\n') return {};
    if (this.#text[0] === ' ') throw UNSURE;
    const value = this.#collection(0);
    if (this.#at < this.#text.length) throw UNSURE;
    return value;
  }

  /** A collection that begins here, at this indentation. */
  #collection(indent: number): JsonValue {
    return this.#text.startsWith('- ', this.#at) ? this.#sequence(indent) : this.#mapping(indent);
  }

  #mapping(indent: number): JsonObject {
    const object: JsonObject = {};
    do {
      const isLong = this.#isLongKey();
      const key = isLong ? this.#longKey(indent) : this.#key();
      if (this.#options.duplicateKeys === 'refuse' && Object.hasOwn(object, key)) throw UNSURE;
      if (isLong) object[key] = this.#item(indent);
      else
        object[key] = this.#text[this.#at] === ' ' ? this.#inline(this.#at + 1, indent) : this.#below(indent);
    } while (this.#nextLineAt(indent, false));
    return object;
  }

  #sequence(indent: number): JsonValue[] {
    const items: JsonValue[] = [];
    do {
      this.#at += 2;
      items.push(this.#item(indent));
    } while (this.#nextLineAt(indent, true));
    return items;
  }

  /** The value after an indicator of two characters, `- ` or `: `, at this indentation. */
  #item(indent: number): JsonValue {
    if (this.#text.startsWith('- ', this.#at)) return this.#sequence(indent + 2);
    return this.#isKey() ? this.#mapping(indent + 2) : this.#inline(this.#at, indent);
  }

  /** Goes to the content of the next line, if it is at this indentation and is (or is not) an item of a sequence. */
  #nextLineAt(indent: number, item: boolean): boolean {
    if (this.#at >= this.#text.length) return false;
    const found = this.#indentation();
    if (found > indent) throw UNSURE;
    if (found < indent || this.#text.startsWith('- ', this.#at + found) !== item) return false;
    this.#at += found;
    return true;
  }

  /** The value in the lines below a key: a deeper collection, a sequence at the same depth, or nothing. */
  #below(indent: number): JsonValue {
    this.#at += 1;
    const found = this.#indentation();
    const isItem = this.#text.startsWith('- ', this.#at + found);
    if (found < indent || (found === indent && !isItem)) return null;
    this.#at += found;
    return this.#collection(found);
  }

  #key(): string {
    const first = this.#text[this.#at];
    let key: JsonValue;
    if (first === "'" || first === '"') {
      key = this.#quoted();
    } else {
      const end = this.#keyEnd();
      if (end === undefined) throw UNSURE;
      const plain = this.#text.slice(this.#at, end);
      this.#expectPlain(plain);
      key = this.#plain(plain);
      this.#at = end;
    }
    if (this.#text[this.#at] !== ':') throw UNSURE;
    this.#at += 1;
    const after = this.#text[this.#at];
    if (after !== ' ' && after !== '\n') throw UNSURE;
    return this.#keyText(key);
  }

  #keyText(key: JsonValue): string {
    if (Array.isArray(key) || isJsonObject(key)) throw UNSURE;
    if (this.#options.otherKeys && typeof key !== 'string') throw UNSURE;
    const name = key instanceof Numeral ? key.source : String(key);
    if (['<<', '=', '__proto__'].includes(name)) throw UNSURE;
    return name;
  }

  #plain(text: string): JsonValue {
    if (this.#options.dates === 'refuse' && looksLikeDate(text)) throw UNSURE;
    return readPlainScalar(text);
  }

  /** A key that is long, or has line breaks, has a separate line: `? key`, and `: value` below it. */
  #isLongKey(): boolean {
    return this.#text.startsWith('? ', this.#at);
  }

  #longKey(indent: number): string {
    const key = this.#inline(this.#at + 2, indent);
    const mark = this.#at + indent;
    if (this.#indentation() !== indent || !this.#text.startsWith(': ', mark)) throw UNSURE;
    this.#at = mark + 2;
    return this.#keyText(key);
  }

  #isKey(): boolean {
    if (this.#isLongKey()) return true;
    const first = this.#text[this.#at];
    if (first !== "'" && first !== '"') return this.#keyEnd() !== undefined;
    const start = this.#at;
    this.#quoted();
    const isKey = this.#text[this.#at] === ':';
    this.#at = start;
    return isKey;
  }

  /** Where a plain key on this line ends. */
  #keyEnd(): number | undefined {
    KEY_END.lastIndex = this.#at;
    const end = KEY_END.exec(this.#text)?.index;
    return end !== undefined && end < this.#lineEnd(this.#at) ? end : undefined;
  }

  /** A scalar or an empty collection that begins here and takes the rest of the line, and perhaps more lines. */
  #inline(start: number, indent: number): JsonValue {
    this.#at = start;
    const first = this.#text[start];
    if (first === "'" || first === '"') {
      const value = this.#quoted();
      this.#endLine();
      return value;
    }
    const end = this.#lineEnd(start);
    const line = this.#text.slice(start, end);
    this.#at = end + 1;
    if (line === '[]') return [];
    if (line === '{}') return {};
    this.#expectPlain(line);
    return this.#plain(this.#folded(line, indent));
  }

  /** A plain scalar with its continuation lines, which are indented further. */
  #folded(line: string, indent: number): string {
    let text = line;
    while (this.#at < this.#text.length && this.#indentation() > indent) {
      const start = this.#at + this.#indentation();
      const end = this.#lineEnd(start);
      const more = this.#text.slice(start, end);
      if (more.startsWith('#')) throw UNSURE;
      this.#expectText(more);
      text += ` ${more}`;
      this.#at = end + 1;
    }
    return text;
  }

  /** Reads a quoted string and moves past it. */
  #quoted(): string {
    const single = this.#text[this.#at] === "'";
    const pattern = single ? SINGLE_QUOTED : DOUBLE_QUOTED;
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match) throw UNSURE;
    this.#at = pattern.lastIndex;
    const body = match[1]!;
    if (single) return unfolded(body);
    if (ODD_BREAK.test(body)) throw UNSURE;
    return unescaped(body);
  }

  #endLine(): void {
    if (this.#at < this.#text.length && this.#text[this.#at] !== '\n') throw UNSURE;
    this.#at += 1;
  }

  #lineEnd(from: number): number {
    const end = this.#text.indexOf('\n', from);
    return end === -1 ? this.#text.length : end;
  }

  /** The number of blanks at the beginning of this line, which must hold something more. */
  #indentation(): number {
    let at = this.#at;
    while (this.#text[at] === ' ') at += 1;
    if (this.#text[at] === '\n') throw UNSURE;
    return at - this.#at;
  }

  /** Turns down what cannot be, or begin, a plain text. */
  #expectPlain(text: string): void {
    if (/^(?:[,[\]{}#&*!|>'"%@`]|[-?:](?: |$)|\.\.\.)/.test(text)) throw UNSURE;
    this.#expectText(text);
  }

  #expectText(text: string): void {
    if (text === '' || text.startsWith(' ') || text.endsWith(' ') || /: |:$| #/.test(text)) throw UNSURE;
    if (ODD_BREAK.test(text)) throw UNSURE;
  }
}

const FOLDED_BREAKS = / *(?:[\n\x85\u2028\u2029] *)+/g;

/** The content of single quotes: the first newline of a run becomes a blank, the others stay. */
export function unfolded(body: string): string {
  const text = body.replaceAll("''", "'");
  return text.replace(FOLDED_BREAKS, (run) => {
    const breaks = run.replaceAll(' ', '');
    if (!breaks.startsWith('\n')) return breaks;
    return breaks.length === 1 ? ' ' : breaks.slice(1);
  });
}

const ESCAPED: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
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

const ESCAPE = /\n|\\(?:\n *|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/gs;

/** The string in double quotes. A backslash at the end of a line joins it with the next one. */
function unescaped(body: string): string {
  if (!body.includes('\\')) {
    if (body.includes('\n')) throw UNSURE;
    return body;
  }
  return body.replace(ESCAPE, (whole, two?: string, four?: string, eight?: string, sign?: string) => {
    if (whole === '\n') throw UNSURE;
    const code = two ?? four ?? eight;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    if (sign === undefined) return '';
    const character = ESCAPED[sign];
    if (character === undefined) throw UNSURE;
    return character;
  });
}
