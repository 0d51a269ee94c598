/**
 * The meaning of a `matching` pattern (specification 4.1, rule 5, and what it leaves open): it must cover one whole text
 * value of a record, at any depth, never a key or a number. `%` stands for any characters, `_` for any one, nothing else
 * is special. Letters match without regard to case, by Unicode's simple case folding. The empty pattern matches nothing.
 */

/** A pattern, ready for use. */
export type Pattern = {
  /** Whether it can match anything at all. */
  readonly matchable: boolean;
  /** Whether every text matches (`%`), and thereby every record, since its pid is a text. */
  readonly everything: boolean;
  /** Runs of plain characters, which every matching value holds, regardless of case. */
  readonly runs: readonly string[];
  /** Whether one text value matches. */
  matchesValue(value: string): boolean;
  /** Whether any text value of a record matches; takes any JSON text of it. */
  matchesRecord(json: string): boolean;
};

/** Compiles a pattern. */
export function compilePattern(source: string): Pattern {
  const pieces = source.split(/%+/);
  const everything = source !== '' && pieces.every((piece) => piece === '');
  const runs = pieces.flatMap((piece) => piece.split('_')).filter((run) => run !== '');
  const matchesValue = source === '' ? () => false : everything ? () => true : pieceMatcher(pieces);
  // What JSON never escapes can be looked for in the text before it is parsed.
  const probes = runs
    .filter((run) => !/[\\"\p{Cc}\p{Cs}]/u.test(run))
    .map((run) => new RegExp(literal(run), 'iu'));
  return {
    matchable: source !== '',
    everything,
    runs,
    matchesValue,
    matchesRecord: (json) => {
      if (source === '') return false;
      if (!json.includes('\\u') && !probes.every((probe) => probe.test(json))) return false;
      return someText(JSON.parse(json), matchesValue);
    },
  };
}

/**
 * Matches the pieces between `%` one after the other, each at the first place where it fits. That is exact, since
 * each piece has a fixed number of characters, and it takes no more than one pass per piece, whatever the pattern.
 */
function pieceMatcher(pieces: readonly string[]): (value: string) => boolean {
  const sources = pieces.map((piece) => piece.split('_').map(literal).join('[^]'));
  if (sources.length === 1) {
    const whole = new RegExp(`^${sources[0]}$`, 'iu');
    return (value) => whole.test(value);
  }
  const first = new RegExp(`^${sources[0]}`, 'iu');
  const last = new RegExp(`${sources[sources.length - 1]}$`, 'giu');
  const middle = sources
    .slice(1, -1)
    .filter((source) => source !== '')
    .map((source) => new RegExp(source, 'giu'));
  return (value) => {
    const start = first.exec(value);
    if (!start) return false;
    let position = start[0].length;
    for (const piece of [...middle, last]) {
      piece.lastIndex = position;
      if (!piece.test(value)) return false;
      position = piece.lastIndex;
    }
    return true;
  };
}

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

function someText(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => someText(inner, test));
}

/** All text values of a record, at any depth. */
export function textValues(json: string): string[] {
  const texts: string[] = [];
  someText(JSON.parse(json), (text) => {
    texts.push(text);
    return false;
  });
  return texts;
}

/**
 * Brings together what differs in case only. It brings together more than a pattern does (`ß` and `ss`), never less,
 * and character by character, so that a part of a text folds to a part of the folded text. Fit for an index that
 * yields candidates.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase();
}
