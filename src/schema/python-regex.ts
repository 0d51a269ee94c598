/**
 * Translates Python regular expressions to RE2 and to JavaScript.
 *
 * The differences that matter: `\d`, `\w` and `\s` are Unicode, `$` also matches before a final line break, `\Z` is the
 * end, and `(?P<name>…)`, `{,n}`, `(?#…)` and verbose mode are spelled or done otherwise.
 */

export type Dialect = 're2' | 'javascript';

/** A pattern that the dialect can't express; `hopeless` when it is no regular expression at all. */
export class UntranslatablePattern extends Error {
  readonly hopeless: boolean;

  constructor(message: string, hopeless = false) {
    super(message);
    this.name = 'UntranslatablePattern';
    this.hopeless = hopeless;
  }
}

export type Translation = {
  readonly body: string;
  /** Those of `i`, `m` and `s` that hold for the whole. */
  readonly flags: string;
  /** How many quantifiers without an upper bound there are, and whether one stands within another. */
  readonly unbounded: number;
  readonly nested: boolean;
};

const WORD = '\\p{L}\\p{N}_';
const SPACE = { re2: '\\t-\\r\\x1c-\\x1f \\x{85}\\p{Z}', javascript: '\\t-\\r\\x1c-\\x1f\\x20\\x85\\p{Z}' };
const DIGIT = '\\p{Nd}';

/** @throws UntranslatablePattern */
export function translate(pattern: string, dialect: Dialect): Translation {
  return new Translator(pattern, dialect).run();
}

/** The index of the bracket that closes the group that opens at `at`. */
export function wholeGroupEnd(pattern: string, at: number): number | undefined {
  let depth = 0;
  for (let i = at; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === '\\') i++;
    else if (char === '[') i = classEnd(pattern, i);
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return i;
  }
  return undefined;
}

function classEnd(pattern: string, at: number): number {
  let i = at + (pattern[at + 1] === '^' ? 2 : 1);
  if (pattern[i] === ']') i++;
  while (i < pattern.length && pattern[i] !== ']') i += pattern[i] === '\\' ? 2 : 1;
  return i;
}

/** One walk over one pattern; state is the position, and what is known of the groups that are open. */
class Translator {
  readonly #source: string;
  readonly #dialect: Dialect;
  #at = 0;
  #flags = new Set<string>();
  #verbose = false;
  #unbounded = 0;
  #nested = false;
  /** For each open group, whether an unbounded quantifier is in it. */
  readonly #groups: boolean[] = [];
  /** Whether what a quantifier would now apply to has an unbounded quantifier in it. */
  #lastHasLoop = false;

  constructor(source: string, dialect: Dialect) {
    this.#source = source;
    this.#dialect = dialect;
  }

