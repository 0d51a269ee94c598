/** Characters and character classes of Python regular expressions, for RE2 and for JavaScript. */

export type Dialect = 're2' | 'javascript';

/**
 * Why a pattern cannot be written in a dialect: it needs a backtracking engine, it has what neither dialect can express,
 * or that are not regular expressions.
 */
type Obstacle = 'backtracking' | 'unsupported' | 'malformed';

/** A pattern that the dialect cannot express. */
export class UntranslatablePattern extends Error {
  readonly obstacle: Obstacle;

  constructor(message: string, obstacle: Obstacle) {
    super(message);
    this.name = 'UntranslatablePattern';
    this.obstacle = obstacle;
  }
}

export const WORD = '\\p{L}\\p{N}_';
export const SPACE = {
  re2: '\\t-\\r\\x1c-\\x1f \\x{85}\\p{Z}',
  javascript: '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000',
};
export const DIGIT = '\\p{Nd}';

/** `\x41`, `\u0041`, `\U00000041` and `\0` at the start of a string. */
export const CODE_POINT = /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|0([0-7]{0,2}))/;

/** Writes the matches of {@link CODE_POINT} in the dialect. */
export function literalCharacter(found: RegExpExecArray, dialect: Dialect): string {
  const [, two, four, eight, octal] = found;
  const code =
    octal === undefined ? Number.parseInt((two ?? four ?? eight)!, 16) : Number.parseInt(octal || '0', 8);
  return dialect === 're2' ? `\\x{${code.toString(16)}}` : `\\u{${code.toString(16)}}`;
}

const CONTROL: Record<string, string> = { a: '\\x07', f: '\\f', n: '\\n', r: '\\r', t: '\\t', v: '\\x0b' };

/** An escaped character that is literal or a control character. */
export function plainEscape(char: string): string {
  if (Object.hasOwn(CONTROL, char)) return CONTROL[char]!;
  // The names of characters (`\N{DIGIT ONE}`) are a table of Python's own.
  if (char === 'N') throw new UntranslatablePattern('\\N{…} is not supported', 'unsupported');
  if (/[A-Za-z]/.test(char)) throw new UntranslatablePattern(`\\${char} is not an escape`, 'malformed');
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}

/**
 * A character class, given what is between its brackets.
 *
 * @throws UntranslatablePattern
 */
export function translateClass(members: string, negated: boolean, dialect: Dialect): string {
  if (/^(?:\\s\\S|\\S\\s|\\d\\D|\\D\\d|\\w\\W|\\W\\w)$/.test(members) && !negated)
    return dialect === 're2' ? '(?s:.)' : '[\\s\\S]';
  const complements = /\\[WS]/.test(members.replace(/\\[^WS]/g, ''));
  if (complements) return withComplements(members, negated, dialect);
  let written = '';
  for (let at = 0; at < members.length; ) {
    const code = CODE_POINT.exec(members.slice(at, at + 10));
    if (code) {
      written += literalCharacter(code, dialect);
      at += code[0].length;
    } else if (members[at] === '\\') {
      written += classEscape(members[at + 1]!, dialect);
      at += 2;
    } else {
      written += '[]^'.includes(members[at]!) ? `\\${members[at]}` : members[at];
      at++;
    }
  }
  return `[${negated ? '^' : ''}${written}]`;
}

function classEscape(char: string, dialect: Dialect): string {
  switch (char) {
    case 'd':
      return DIGIT;
    case 'D':
      return '\\P{Nd}';
    case 'w':
      return WORD;
    case 's':
      return SPACE[dialect];
    case 'b':
      return '\\x08';
    case '-':
      return '\\-';
    default:
      return plainEscape(char);
  }
}

/**
 * A class with `\W` or `\S` in it, which neither dialect can write within brackets. Letters are often written
 * `[^\W\d_]`; `[a\W]` is "a, or no word character".
 */
function withComplements(members: string, negated: boolean, dialect: Dialect): string {
  if (members === '\\S') return `[${negated ? '' : '^'}${SPACE[dialect]}]`;
  if (members === '\\W') return `[${negated ? '' : '^'}${WORD}]`;
  if (negated && /^(?:\\W|\\d|_)+$/.test(members))
    return `[\\p{L}\\p{Nl}\\p{No}${members.includes('\\d') ? '' : DIGIT}${members.includes('_') ? '' : '_'}]`;
  if (negated && !members.includes('\\W')) return blanksBut(members.replaceAll('\\S', ''), dialect);
  if (negated)
    throw new UntranslatablePattern(`the character class [^${members}] is not supported`, 'unsupported');
  const parts = ['W', 'S']
    .filter((letter) => members.includes(`\\${letter}`))
    .map((letter) => `[^${letter === 'W' ? WORD : SPACE[dialect]}]`);
  const others = members.replace(/\\[WS]/g, '');
  return `(?:${[...(others === '' ? [] : [translateClass(others, false, dialect)]), ...parts].join('|')})`;
}

/** The code points that Python takes for blanks. */
const BLANKS = [9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 133, 160, 5760, 8232, 8233, 8239, 8287, 12288].concat(
  Array.from({ length: 11 }, (_, i) => 8192 + i),
);

/** `[^\S\n]` is "a blank, but no line break". */
function blanksBut(excluded: string, dialect: Dialect): string {
  const without = new RegExp(translateClass(excluded, false, 'javascript'), 'u');
  const left = BLANKS.filter((code) => !without.test(String.fromCodePoint(code))).map((code) =>
    code.toString(16),
  );
  return `[${left.map((code) => (dialect === 're2' ? `\\x{${code}}` : `\\u{${code}}`)).join('')}]`;
}
