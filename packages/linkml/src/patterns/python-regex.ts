/**
 * Translates Python regular expressions to RE2 and to JavaScript.
 *
 * The differences that matter: `\d`, `\w` and `\s` are Unicode, `$` also matches before a final line break, `\Z` is the
 * end, and `(?P<name>…)`, `{,n}`, `(?#…)` and verbose mode are spelled or done otherwise.
 *
 * JavaScript has no atomic groups, but its lookaheads are atomic: `(?>a*)` is "a lookahead that captures `a*`, then what it
 * has captured", and `a*+` is `(?>a*)`. Captures get names (`$1` for the first of the pattern, `$a1` for the first of those),
 * so that references keep their meaning; no name in Python has a `$`.
 */
import {
  CHARACTER,
  EMPTY,
  either,
  inSequence,
  lookahead,
  lookbehind,
  type Paths,
  REFERENCE,
  repeated,
} from './paths.ts';
import {
  CODE_POINT,
  DIGIT,
  type Dialect,
  literalCharacter,
  plainEscape,
  SPACE,
  translateClass,
  UntranslatablePattern,
  WORD,
} from './python-char-class.ts';

type Translation = {
  readonly body: string;
  /** Those of `i`, `m` and `s` that hold for the whole. */
  readonly flags: string;
  /** How a match may go on. */
  readonly paths: Paths;
};

/**
 * @param captures whether groups that nothing refers to keep a name that references would need
 * @throws UntranslatablePattern
 */
