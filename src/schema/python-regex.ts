/**
 * Translates Python regular expressions to RE2 and to JavaScript.
 *
 * The differences that matter: `\d`, `\w` and `\s` are Unicode, `$` also matches before a final line break, `\Z` is the
 * end, and `(?P<name>…)`, `{,n}`, `(?#…)` and verbose mode are spelled or done otherwise.
 */
import {
  CODE_POINT,
  DIGIT,
  type Dialect,
  literal,
  plainEscape,
  SPACE,
  translateClass,
  UntranslatablePattern,
  WORD,
} from './python-char-class.ts';

export type Translation = {
  readonly body: string;
  /** Those of `i`, `m` and `s` that hold for the whole. */
  readonly flags: string;
  /** How many quantifiers without an upper bound there are, and whether one stands within another. */
  readonly unbounded: number;
  readonly nested: boolean;
};

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
    const code = CODE_POINT.exec(this.#source.slice(this.#at, this.#at + 10));
    if (code) return this.#skip(code[0].length) + literal(code, this.#dialect);
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

  #charClass(): string {
    const end = classEnd(this.#source, this.#at);
    if (end >= this.#source.length) throw new UntranslatablePattern('a character class is not closed', true);
    const negated = this.#source[this.#at + 1] === '^';
    const members = this.#source.slice(this.#at + (negated ? 2 : 1), end);
    this.#at = end + 1;
    return translateClass(members, negated, this.#dialect);
  }
}

function scopedFlags(on: string, off: string): string {
  const keep = (flags: string): string => [...flags].filter((flag) => 'ims'.includes(flag)).join('');
  if (on.includes('x')) throw new UntranslatablePattern('verbose mode in a group is not supported', true);
  const [set, unset] = [keep(on), keep(off)];
  return `(?${set}${unset === '' ? '' : `-${unset}`}:`;
}
