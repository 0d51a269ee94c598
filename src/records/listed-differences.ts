/** Differences as clients get them: a record may differ in more than anybody reads, or than a response should have. */
import { canonicalJson, type JsonValue } from '../json.ts';
import { type Difference, withWords } from './difference.ts';

export type ListedDifferences = {
  /** A JSON array. */
  readonly differences: string;
  /** How many are not in it. */
  readonly more: number;
};

/** More differences are not listed, and the values of those beyond so many characters are left out. */
const MOST_DIFFERENCES = 1000;
const MOST_CHARACTERS = 1_000_000;

/** Lists the first differences, with the words that differ in long strings. */
export function listDifferences(found: readonly Difference[]): ListedDifferences {
  let characters = 0;
  const texts = found.slice(0, MOST_DIFFERENCES).map((difference) => {
    const text = textOf(withWords(difference));
    if (characters + text.length > MOST_CHARACTERS)
      return textOf({ ...difference, base: null, curated: null, submitted: null, omitted: true });
    characters += text.length;
    return text;
  });
  return { differences: `[${texts.join(',')}]`, more: found.length - texts.length };
}

function textOf(difference: Difference): string {
  return canonicalJson(difference as unknown as JsonValue);
}
