/**
 * Words as the index of words has them. The databases get tokens and never split, fold or stem by themselves, so a word is the
 * same on both.
 *
 * A word is a run of letters and digits, folded (see `folding.ts`); everything else separates. Scripts without spaces have one
 * token for each character, so a word of them is a phrase; and so is `500Hz`, as if it were `500 Hz`. Some words have other *forms*, by
 * which they are found as well: `Zürich` has `zuerich`, `O’Hara` has `ohara`, `C++` has `c++`, `COVID-19` has `covid19`, and the number
 * of a book with hyphens has that without.
 */
import { fold, scalarsIn } from '#linkml/folding.ts';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { withoutType } from '../schema-type.ts';
import { type Language, stemOf } from './search/stemmers.ts';

/** Characters that look like an apostrophe, a quote or a hyphen, and those that are not shown at all. */
const APOSTROPHES =
  /[\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u055a\u05f3\u2018-\u201b\u2032\u2035\ua78b\ua78c\uff07`\u00b4]/gu;
const QUOTES =
  /[\u00ab\u00bb\u02ba\u02dd\u02ee\u05f4\u201c-\u201f\u2033\u2036\u2039\u203a\u300c-\u300f\u301d-\u301f\uff02]/gu;
const HYPHENS = /[\u05be\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\u30fb\ufe58\ufe63\uff0d]/gu;
/** Also the sign that makes Arabic words longer. */
const IGNORABLE = /[\u0640\p{Default_Ignorable_Code_Point}]/gu;
const DIGITS = /\p{Nd}/gu;

/** Replaces look-alikes, each by one character, so positions stay. */
export function plainSigns(text: string): string {
  if (!NOT_ASCII.test(text)) return text.replaceAll('`', "'");
  return text.replace(APOSTROPHES, "'").replace(QUOTES, '"').replace(HYPHENS, '-');
}

const NOT_ASCII = /[^\0-\x7f]/;
const RUN = /[\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}]+/gu;
const FOLDED = /[\p{L}\p{N}]+/gu;
/** A number with a short word behind it, mostly a unit. Identifiers have more digits. */
const WITH_UNIT = /^\d{1,6}(?=\p{L}{1,3}$)/u;
/** Mostly typed as `um`. */
const MICRO_UNIT = /^(\d*)[\u00b5\u03bc](?=[a-z]{1,2}$)/i;
/** The words of lower ASCII. */
const ASCII_TOKEN = /\d{1,6}(?=[a-z]{1,3}(?![a-z0-9]))|[a-z0-9]+/g;
/** Scripts that are written without spaces. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const PIECES =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu;
/** Longer words are cut, and found as the phrase of their parts: PostgreSQL refuses long ones. In characters. */
const LONGEST = 100;
const PARTS = new RegExp(`.{1,${LONGEST}}`, 'gsu');

/** Runs of a string that words are made of, with their positions. */
type Run = { readonly text: string; readonly start: number };

function runsIn(text: string): Run[] {
  return [...plainSigns(text).matchAll(RUN)].map(({ 0: run, index }) => ({ text: run, start: index }));
}

/** The tokens of a run: mostly one. */
function tokensOfRun(run: string): string[] {
  if (!NOT_ASCII.test(run) && run.length <= LONGEST) return withoutUnit(run.toLowerCase());
  const tokens: string[] = [];
  const plain = run.replace(IGNORABLE, '').replace(MICRO_UNIT, '$1u');
  for (const [part] of fold(plain).replace(DIGITS, asciiDigit).matchAll(FOLDED)) {
    const pieces = UNSPACED.test(part) ? part.match(PIECES)! : [part];
    for (const piece of pieces)
      tokens.push(...(piece.length > LONGEST ? piece.match(PARTS)! : withoutUnit(piece)));
  }
  return tokens;
}

/** The number of a folded word and its unit, else the word. */
function withoutUnit(word: string): string[] {
  const [number] = WITH_UNIT.exec(word) ?? [];
  return number === undefined ? [word] : [number, word.slice(number.length)];
}

/** The digit of any script: ten of one follow each other, from the last hexadecimal digit 0 or 6 on. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  const place = code & 0xf;
  return String(/\p{Nd}/u.test(String.fromCodePoint(code - place)) ? place : place - 6);
}

/** The tokens of a string. */
export function tokensIn(text: string): string[] {
  // Most strings are ASCII.
  if (!NOT_ASCII.test(text)) {
    const tokens = text.toLowerCase().match(ASCII_TOKEN) ?? [];
    return tokens.some(({ length }) => length > LONGEST) ? tokens.flatMap(tokensOfRun) : tokens;
  }
  return runsIn(text).flatMap(({ text: run }) => tokensOfRun(run));
}

