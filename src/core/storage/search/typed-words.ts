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
/** `J.`, `J` or, of two given names, `J.-L.` */
const INITIALS = /^\(?(\p{Lu})(?:[.-]{1,2}(\p{Lu}))?[.,;)]*$/u;

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
/** A day with its month as a word is one word of a query. */
export const DAY_IN_WORDS = `\\d{1,2}\\.? ${MONTH}\\.?,? \\d{4}(?!\\S)|${MONTH}\\.? \\d{1,2},? \\d{4}(?!\\S)`;

/** Strings that a record may have for a word. */
export function readingsOf(word: string): string[] {
  const plain = decoded(word);
  const readings = [
    plain,
    RESOLVED.exec(plain)?.[1],
    DOI.exec(plain)?.[0],
    URL_WITHOUT_SCHEME.exec(plain)?.[1],
    ...daysIn(word),
  ];
  return [...new Set(readings)].filter((one) => one !== undefined && one !== word) as string[];
}

/** The form of a name that the initials of it have, see `initialsIn`. */
export function initialsOf(word: string): string | undefined {
  const [, first, second = ''] = INITIALS.exec(word) ?? [];
  return first === undefined ? undefined : initialOf(first) + (second && initialOf(second));
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
  const [, first = '', sign, second = '', year] = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(word) ?? [];
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
