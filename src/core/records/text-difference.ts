/** Which words of a long string differ. */
import type { JsonValue } from '#linkml/json.ts';

/** A run of words, in both strings or in one of them. */
export type TextPart = { readonly text: string; readonly in: 'both' | 'curated' | 'submitted' };

/** Shorter strings are read at a glance, and longer ones are not read. */
const SHORTEST = 40;
const LONGEST = 100_000;
/** Words or lines of both strings between their common ends, which are compared with a table. */
const MOST_COMPARED = 2000;

/**
 * The words of two strings, marked by the string that has them; undefined if they are equal, too short, too long or not strings. The
 * parts in `both` and one side make up the string of that side.
 */
export function textDifference(
  curated: JsonValue | undefined,
  submitted: JsonValue | undefined,
): TextPart[] | undefined {
  if (typeof curated !== 'string' || typeof submitted !== 'string' || curated === submitted) return undefined;
  const longer = Math.max(curated.length, submitted.length);
  if (longer < SHORTEST || longer > LONGEST) return undefined;
  return textParts(curated, submitted);
}

/** The words of two strings of any length, or else the lines between their common ends. */
export function textParts(curated: string, submitted: string): TextPart[] {
  const a = textWords(curated);
  const b = textWords(submitted);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const between = [a.slice(start, a.length - end), b.slice(start, b.length - end)] as const;
  const parts = new Parts();
  parts.add('both', a.slice(0, start));
  if (!compareParts(...between, parts)) {
    const [left, right] = between.map((words) => words.join('')) as [string, string];
    if (!compareParts(textLines(left), textLines(right), parts)) {
      parts.add('curated', [left]);
      parts.add('submitted', [right]);
    }
  }
  parts.add('both', a.slice(a.length - end));
  return parts.done;
}

/** Words, runs of blanks, and other signs one by one. */
function textWords(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+|\s+|[^\p{L}\p{M}\p{N}\s]/gu) ?? [];
}

function textLines(text: string): string[] {
  return text.split(/(?<=\n)/);
}

class Parts {
  readonly done: TextPart[] = [];

  add(side: TextPart['in'], words: readonly string[]): void {
    const text = words.join('');
    const last = this.done.at(-1);
    if (text === '') return;
    if (last?.in === side) this.done[this.done.length - 1] = { text: last.text + text, in: side };
    else this.done.push({ text, in: side });
  }
}

/** Adds the longest common subsequence, by a table of its lengths, and what differs. @returns false if that is too much */
function compareParts(a: readonly string[], b: readonly string[], parts: Parts): boolean {
  if (a.length + b.length > MOST_COMPARED) return false;
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      parts.add('both', [a[i]!]);
      i++;
      j++;
    } else if (
      j === b.length ||
      (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      parts.add('curated', [a[i]!]);
      i++;
    } else {
      parts.add('submitted', [b[j]!]);
      j++;
    }
  }
  return true;
}