/** Letters that are also written as two. */
const AS_TWO: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ø: 'oe',
  å: 'aa',
  Ä: 'ae',
  Ö: 'oe',
  Ü: 'ue',
  Ø: 'oe',
  Å: 'aa',
};
const WRITTEN_AS_TWO = /[äöüøåÄÖÜØÅ]/g;
const GREEK: Readonly<Record<string, string>> = {
  ...{
    α: 'alpha',
    β: 'beta',
    γ: 'gamma',
    δ: 'delta',
    ε: 'epsilon',
    ζ: 'zeta',
    η: 'eta',
    θ: 'theta',
    ι: 'iota',
  },
  ...{ κ: 'kappa', λ: 'lambda', μ: 'mu', ν: 'nu', ξ: 'xi', ο: 'omicron', π: 'pi', ρ: 'rho', σ: 'sigma' },
  ...{ τ: 'tau', υ: 'upsilon', φ: 'phi', χ: 'chi', ψ: 'psi', ω: 'omega' },
};
/** The only Greek letter of a word. */
const GREEK_LETTER = /(?<=^\P{sc=Greek}*)[\p{sc=Greek}\u00b5](?=\P{sc=Greek}*$)/u;
/** The names of programming languages and the like: a word of letters and digits with its signs. */
const SIGNED =
  /(?<![\p{L}\p{N}])(\p{L}[\p{L}\p{N}]{0,19}(?:\+\+|#))(?![\p{L}\p{N}+#])|(?<=^|[\s("'])(\.\p{L}[\p{L}\p{N}]{0,19})(?![\p{L}\p{N}])/gu;
/** Identifiers of digits in groups, such as an ISBN or an ORCID iD. Dates are shorter. */
const GROUPED = /(?<![\p{L}\p{N}-])\d+(?:-\d+)+(?:-?[xX])?(?![\p{L}\p{N}-])/gu;
const SHORTEST_GROUPED = 10;
/** Words with hyphens, which others write as one; not in identifiers and file names, nor times. */
const HYPHENATED =
  /(?<![\p{L}\p{M}\p{N}:/.@_-])(?!\d{4}-\d\d)(?=[\p{N}-]*\p{L})[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)+(?![\p{L}\p{M}\p{N}-])/gu;
const WITH_APOSTROPHE = /[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)+|\p{sc=Hebrew}+"\p{sc=Hebrew}+/gu;

/** The stems of words of a string that differ from them, folded. */
export function stemsIn(text: string, language: Language | undefined): string[] {
  if (language === undefined) return [];
  const plain = plainSigns(text.replace(IGNORABLE, ''));
  return [...plain.matchAll(RUN)].flatMap(([run]) => {
    const tokens = tokensOfRun(run);
    const stem = tokens.length === 1 ? tokensOfRun(stemOf(run, language)) : [];
    return stem.length === 1 && stem[0] !== tokens[0] ? stem : [];
  });
}

/** Other forms of words of a string, folded: those with signs, without apostrophes and hyphens, and with two letters for one. */
export function formsIn(text: string): string[] {
  if (!/[+#.'`]|[a-z\d]-[a-z\d]|[^\0-\x7f]/i.test(text)) return [];
  const plain = plainSigns(text.normalize('NFC').replace(IGNORABLE, ''));
  const forms = [...signedIn(plain), ...joinedIn(plain).map(({ token }) => token)];
  for (const [run] of plain.matchAll(RUN)) forms.push(...otherSpellings(run).flatMap(tokensOfRun));
  return forms;
}

/** A word with two letters for one, or with the name of a Greek letter, if that differs. */
function otherSpellings(word: string): string[] {
  const whole = word.normalize('NFC');
  return [
    whole.replace(WRITTEN_AS_TWO, (letter) => AS_TWO[letter]!),
    whole.replace(GREEK_LETTER, (letter) => GREEK[fold(letter)] ?? letter),
  ].filter((one) => one !== whole);
}

/** The words with signs of a string, folded. */
export function signedIn(plain: string): string[] {
  return /[+#.]/.test(plain) ? [...plain.matchAll(SIGNED)].map(([word]) => fold(word)) : [];
}

/** What others write as one word, as that. */
function joinedIn(plain: string): PlacedToken[] {
  if (!/['"-]/.test(plain)) return [];
  return [GROUPED, HYPHENATED, WITH_APOSTROPHE].flatMap((pattern) =>
    [...plain.matchAll(pattern)].flatMap(({ 0: found, index: start }) => {
      const joined = found.replace(/['"-]/g, '');
      if (pattern === GROUPED && joined.length < SHORTEST_GROUPED) return [];
      return [joined, ...otherSpellings(joined)].flatMap((one) => {
        const [token, ...others] = tokensOfRun(one);
        // A number and its unit are the same words as with the hyphen.
        return token === undefined || others.length > 0 ? [] : [{ token, start, end: start + found.length }];
      });
    }),
  );
}

/** Words of what may be a name, which begin with a capital letter or are such as `de`, and characters of it. */
const LONGEST_NAME = { words: 6, characters: 80 };

/** The initials of a name, and two that follow each other: `j.`, `l.` and `j.l.` of Jean-Luc, and of JL. */
function initialsIn(plain: string): PlacedToken[] {
  if (plain.length > LONGEST_NAME.characters || /\p{N}/u.test(plain)) return [];
  const runs = [...plain.matchAll(RUN)];
  if (runs.length > LONGEST_NAME.words) return [];
  const initials: PlacedToken[] = [];
  let before: PlacedToken | undefined;
  for (const { 0: run, index: start } of runs) {
    const capitals = capitalsOf(run);
    if (capitals.length === 0) before = undefined;
    for (const capital of capitals) {
      const one = { token: initialOf(capital), start, end: start + run.length };
      initials.push(one);
      if (before) initials.push({ ...one, token: before.token + one.token, start: before.start });
      before = one;
    }
  }
  return initials;
}

/** The first letter of a word if that is a capital, and all of `JL` and `JLM`. */
function capitalsOf(word: string): readonly string[] {
  return /^\p{Lu}{2,3}$/u.test(word) ? [...word] : (word.match(/^\p{Lu}/u) ?? []);
}

function initialFormsIn(text: string): string[] {
  if (text.length > LONGEST_NAME.characters) return [];
  return initialsIn(plainSigns(text.normalize('NFC'))).map(({ token }) => token);
}

/** The form of a word that its first letter is. */
export function initialOf(capital: string): string {
  return `${fold(capital)}.`;
}

/** A token, or another form of words, with its range in a string. */
type PlacedToken = { readonly token: string; readonly start: number; readonly end: number };

/** The tokens of a string in their order, then other forms of them. */
export function placedTokens(
  text: string,
  language?: Language,
): (PlacedToken & { readonly isForm?: boolean })[] {
  const plain = plainSigns(text);
  const forms = [...placedForms(plain, language), ...initialsIn(plain)];
  return [...placedWords(plain), ...forms.map((one) => ({ ...one, isForm: true }))];
}

/** The forms of a whole string: one of a part of it would find what has that part alone. */
export function formsOfWhole(text: string): string[] {
  const plain = plainSigns(text);
  const words = placedWords(plain);
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return [];
  return placedForms(plain).flatMap(({ token, start, end }) =>
    start <= first.start && end >= last.end ? token : [],
  );
}

function placedWords(plain: string): PlacedToken[] {
  return [...plain.matchAll(RUN)].flatMap(({ 0: run, index: start }) => {
    const tokens = tokensOfRun(run);
    const letters = [...run];
    // Scripts without spaces have a token for each character.
    const isSplit = tokens.length > 1 && tokens.length === letters.length;
    let at = start;
    return tokens.map((token, number) => {
      const end = isSplit ? at + letters[number]!.length : start + run.length;
      const placed = { token, start: isSplit ? at : start, end };
      if (isSplit) at = end;
      return placed;
    });
  });
}

/** Other forms and stems of the words of a string. */
function placedForms(plain: string, language?: Language): PlacedToken[] {
  const ofRuns = [...plain.matchAll(RUN)].flatMap(({ 0: run, index: start }) =>
    [...formsIn(run), ...stemsIn(run, language)].map((token) => ({ token, start, end: start + run.length })),
  );
  const signed = [...plain.matchAll(SIGNED)].map(({ 0: found, index: start }) => ({
    ...{ token: fold(found), start, end: start + found.length },
  }));
  return [...ofRuns, ...signed, ...joinedIn(plain)];
}

/** The tokens of a record, value by value. */
export type RecordWords = {
  /** Of its title and its identifiers, which weigh more; each of their other forms and stems is a value, too. */
  readonly head: readonly (readonly string[])[];
  readonly body: readonly (readonly string[])[];
  /** Other forms and stems of its other words, each once. */
  readonly forms: readonly string[];
};

/** How records of a collection are indexed: plain data, for the thread that writes. */
export type WordOptions = {
  /** The slots of titles and identifiers, by class. */
  readonly heads: Readonly<Record<string, readonly string[]>>;
  /** Words are found by other words with the same stem in the language. */
  readonly language?: Language | undefined;
};

export function wordsOf(json: string, className: string, { heads, language }: WordOptions): RecordWords {
  const { pid, ...others } = withoutType(parseJson(json) as JsonObject);
  const slots = Object.hasOwn(heads, className) ? heads[className]! : [];
  const inHead = pid === undefined ? [] : scalarsIn(pid);
  const inBody: string[] = [];
  for (const [slot, value] of Object.entries(others))
    (slots.includes(slot) ? inHead : inBody).push(...scalarsIn(value));
  const formsOf = (texts: readonly string[]) =>
    new Set(texts.flatMap((text) => [...formsIn(text), ...initialFormsIn(text), ...stemsIn(text, language)]));
  const ofHead = formsOf(inHead);
  return {
    head: [...inHead.map(tokensIn), ...[...ofHead].map((form) => [form])],
    body: inBody.map(tokensIn),
    forms: [...formsOf(inBody).difference(ofHead)],
  };
}
