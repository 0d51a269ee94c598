/** An example of what a pattern matches, for people who do not read regular expressions. */

const PART = /\\(.)|\[([^\]^\\]+)\]|([^\\[\](){}|*+?])/y;
const TIMES = /\{(\d+)(?:,\d*)?\}|[+*?]/y;
const DIGITS = '1234567890';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** The characters of a letter behind a backslash; another one stands for itself. */
const CLASSES: Readonly<Record<string, string | undefined>> = { d: DIGITS, w: LETTERS, S: LETTERS };
const SEVERAL = 3;
const MOST = 50;

/**
 * Returns a string that a pattern matches, such as `10.1234/abc` for `^10\.\d{4,9}/\S+$`; undefined if the pattern has
 * alternatives, groups or anything else that makes an example hard to find.
 */
export function exampleOf(pattern: string): string | undefined {
  const source = pattern.replace(/^\^/, '').replace(/\$$/, '');
  let example = '';
  let chosen = '';
  for (let at = 0; at < source.length; ) {
    PART.lastIndex = at;
    const part = PART.exec(source);
    if (!part) return undefined;
    const [, escaped, listed, plain = ''] = part;
    if (escaped !== undefined && /[a-zA-Z0-9]/.test(escaped) && !CLASSES[escaped]) return undefined;
    const characters = escaped ? (CLASSES[escaped] ?? escaped) : listed ? spelled(listed) : plain;
    TIMES.lastIndex = PART.lastIndex;
    const times = TIMES.exec(source);
    at = times ? TIMES.lastIndex : PART.lastIndex;
    const count = !times ? 1 : times[1] ? Number(times[1]) : times[0] === '+' ? SEVERAL : 0;
    // Digits and letters go on where the last group has ended: 1234-5678, not 1234-1234.
    const first = [...chosen].filter((one) => characters.includes(one)).length;
    for (let n = 0; n < Math.min(count, MOST); n++) {
      const character = characters[(first + n) % characters.length] ?? '';
      example += character;
      if (characters.length > 1) chosen += character;
    }
  }
  try {
    return example !== '' && new RegExp(pattern, 'u').test(example) ? example : undefined;
  } catch {
    return undefined;
  }
}

/** The characters of a class such as `0-9X`. */
function spelled(listed: string): string {
  return listed.replace(/(.)-(.)/g, (_, from: string, to: string) => {
    if (from === '0' && to === '9') return DIGITS;
    const codes = Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (_, i) => i);
    return String.fromCharCode(...codes.map((i) => from.charCodeAt(0) + i));
  });
}