  run(): Translation {
    let body = '';
    while (this.#at < this.#source.length) body += this.#next();
    if (this.#groups.length > 0) throw new UntranslatablePattern('a group is not closed', true);
    const flags = [...this.#flags].filter((flag) => 'ims'.includes(flag)).join('');
    return { body, flags, unbounded: this.#unbounded, nested: this.#nested };
  }

  #next(): string {
    const char = this.#source[this.#at]!;
    if (this.#verbose && /\s/.test(char)) return this.#skip(1);
    if (this.#verbose && char === '#') return this.#skip(this.#restOfLine());
    if (char === '(') return this.#open();
    if (char === ')') return this.#close();
    if ('*+?{'.includes(char)) return this.#quantifier(char);
    this.#lastHasLoop = false;
    if (char === '\\') return this.#escape();
    if (char === '[') return this.#charClass();
    this.#at++;
    if (char === '$') return this.#flags.has('m') ? '$' : this.#end();
    if (char === '}' || char === ']') return `\\${char}`;
    if (char === '/' && this.#dialect === 'javascript') return '\\/';
    return char;
  }

  #skip(length: number): string {
    this.#at += length;
    return '';
  }

  #restOfLine(): number {
    const end = this.#source.indexOf('\n', this.#at);
    return (end < 0 ? this.#source.length : end) - this.#at;
  }

  #end(): string {
    return this.#dialect === 're2' ? '(?:\\n?\\z)' : '(?=\\n?(?![\\s\\S]))';
  }

  #open(): string {
    const rest = this.#source.slice(this.#at, this.#at + 100);
    if (rest.startsWith('(?#')) return this.#skip(this.#source.indexOf(')', this.#at) + 1 - this.#at);
    const globalFlags = /^\(\?([aiLmsux]+)\)/.exec(rest);
    if (globalFlags) {
      for (const flag of globalFlags[1]!) this.#flags.add(flag);
      this.#verbose ||= this.#flags.has('x');
      return this.#skip(globalFlags[0].length);
    }
    const backreference = /^\(\?P=(\w+)\)/.exec(rest);
    if (backreference)
      return this.#only('javascript', 'a backreference', backreference[0].length, `\\k<${backreference[1]}>`);
    const named = /^\(\?P<(\w+)>/.exec(rest);
    if (named) return this.#enter(named[0].length, this.#dialect === 're2' ? named[0] : `(?<${named[1]}>`);
    const look = /^\(\?<?[=!]/.exec(rest);
    if (look) {
      this.#groups.push(false);
      return this.#only('javascript', 'a lookaround', look[0].length, look[0]);
    }
    const scoped = /^\(\?([aiLmsux]*)(?:-([imsx]+))?:/.exec(rest);
    if (scoped) return this.#enter(scoped[0].length, scopedFlags(scoped[1] ?? '', scoped[2] ?? ''));
    if (rest.startsWith('(?'))
      throw new UntranslatablePattern(`the group ${rest.slice(0, 4)}… is not supported`, true);
    return this.#enter(1, '(');
  }

  #enter(length: number, written: string): string {
    this.#groups.push(false);
    this.#lastHasLoop = false;
    return this.#skip(length) + written;
  }

  #only(dialect: Dialect, what: string, length: number, written: string): string {
    if (this.#dialect !== dialect) throw new UntranslatablePattern(`${what} needs a backtracking engine`);
    return this.#skip(length) + written;
  }

  #close(): string {
    const hasLoop = this.#groups.pop();
    if (hasLoop === undefined) throw new UntranslatablePattern('a bracket closes nothing', true);
    this.#lastHasLoop = hasLoop;
    if (hasLoop) this.#noteLoop();
    return `${this.#skip(1)})`;
  }

  #noteLoop(): void {
    if (this.#groups.length > 0) this.#groups[this.#groups.length - 1] = true;
  }

  #quantifier(char: string): string {
    const counted = /^\{(\d*)(,?)(\d*)\}/.exec(this.#source.slice(this.#at, this.#at + 40));
    if (char === '{' && (!counted || (counted[1] === '' && counted[2] === ''))) return `${this.#skip(1)}\\{`;
    const written = char === '{' ? `{${counted![1] || '0'}${counted![2]}${counted![3]}}` : char;
    this.#at += char === '{' ? counted![0].length : 1;
    const unlimited =
      char === '*' || char === '+' || (char === '{' && counted![2] !== '' && counted![3] === '');
    const large = char === '{' && Number(counted![3] || counted![1]) > 20;
    if (unlimited || large) {
      this.#unbounded++;
      if (this.#lastHasLoop) this.#nested = true;
      this.#noteLoop();
    }
    if (this.#source[this.#at] === '+')
      throw new UntranslatablePattern('a possessive quantifier is not supported', true);
    if (this.#source[this.#at] !== '?') return written;
    this.#at++;
    return `${written}?`;
  }

  #escape(): string {
    const char = this.#source[this.#at + 1];
    if (char === undefined) throw new UntranslatablePattern('a backslash ends the pattern', true);
    if (/[1-9]/.test(char)) return this.#only('javascript', 'a backreference', 2, `\\${char}`);
    const code = this.#codePoint();
    if (code !== undefined) return this.#literal(code);
    this.#at += 2;
    const space = SPACE[this.#dialect];
    switch (char) {
      case 'd':
        return DIGIT;
      case 'D':
        return '\\P{Nd}';
      case 'w':
        return `[${WORD}]`;
      case 'W':
        return `[^${WORD}]`;
      case 's':
        return `[${space}]`;
      case 'S':
        return `[^${space}]`;
      case 'Z':
        return this.#dialect === 're2' ? '\\z' : '(?![\\s\\S])';
      case 'A':
        return this.#dialect === 're2' ? '\\A' : '(?<![\\s\\S])';
      case 'b':
      case 'B':
        return `\\${char}`;
    }
    return plainEscape(char);
  }

  /** `\x41`, `\u0041`, `\U00000041` and `\0`. */
  #codePoint(): number | undefined {
    const found = /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|0([0-7]{0,2}))/.exec(
      this.#source.slice(this.#at, this.#at + 10),
    );
    if (!found) return undefined;
    this.#at += found[0].length;
    return found[4] === undefined
      ? Number.parseInt(found[1] ?? found[2] ?? found[3]!, 16)
      : Number.parseInt(found[4] || '0', 8);
  }

  #literal(code: number): string {
    return this.#dialect === 're2' ? `\\x{${code.toString(16)}}` : `\\u{${code.toString(16)}}`;
  }

  #charClass(): string {
    const end = classEnd(this.#source, this.#at);
    if (end >= this.#source.length) throw new UntranslatablePattern('a character class is not closed', true);
    const negated = this.#source[this.#at + 1] === '^';
    this.#at += negated ? 2 : 1;
    const notWord = this.#notWordClass(end, negated);
    if (notWord !== undefined) return notWord;
    let members = '';
    while (this.#at < end) members += this.#member();
    this.#at = end + 1;
    return `[${negated ? '^' : ''}${members}]`;
  }

  #member(): string {
    const char = this.#source[this.#at]!;
    if (char !== '\\') {
      this.#at++;
      return '[]^'.includes(char) ? `\\${char}` : char;
    }
    const code = this.#codePoint();
    if (code !== undefined) return this.#literal(code);
    const next = this.#source[this.#at + 1]!;
    this.#at += 2;
    if (next === 'd') return DIGIT;
    if (next === 'D') return '\\P{Nd}';
    if (next === 'w') return WORD;
    if (next === 's') return SPACE[this.#dialect];
    if (next === 'S' || next === 'W')
      throw new UntranslatablePattern(`\\${next} in a character class is not supported`, true);
    if (next === 'b') return '\\x08';
    return next === '-' ? '\\-' : plainEscape(next);
  }

  /** Letters are often written `[^\W\d_]`, and anything `[\s\S]`. */
  #notWordClass(end: number, negated: boolean): string | undefined {
    const members = this.#source.slice(this.#at, end);
    const complement = /^(?:\\s\\S|\\S\\s|\\d\\D|\\D\\d|\\w\\W|\\W\\w)$/.test(members);
    if (complement && !negated) {
      this.#at = end + 1;
      return this.#dialect === 're2' ? '(?s:.)' : '[\\s\\S]';
    }
    if (!/\\[WS]/.test(members)) return undefined;
    const wordLess = /^(?:\\W|\\d|_)+$/.test(members);
    if (members === '\\S' || members === '\\W' || wordLess) {
      this.#at = end + 1;
      if (members === '\\S') return `[${negated ? '' : '^'}${SPACE[this.#dialect]}]`;
      if (members === '\\W') return `[${negated ? '' : '^'}${WORD}]`;
      if (negated)
        return `[\\p{L}\\p{Nl}\\p{No}${members.includes('\\d') ? '' : DIGIT}${members.includes('_') ? '' : '_'}]`;
    }
    return negated ? undefined : this.#union(end, members);
  }

  /** `[a\W]` is "a or no word character". */
  #union(end: number, members: string): string {
    const parts = ['W', 'S']
      .filter((letter) => members.includes(`\\${letter}`))
      .map((letter) => `[^${letter === 'W' ? WORD : SPACE[this.#dialect]}]`);
    const others = members.replace(/\\[WS]/g, '');
    this.#at = end + 1;
    if (others === '') return `(?:${parts.join('|')})`;
    const rest = new Translator(`[${others}]`, this.#dialect).run().body;
    return `(?:${rest}|${parts.join('|')})`;
  }
}

function scopedFlags(on: string, off: string): string {
  const keep = (flags: string): string => [...flags].filter((flag) => 'ims'.includes(flag)).join('');
  if (on.includes('x')) throw new UntranslatablePattern('verbose mode in a group is not supported', true);
  const [set, unset] = [keep(on), keep(off)];
  return `(?${set}${unset === '' ? '' : `-${unset}`}:`;
}

const CONTROL: Record<string, string> = { a: '\\x07', f: '\\f', n: '\\n', r: '\\r', t: '\\t', v: '\\x0b' };

function plainEscape(char: string): string {
  if (Object.hasOwn(CONTROL, char)) return CONTROL[char]!;
  if (/[A-Za-z]/.test(char)) throw new UntranslatablePattern(`\\${char} is no escape`, true);
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}
