/**
 * What a typed word stands for besides itself: records may have an identifier without what resolves it, a day in another notation, and
 * a name for its initial.
 */
import { initialOf, plainSigns } from '../tokens.ts';

/** Behind `https://orcid.org/`, `ror.org/` or `mailto:`, without the query of a URL. Shorter ones may be words. */
const RESOLVED =
  /^(?:(?:https?:\/\/)?(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}\/|\p{L}[\p{L}\p{N}.-]*:)(?=(?:[^\d?#]*\d){4}|[^@?#]+@)([^?#]{8,})/iu;
const DOI = /\b10\.\d{4,9}\/[^\s?#&"'<>{}|]+/;
const URL_WITHOUT_SCHEME = /^https?:\/\/(?:www\.)?(.+)/i;
/** Without its hyphen. */
const ISSN = /^(\d{4})(\d{3}[\dx])$/i;
/** Of a disease: many records have `Parkinson disease`. */
const POSSESSIVE = /(?<=\p{L})'s(?=[,.;:)]*$)/u;
/** `J.`, `J` or, of two given names, `J.-L.` */
const INITIALS = /^\(?(\p{Lu})(?:[.-]{1,2}(\p{Lu}))?[.,;)]*$/u;
/** `JL`, behind a surname. */
const TWO_INITIALS = /^(\p{Lu})(\p{Lu})[.,;)]*$/u;
const SURNAME = /^\p{Lu}\S*\p{Ll},?$/u;

/** The names of months in English and German, with their numbers. */
const MONTHS = new Map(
  [
    'january jan januar',
    'february feb februar',
    'march mar märz mär',
    'april apr',
    'may mai',
    'june jun juni',
    'july jul juli',
    'august aug',
    'september sep',
    'october oct oktober okt',
    'november nov',
    'december dec dezember dez',
  ].flatMap((names, at) => names.split(' ').map((name) => [name, at + 1] as const)),
);
const MONTH = `(?:${[...MONTHS.keys()].join('|')})`;
const DAY_IN_WORDS = `\\d{1,2}\\.? ${MONTH}\\.?,? \\d{4}|${MONTH}\\.? \\d{1,2},? \\d{4}`;
/** A day with spaces is one word of a query. */
export const SPACED_DAY = `(?:\\d{1,2}\\. ?\\d{1,2}\\. ?\\d{4}|${DAY_IN_WORDS})(?!\\S)`;

/** Strings that a record may have for a word. */
export function readingsOf(word: string): string[] {
  const plain = decoded(word);
  const readings = [
    plain,
    RESOLVED.exec(plain)?.[1],
    DOI.exec(plain)?.[0],
    URL_WITHOUT_SCHEME.exec(plain)?.[1],
    word.replace(ISSN, '$1-$2'),
    word.replace(POSSESSIVE, ''),
    ...daysIn(word),
    ...spacingsOf(word),
  ];
  return [...new Set(readings)].filter((one) => one !== undefined && one !== word) as string[];
}

/** The form of a name that the initials of it have, see `initialsIn`. @param before the word before them */
export function initialsOf(word: string, before: string): string | undefined {
  const [, first, second = ''] =
    INITIALS.exec(word) ?? ((SURNAME.test(before) && TWO_INITIALS.exec(word)) || []);
  return first === undefined ? undefined : initialOf(first) + (second && initialOf(second));
}

/** A word of an identifier: short, or with digits. */
const PIECE = /^(?=.)\p{L}{0,4}(?:\d[\p{L}\d]*)?$/u;
const MOST_PIECES = 4;
/** Of an identifier. Of fewer, with single letters, `p53` would be page 53. */
const FOUR_DIGITS = /(?:\d.*){4}/;

/** How others write an identifier, with spaces: `R01 MH096906` for `R01MH096906`, and `BA 17`. */
function spacingsOf(word: string): string[] {
  const pieces = word.match(/\p{L}+|\d+/gu) ?? [];
  const isOne = pieces.join('') === word && pieces.length <= MOST_PIECES;
  if (!isOne || !(FOUR_DIGITS.test(word) || pieces.every((one) => /^(?:\d+|\p{L}{2,})$/u.test(one))))
    return [];
  return [/(?<=\d)(?=\p{L})/gu, /(?<=\p{L})(?=\d)/gu, /(?<=\d)(?=\p{L})|(?<=\p{L})(?=\d)/gu].map((border) =>
    word.replace(border, ' '),
  );
}

/** More words are mostly text that is pasted. */
const MOST_WORDS_WITH_IDENTIFIER = 10;

/** Words that follow each other and that others may write as one, since they are an identifier: `BA17` for `BA 17`. */
export function identifiersIn(words: readonly string[]): { from: number; to: number; joined: string }[] {
  if (words.length > MOST_WORDS_WITH_IDENTIFIER) return [];
  return words.flatMap((_, from) =>
    [from + 2, from + 3].flatMap((to) => {
      const pieces = words.slice(from, to);
      const joined = pieces.join('');
      const isOne = pieces.length === to - from && pieces.every((one) => PIECE.test(one));
      return isOne && /\d/.test(joined) && /\p{L}/u.test(joined) ? [{ from, to, joined }] : [];
    }),
  );
}

/** Separates words as people do who leave out spaces: `Müller,Jürgen` and `J.Müller`. */
export function withSpaces(query: string): string {
  return query
    .replace(/(?<=\p{L}\.?)[,;](?=\p{L})/gu, ' ')
    .replace(/(?<=(?:^|\s)(?:\p{Lu}\.)+)(?=\p{L}{2})/gu, ' ');
}

/** Words that records may lack for what is looked for, such as titles of people: of `Prof. Müller et al.`, `Müller` is left. */
const SMALL_WORD =
  /^(?:a|al|an|and|by|das|de|der|des|die|dr|et|for|from|frau|für|herr|im|in|mr|mrs|of|on|prof|the|to|und|von|with|zu)$/i;

/** A query without such words; undefined if it has none, or no others. */
export function withoutSmallWords(query: string): string | undefined {
  const words = query.split(/\s+/);
  const left = words.filter((word) => !SMALL_WORD.test(word.replace(/[^\p{L}\p{N}]/gu, '')));
  return left.length < words.length && left.some((word) => /[\p{L}\p{N}]/u.test(word))
    ? left.join(' ')
    : undefined;
}

/** Of a pasted reference, its DOI or, without one, the longest of its parts: mostly the title. */
export function essenceOf(reference: string): string | undefined {
  const [doi] = DOI.exec(decoded(reference)) ?? [];
  if (doi !== undefined) return doi.replace(/[.,;:)\]]+$/, '');
  const parts = plainSigns(reference)
    .split(/[.,:;?!](?=\s|"|$)|["()[\]{}]/)
    .map((part) => part.trim());
  const wordsOf = (part: string) => part.match(/\p{L}{2,}/gu)?.length ?? 0;
  const longest = parts.reduce((best, part) => (wordsOf(part) > wordsOf(best) ? part : best), '');
  return wordsOf(longest) >= FEWEST_WORDS && parts.length > 1 ? longest : undefined;
}

/** Of a title: fewer may be a journal or an author. */
const FEWEST_WORDS = 3;

/** A word of a URL, whose signs may be percent-encoded. */
function decoded(word: string): string {
  if (!/%[0-9a-f]{2}/i.test(word)) return word;
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** The days that a word may be, as in ISO 8601: `3/11/2019` is one of two. */
function daysIn(word: string): string[] {
  const compact = word.replace(/\. /g, '.');
  const [, first = '', sign, second = '', year] = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(compact) ?? [];
  if (year !== undefined)
    return [...day(year, second, first), ...(sign === '/' ? day(year, first, second) : [])];
  const [, ...iso] =
    /^(\d{4})[./-](\d{1,2})[./-](\d{1,2})$/.exec(word) ?? /^(\d{4})(\d\d)(\d\d)$/.exec(word) ?? [];
  if (iso.length > 0) return day(iso[0]!, iso[1]!, iso[2]!);
  const [name = ''] = word.match(/\p{L}+/u) ?? [];
  const month = MONTHS.get(name.toLowerCase());
  const [, date = '', spelled = ''] = /^\D*(\d{1,2})\D+(\d{4})$/.exec(word) ?? [];
  return month === undefined ? [] : day(spelled, String(month), date);
}

function day(year: string, month: string, date: string): string[] {
  if (Number(month) < 1 || Number(month) > 12 || Number(date) < 1 || Number(date) > 31) return [];
  return [`${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`];
}
