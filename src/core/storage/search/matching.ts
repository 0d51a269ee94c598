/**
 * The meaning of a `matching` pattern (specification 4.1, rule 5, and what it leaves open): it must cover one whole text
 * value of a record, at any depth, never a key or a number. `%` stands for any characters, `_` for any one, nothing else
 * is special. Letters match without regard to case, by Unicode's simple case folding. The empty pattern matches nothing.
 */
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors.ts';
import { MEMORY } from '../../memory-bounds.ts';
import { compilePiece } from './matching-piece.ts';

/** A pattern, ready for use. */
export type Pattern = {
  /** Whether it can match anything at all. */
  readonly matchable: boolean;
  /** Whether every text matches (`%`), and thereby every record, since its pid is a string. */
  readonly everything: boolean;
  /** Runs of plain characters, which every matching value holds, regardless of case. */
  readonly runs: readonly string[];
  /** Whether one text value matches. */
  matchesValue(value: string): boolean;
  /** Whether any text value of a record matches; takes any JSON text of it. */
  matchesRecord(json: string): boolean;
};

/** The longest pattern, in characters. */
const LONGEST_PATTERN = 1000;
/** Each is searched for in the whole text of a record. */
const MOST_PROBES = 4;

/**
 * Compiles a pattern.
 *
 * @throws ServiceError `parameter_invalid` for a pattern of more than 1,000 characters
 */
export function compileLikePattern(source: string): Pattern {
  let pattern = compiled.get(source);
  if (pattern === undefined) {
    pattern = compile(source);
    compiled.set(source, pattern);
  }
  return pattern;
}

/** Estimates in bytes. */
const BYTES = { pattern: 1000, character: 50 };

/** A request compiles its pattern several times: for each area, to count and to list. */
const compiled = new LRUCache<string, Pattern>({
  maxSize: MEMORY.patterns.bytes,
  sizeCalculation: (_, source) => BYTES.pattern + source.length * BYTES.character,
});

function compile(source: string): Pattern {
  const length = source.length > LONGEST_PATTERN ? [...source].length : source.length;
  if (length > LONGEST_PATTERN) {
    const msg = `expected at most ${LONGEST_PATTERN} characters, found ${length}`;
    throw new ServiceError('parameter_invalid', `matching: ${msg}.`, [
      { type: 'string_too_long', loc: ['query', 'matching'], msg },
    ]);
  }
  const pieces = source.split(/%+/);
  const everything = source !== '' && pieces.every((piece) => piece === '');
  const runs = pieces.flatMap((piece) => piece.split('_')).filter((run) => run !== '');
  const matchesValue = source === '' ? () => false : everything ? () => true : pieceMatcher(pieces);
  // JSON never escapes these, so they can be searched for before it is parsed.
  const probes = [...new Set(runs.filter((run) => !/[\\"\p{Cc}\p{Cs}]/u.test(run)))]
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST_PROBES)
    .map((run) => compilePiece(run));
  return {
    matchable: source !== '',
    everything,
    runs,
    matchesValue,
    matchesRecord: (json) => {
      if (source === '') return false;
      if (!json.includes('\\u') && !probes.every((probe) => probe.endOf(json, 0) >= 0)) return false;
      return someText(JSON.parse(json), matchesValue);
    },
  };
}

/**
 * Matches the pieces between `%` one after the other, each at the first position where it fits. That is exact, since
 * each piece has a fixed number of characters, and it takes no more than one pass, however many pieces there are.
 */
function pieceMatcher(sources: readonly string[]): (value: string) => boolean {
  const pieces = sources.map((run) => compilePiece(run));
  const first = pieces[0]!;
  if (pieces.length === 1) return (value) => first.endAt(value, 0) === value.length;
  const last = pieces[pieces.length - 1]!;
  const middle = pieces.slice(1, -1);
  return (value) => {
    let position = first.endAt(value, 0);
    for (const piece of middle) {
      if (position < 0) return false;
      position = piece.endOf(value, position);
    }
    if (position < 0) return false;
    const start = stepBack(value, last.length);
    return start >= position && last.endAt(value, start) === value.length;
  };
}

/** The index at which the last characters of a string begin; negative if it has fewer. */
function stepBack(text: string, characters: number): number {
  let index = text.length;
  for (let left = characters; left > 0; left--) {
    if (index === 0) return -1;
    index -= index > 1 && text.codePointAt(index - 2)! > 0xffff ? 2 : 1;
  }
  return index;
}

function someText(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => someText(inner, test));
}