export function translate(
  pattern: string,
  dialect: Dialect,
  captures: 'named' | 'plain' = 'named',
): Translation {
  return new Translator(pattern, dialect, captures).run();
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

/** A group that is open. */
type Group = {
  /** Where it starts in what is written. */
  readonly start: number;
  /** The text at its end. */
  readonly end: string;
  /** Whether verbose mode was on before it. */
  readonly verbose: boolean;
  /** Whether a dot was any character before it. */
  readonly dotAll: boolean;
  /** The paths through it, as its surroundings see them. */
  seen(paths: Paths): Paths;
  /** The alternatives of the group around it. */
  readonly outer: Paths[][];
};

/** A lookahead that captures and its captured text: its group never tries them again once it has matched. */
function atomic(paths: Paths): Paths {
  return inSequence([lookahead(paths), REFERENCE]);
}

/** One walk over one pattern; state is the position, what is written, and what is known of the groups that are open. */
class Translator {
  readonly #source: string;
  readonly #dialect: Dialect;
  readonly #plainCaptures: boolean;
  #at = 0;
  #flags = new Set<string>();
  #verbose = false;
  #dotAll = false;
  #body = '';
  readonly #groups: Group[] = [];
  /** The names of the groups that capture, in their order. */
  readonly #captures: string[] = [];
  #atomics = 0;
  /** Start of the atom that a quantifier would apply to. */
  #atom = 0;
  /** The alternatives of the group so far, each with its parts. */
  #alternatives: Paths[][] = [[]];

  constructor(source: string, dialect: Dialect, captures: 'named' | 'plain') {
    this.#source = source;
    this.#plainCaptures = dialect === 're2' || captures === 'plain';
    this.#dialect = dialect;
  }

  run(): Translation {
    while (this.#at < this.#source.length) {
      const written = this.#next();
      this.#body += written;
    }
    if (this.#groups.length > 0) throw new UntranslatablePattern('a group is not closed', 'malformed');
    const flags = [...this.#flags].filter((flag) => 'ims'.includes(flag)).join('');
    return { body: this.#body, flags, paths: this.#paths() };
  }

  #paths(): Paths {
    return either(this.#alternatives.map(inSequence));
  }

  /** Adds a part to the sequence. */
  #add(part: Paths): void {
    this.#alternatives.at(-1)!.push(part);
  }

  /** Changes the last part. */
  #change(into: (part: Paths) => Paths): void {
    this.#add(into(this.#alternatives.at(-1)!.pop() ?? EMPTY));
  }

  #next(): string {
    const char = this.#source[this.#at]!;
    if (this.#verbose && /\s/.test(char)) return this.#skip(1);
    if (this.#verbose && char === '#') return this.#skip(this.#restOfLine());
    if (char === '(') return this.#open();
    if (char === ')') return this.#close();
    if ('*+?{'.includes(char)) return this.#quantifier(char);
    this.#atom = this.#body.length;
    if (char === '\\') return this.#escape();
    if (char === '[') return this.#charClass();
    this.#at++;
    if (char === '|') this.#alternatives.push([]);
    else this.#add('^$'.includes(char) ? EMPTY : CHARACTER);
    if (char === '$') return this.#flags.has('m') ? '$' : this.#end();
    // A dot of JavaScript is not a carriage return either, nor two other ends of lines.
    if (char === '.' && this.#dialect === 'javascript' && !this.#dotAll) return '[^\\n]';
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
      this.#dotAll ||= this.#flags.has('s');
      return this.#skip(globalFlags[0].length);
    }
    const backreference = /^\(\?P=(\w+)\)/.exec(rest);
    if (backreference) return this.#reference(backreference[0].length, backreference[1]!);
    const named = /^\(\?P<(\w+)>/u.exec(rest);
    if (named) return this.#capture(named[0], named[1]!);
    const look = /^\(\?<?[=!]/.exec(rest);
    if (look) {
      const seen = look[0].includes('<') ? lookbehind : lookahead;
      return this.#onlyBacktracking('a lookaround', 0, this.#enter(look[0].length, look[0], ')', seen));
    }
    if (rest.startsWith('(?>')) {
      const [start, end] = this.#atomic('an atomic group');
      return this.#enter(3, start, end, atomic);
    }
    const scoped = /^\(\?([aiLmsux]*)(?:-([imsx]+))?:/.exec(rest);
    if (scoped) {
      const [, on = '', off = ''] = scoped;
      const written = this.#enter(scoped[0].length, scopedFlags(on, off));
      this.#verbose = (this.#verbose || on.includes('x')) && !off.includes('x');
      this.#dotAll = (this.#dotAll || on.includes('s')) && !off.includes('s');
      return written;
    }
    if (rest.startsWith('(?'))
      throw new UntranslatablePattern(
        `the group ${rest.slice(0, 4)}… is not supported`,
        isConditional(rest) ? 'unsupported' : 'malformed',
      );
    return this.#capture('(', `$${this.#captures.length + 1}`);
  }

  #capture(opening: string, name: string): string {
    this.#captures.push(name);
    return this.#enter(opening.length, this.#plainCaptures ? '(' : `(?<${name}>`);
  }

  #enter(length: number, written: string, end = ')', seen = (paths: Paths) => paths): string {
    const outer = this.#alternatives;
    const [verbose, dotAll] = [this.#verbose, this.#dotAll];
    this.#groups.push({ start: this.#body.length, end, verbose, dotAll, seen, outer });
    this.#alternatives = [[]];
    return this.#skip(length) + written;
  }

  /** Wraps a part that never backtracks once it has matched. */
  #atomic(what: string): readonly [start: string, end: string] {
    const name = `$a${++this.#atomics}`;
    return [this.#onlyBacktracking(what, 0, `(?=(?<${name}>`), `))\\k<${name}>`];
  }

  #onlyBacktracking(what: string, length: number, written: string): string {
    if (this.#dialect !== 'javascript')
      throw new UntranslatablePattern(`${what} needs a backtracking engine`, 'backtracking');
    return this.#skip(length) + written;
  }

  #close(): string {
    const group = this.#groups.pop();
    if (!group) throw new UntranslatablePattern('a closing parenthesis has no opening one', 'malformed');
    this.#atom = group.start;
    this.#verbose = group.verbose;
    this.#dotAll = group.dotAll;
    const paths = group.seen(this.#paths());
    this.#alternatives = group.outer;
    this.#add(paths);
    return this.#skip(1) + group.end;
  }

  #quantifier(char: string): string {
    const counted = /^\{(\d*)(,?)(\d*)\}/.exec(this.#source.slice(this.#at, this.#at + 40));
    if (char === '{' && (!counted || (counted[1] === '' && counted[2] === ''))) {
      this.#add(CHARACTER);
      return `${this.#skip(1)}\\{`;
    }
    const written = char === '{' ? `{${counted![1] || '0'}${counted![2]}${counted![3]}}` : char;
    this.#at += char === '{' ? counted![0].length : 1;
    const [least, most] = LOOPS[char] ?? bounds(counted![1]!, counted![2] === ',', counted![3]!);
    this.#change((part) => repeated(part, least, most));
    if (this.#source[this.#at] === '+') return this.#skip(1) + this.#possessive(written);
    if (this.#source[this.#at] !== '?') return written;
    this.#at++;
    return `${written}?`;
  }

  /** Puts what the quantifier applies to in an atomic group with it. */
  #possessive(quantifier: string): string {
    const [start, end] = this.#atomic('a possessive quantifier');
    const atom = this.#body.slice(this.#atom);
    this.#body = this.#body.slice(0, this.#atom);
    this.#change(atomic);
    return start + atom + quantifier + end;
  }

  #escape(): string {
    const char = this.#source[this.#at + 1];
    if (char === undefined) throw new UntranslatablePattern('the pattern ends with a backslash', 'malformed');
    const reference = /^\\([1-9]\d?)/.exec(this.#source.slice(this.#at, this.#at + 3));
    if (reference) return this.#numberedReference(reference[0].length, Number(reference[1]));
    this.#add('ZAbB'.includes(char) ? EMPTY : CHARACTER);
    const code = CODE_POINT.exec(this.#source.slice(this.#at, this.#at + 10));
    if (code) return this.#skip(code[0].length) + literalCharacter(code, this.#dialect);
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

  #numberedReference(length: number, number: number): string {
    const name = this.#captures[number - 1];
    if (name === undefined)
      throw new UntranslatablePattern(`refers to group ${number}, which does not exist`, 'malformed');
    return this.#reference(length, name);
  }

  #reference(length: number, name: string): string {
    this.#add(REFERENCE);
    return this.#onlyBacktracking('a backreference', length, `\\k<${name}>`);
  }

  #charClass(): string {
    const end = classEnd(this.#source, this.#at);
    if (end >= this.#source.length)
      throw new UntranslatablePattern('a character class is not closed', 'malformed');
    const negated = this.#source[this.#at + 1] === '^';
    const members = this.#source.slice(this.#at + (negated ? 2 : 1), end);
    this.#at = end + 1;
    const written = translateClass(members, negated, this.#dialect);
    // Some classes are written as alternatives, which may match the same character.
    this.#add(either(written.split('|[').map(() => CHARACTER)));
    return written;
  }
}

const LOOPS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  '?': [0, 1],
  '*': [0, Infinity],
  '+': [1, Infinity],
};

function bounds(least: string, isRange: boolean, most: string): readonly [least: number, most: number] {
  return [Number(least), isRange ? Number(most || Infinity) : Number(least)];
}

/** `(?(name)yes|no)`, which Python has and neither dialect. */
function isConditional(text: string): boolean {
  return /^\(\?\(\w+\)/u.test(text);
}

function scopedFlags(on: string, off: string): string {
  const keep = (flags: string): string => [...flags].filter((flag) => 'ims'.includes(flag)).join('');
  const [set, unset] = [keep(on), keep(off)];
  return `(?${set}${unset === '' ? '' : `-${unset}`}:`;
}
