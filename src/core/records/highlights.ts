/** The words of a query in the title of a found record and in one of its other values, for people who look for it. */
import { fold, scalarsIn } from '#linkml/folding.ts';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { withoutType } from '../schema-type.ts';
import type { Language } from '../storage/search/stemmers.ts';
import { termsAt, type WordQuery } from '../storage/search/word-query.ts';
import { placedTokens } from '../storage/tokens.ts';

/** A string, and the ranges of it that were looked for: positions of their starts and ends, in UTF-16 units. */
export type Marked = {
  readonly text: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
};

/** The value is cut to what is around its marks. */
export type Highlight = { readonly title: Marked | null; readonly snippet: Marked | null };

/** What is marked: the words of a query, or words that have some parts. */
export type Sought =
  | { readonly query: WordQuery; readonly language?: Language | undefined }
  | { readonly parts: readonly string[] };

/** Characters of a snippet, and of it before the first mark. */
const SNIPPET = { length: 200, before: 60 };
/** Longer values are searched up to here: they are read for one snippet. */
const LONGEST_SEARCHED = 100_000;

/** @param titles the slots of titles of the class */
export function highlightOf(json: string, titles: readonly string[], sought: Sought): Highlight {
  const record = withoutType(parseJson(json) as JsonObject);
  const title = titles
    .flatMap((slot) => (slot in record ? scalarsIn(record[slot]!) : []))
    .find((text) => text !== '');
  let snippet: Marked | null = null;
  let most = 0;
  for (const [slot, value] of Object.entries(record)) {
    if (slot === 'pid') continue;
    for (const text of scalarsIn(value)) {
      if (text === title) continue;
      const found = marksIn(text, sought);
      // The first of those with most words.
      if (found.words <= most) continue;
      most = found.words;
      snippet = cut(text, found.marks);
    }
  }
  return {
    title: title === undefined ? null : { text: title, marks: marksIn(title, sought).marks },
    snippet,
  };
}

/** The marks of a string, and how many of the words that were looked for it has. */
function marksIn(whole: string, sought: Sought): { words: number; marks: Marked['marks'] } {
  const language = 'query' in sought ? sought.language : undefined;
  const placed = placedTokens(whole.slice(0, LONGEST_SEARCHED), language);
  const marked = new Set<number>();
  const words = new Set<unknown>();
  for (const at of placed.keys()) {
    if ('parts' in sought) {
      const found = sought.parts.filter((part) => placed[at]!.token.includes(fold(part)));
      for (const part of found) words.add(part);
      if (found.length > 0) marked.add(at);
    } else
      for (const [term, length] of termsAt(sought.query, placed, at)) {
        words.add(term);
        for (let next = 0; next < length; next++) marked.add(at + next);
      }
  }
  const marks: [number, number][] = [];
  const ranges = [...marked].map((at) => placed[at]!).sort((a, b) => a.start - b.start || b.end - a.end);
  for (const { start, end } of ranges) {
    const last = marks.at(-1);
    if (!last || start >= last[1]) marks.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return { words: words.size, marks };
}

function cut(text: string, marks: Marked['marks']): Marked {
  if (text.length <= SNIPPET.length) return { text, marks };
  const wanted = Math.max(0, Math.min(marks[0]![0] - SNIPPET.before, text.length - SNIPPET.length));
  const start = wanted === 0 ? 0 : atSpace(text, wanted);
  const end =
    start + SNIPPET.length >= text.length ? text.length : text.lastIndexOf(' ', start + SNIPPET.length);
  const stop = end > start + SNIPPET.before ? end : Math.min(text.length, start + SNIPPET.length);
  const [before, behind] = [start > 0 ? '… ' : '', stop < text.length ? ' …' : ''];
  const shown = marks.filter(([from, to]) => from >= start && to <= stop);
  return {
    text: `${before}${text.slice(start, stop)}${behind}`.toWellFormed(),
    marks: shown.map(([from, to]) => [from - start + before.length, to - start + before.length] as const),
  };
}

/** Behind the next space, if one is near. */
function atSpace(text: string, from: number): number {
  const space = text.indexOf(' ', from);
  return space >= 0 && space < from + SNIPPET.before / 2 ? space + 1 : from;
}
